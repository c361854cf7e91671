// Laying out text in columns: wrapping, shortening, padding, tables, and numbers for people. Knows nothing of reports
// and nothing of colour. All text given here is already safe to show (escape.h): no control characters, valid UTF-8.
// Widths are terminal cells. Threads: pure functions; a Table belongs to one caller. Bounds: the caller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mcpscan::report {

// 3,271
std::string thousands(std::uint64_t number);
// "1 call", "2,000 calls"; the plural is `one` + "s" where none is given.
std::string counted(std::uint64_t number, std::string_view one, std::string_view many = {});
// Whole percent; 100 only when all, 0 only when none ("under 1 %", "over 99 %").
std::string percent(std::uint64_t part, std::uint64_t whole);
// "a, b and 3 more"; no more than `most` words shown.
std::string joined(const std::vector<std::string>& words, std::size_t most);
// Words of a list told in one line before the rest is only counted, and what tells them all.
constexpr std::size_t kWordsInLine = 4, kAllNames = static_cast<std::size_t>(-1);

// Lines of at most `width` cells, the first at most `first_width`. Breaks at spaces; a word that is longer than a line is
// broken anywhere. Runs of spaces inside a line stay. Never empty: an empty text is one empty line.
std::vector<std::string> wrapped(std::string_view text, std::size_t first_width, std::size_t width);

// At most `width` cells, with … in the middle where something had to go.
std::string shortened(std::string_view text, std::size_t width);

std::string padded(std::string text, std::size_t width);
std::string padded_left(const std::string& text, std::size_t width);

// A table that fits a width: optional columns shrink, then go, the last one first; only then the others are shortened.
class Table {
 public:
  enum class Kind : std::uint8_t { text, number };
  struct Column {
    std::string title;
    Kind kind = Kind::text;
    bool shrinks = false;
    bool optional = false;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  // The title line first, then the rows; no trailing spaces.
  std::vector<std::string> lines(std::size_t width) const;

 private:
  std::vector<std::size_t> fitted(std::size_t width) const;
  void shrink(std::vector<std::size_t>& widths, std::size_t width, std::size_t narrowest, bool only_optional) const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mcpscan::report
