// Page: lines of a text report of a fixed width, with colour where asked. Every text that comes from evidence passes
// through text(), which bounds, masks and escapes it. Colour never changes what stands where: without the escape codes
// both outputs are the same. Ownership: it owns the lines until take(). Threads: one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/report_format.h"
#include "report/layout.h"

namespace mcpscan::report {

enum class Style : std::uint8_t { plain, heading, dim, critical, high, medium, low, informational };

Style style_of(model::Level level);

class Page {
 public:
  explicit Page(const model::ReportOptions& options);

  std::size_t width() const { return width_; }
  // How many rows of a list of `size` are shown, and whether the rest is told in a line of its own.
  std::size_t rows(std::size_t size) const;
  // How many names of a list in a line are shown.
  std::size_t names() const;

  // Safe to show: bounded, masked unless raw, escaped.
  std::string text(std::string_view raw) const;
  // The same for a session's id or another key, which is shown even where it looks like a token.
  std::string id(std::string_view raw) const;
  std::string painted(std::string_view safe, Style style) const;

  void blank();
  void line(std::string_view safe, Style style = Style::plain);
  // `label` at `indent`, then the text, wrapped with its later lines `hanging` cells in.
  void paragraph(std::size_t indent, std::string_view label, std::string_view safe, std::size_t hanging, Style style = Style::plain);
  void table(std::string_view heading, const Table& table, std::size_t indent);

  std::string take() { return std::move(out_); }

 private:
  std::size_t text_bound() const;

  const model::ReportOptions& options_;
  std::size_t width_;
  std::string out_;
};

}  // namespace mcpscan::report
