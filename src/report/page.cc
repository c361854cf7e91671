#include "report/page.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "report/escape.h"
#include "report/report_index.h"
#include "report/utf8.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kNarrowestPage = 80, kWidestPage = 200;
constexpr std::size_t kLeastBeside = 16;  // a label that leaves less has its text on the next line

// SGR parameters (ECMA-48 section 8.3.117); the sixteen basic colours, which every palette keeps readable.
constexpr std::array<std::string_view, 8> kSgr{"", "1", "2", "1;31", "31", "33", "36", "2"};

std::string trimmed(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

Style style_of(model::Level level) {
  switch (level) {
    case model::Level::critical: return Style::critical;
    case model::Level::high: return Style::high;
    case model::Level::medium: return Style::medium;
    case model::Level::low: return Style::low;
    case model::Level::informational: break;
  }
  return Style::informational;
}

std::size_t Page::names() const { return options_.terminal ? kWordsInLine : kAllNames; }

Page::Page(const model::ReportOptions& options)
    : options_(options), width_(std::clamp<std::size_t>(options.width, kNarrowestPage, kWidestPage)) {}

std::size_t Page::rows(std::size_t size) const {
  static constexpr std::size_t kRows = Limits{}.terminal_rows;
  return options_.terminal ? std::min(size, kRows) : size;
}

std::size_t Page::text_bound() const { return options_.terminal ? Limits{}.terminal_text_bytes : Limits{}.report_text_bytes; }

std::string Page::text(std::string_view raw) const { return escape_terminal(shown_text(raw, options_, text_bound())); }

std::string Page::id(std::string_view raw) const { return escape_terminal(shown_id(raw, options_, text_bound())); }

std::string Page::painted(std::string_view safe, Style style) const {
  const std::string_view code = kSgr[static_cast<std::size_t>(style)];
  if (!options_.colour || code.empty() || safe.empty()) return std::string(safe);
  std::string text = "\x1b[";
  text.append(code).append("m").append(safe).append("\x1b[0m");
  return text;
}

void Page::blank() {
  if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
}

void Page::line(std::string_view safe, Style style) {
  out_ += painted(safe, style);
  out_ += '\n';
}

void Page::paragraph(std::size_t indent, std::string_view label, std::string_view safe, std::size_t hanging, Style style) {
  std::size_t taken = indent + text_width(label);
  std::string start = std::string(indent, ' ') + painted(label, style);
  if (taken + kLeastBeside > width_) {
    const auto pieces = wrapped(label, width_ - indent, width_ - hanging);
    for (std::size_t i = 0; i < pieces.size(); ++i) line(std::string(i == 0 ? indent : hanging, ' ') + painted(pieces[i], style));
    if (safe.empty()) return;
    taken = hanging;
    start.assign(hanging, ' ');
  }
  for (const std::string& piece : wrapped(safe, width_ - taken, width_ - hanging)) {
    line(piece.empty() ? trimmed(start) : start + piece);
    start.assign(hanging, ' ');
  }
}

void Page::table(std::string_view heading, const Table& rows, std::size_t indent) {
  if (rows.empty()) return;
  blank();
  const std::vector<std::string> lines = rows.lines(width_ - indent);
  line(heading, Style::heading);
  for (std::size_t i = 0; i < lines.size(); ++i) line(std::string(indent, ' ') + lines[i], i == 0 ? Style::dim : Style::plain);
}

}  // namespace mcpscan::report
