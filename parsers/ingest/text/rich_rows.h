// Rich rows: what Python's rich.logging.RichHandler printed in columns, joined back to one message: time, level (8 wide), message, and the source
// file at the right end of the first row. How wide the time is depends on its form, which is US dates unless a project sets another one (`[%X]` in
// Rich's own examples). Words longer than the column were cut without a mark; they are put together again, so that session ids and JSON are whole.
// Pure functions; the joined message lives in the arena.
// Source: rich 13, logging.py (column widths) and `_wrap.divide_line` (a long word begins a row of its own and fills it).
#pragma once

#include <string_view>
#include <vector>

#include "base/arena.h"

namespace mcpscan::ingest {

// The first row of a record.
struct RichRow {
  static constexpr std::size_t kLevelColumn = 20;   // where the time has Rich's own form
  static constexpr std::size_t kMessageBehindLevel = 9;

  bool found = false;
  std::size_t level_column = 0;
  std::string_view level, time;   // time: between its brackets; empty where it is left out
  bool names_source = false;      // the row ends with the source file, as nothing else does that is indented

  std::size_t message() const { return level_column + kMessageBehindLevel; }
};

// `[11/29/26 16:35:08] INFO     ...`; with a time in another form, or none, where the row ends with the source file. `bare`: also without brackets.
RichRow dated_rich_row(std::string_view line, bool bare);
// The same with the time left blank, as it equals the one before.
RichRow undated_rich_row(std::string_view line);
// The message of one record from its rows; the column where that begins.
std::string_view join_rich_rows(const std::vector<std::string_view>& rows, std::size_t message, Arena& arena);

}  // namespace mcpscan::ingest
