// Rich rows: what Python's rich.logging.RichHandler printed in columns, joined back to one message: time, level (8 wide), message
// from column 29 on, and the source file at the right end of the first row. Words longer than the column were cut without a
// mark; they are put together again, so that session ids and JSON are whole.
// Pure functions; the joined message lives in the arena.
// Source: rich 13, logging.py (column widths) and `_wrap.divide_line` (a long word begins a row of its own and fills it).
#pragma once

#include <string_view>
#include <vector>

#include "base/arena.h"

namespace mcpscan::ingest {

inline constexpr std::size_t kRichMessageColumn = 29;

// `[11/29/26 16:35:08] INFO     ...`
bool is_rich_row_with_time(std::string_view line);
// The same with the time left blank, as it equals the one before.
bool is_rich_row_without_time(std::string_view line);
// Whether such a row ends with the source file, as the first row of a record does and nothing else that is indented.
bool names_source(std::string_view row);
// The level word of a row that begins a record.
std::string_view rich_level(std::string_view line);
// The message of one record from its rows.
std::string_view join_rich_rows(const std::vector<std::string_view>& rows, Arena& arena);

}  // namespace mcpscan::ingest
