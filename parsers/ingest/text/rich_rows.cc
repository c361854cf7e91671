#include "ingest/text/rich_rows.h"

#include <algorithm>
#include <cstring>

#include "ingest/text/char_class.h"
#include "ingest/text/template.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kLongestTime = 32;
constexpr std::size_t kLongestHexId = 32;
constexpr std::string_view kBoxCorner = "\xe2\x95\xad";  // U+256D

// Columns a text takes: code points, which is right for what logs hold but wide ideographs.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// The level in its column of eight; `to` takes it.
bool level_stands_at(std::string_view line, std::size_t column, std::string_view& to) {
  constexpr std::size_t kWidth = 8;
  if (line.size() <= column || line[column] < 'A' || line[column] > 'Z') return false;
  const std::string_view behind = line.substr(column);
  const std::size_t length = level_length(behind);
  if (length == 0 || behind.substr(length, kWidth + 1 - length).find_first_not_of(' ') != kNone) return false;
  to = behind.substr(0, length);
  return true;
}

// `name.py:123` at the right end of a first row.
std::size_t source_column_length(std::string_view row, std::size_t message) {
  const std::string_view text = trim_right(row);
  if (text.empty() || !is_digit(text.back())) return 0;
  const std::size_t blank = text.rfind(' ');
  if (blank == kNone || blank < message) return 0;
  const std::string_view word = text.substr(blank + 1);
  const std::size_t colon = word.rfind(':');
  if (colon == kNone || colon < 3 || word.substr(colon - 3, 3) != ".py") return 0;
  return run_of(word, colon + 1, kDigit) == word.size() - colon - 1 && colon + 1 < word.size() ? word.size() : 0;
}

// Set apart by blanks, or at the edge of a console that is wide enough.
bool source_stands_apart(std::string_view row, std::size_t source) {
  constexpr std::size_t kUsualWidth = 80;
  const std::size_t behind_text = trim_right(row).size() - source;
  return behind_text >= 2 && (row[behind_text - 2] == ' ' || columns(row) >= kUsualWidth);
}

// 11/29/26 16:35:08
bool is_own_form(std::string_view time) {
  return time.size() == RichRow::kLevelColumn - 3 && time[2] == '/' && time[5] == '/' && time[8] == ' ' && time[11] == ':';
}

bool all_hex(std::string_view text) { return !text.empty() && run_of(text, 0, kDigit | kHexLetter) == text.size(); }

std::string_view last_word(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  return blank == kNone ? text : text.substr(blank + 1);
}

// Whether `next` goes on in the middle of the word that `chunk` ends with. A chunk that fills the column and has no blank is a
// piece of a word too long for it (to Rich the blanks that stand before a word are of the word); with a blank it is so only where both ends are parts
// of one hexadecimal id.
bool cut_inside_word(std::string_view chunk, std::string_view next, std::size_t width) {
  if (columns(chunk) < width || width == 0) return false;
  if (trim(chunk).find(' ') == kNone) return true;
  const std::string_view left = last_word(chunk), right = next.substr(0, next.find(' '));
  return left.size() >= 8 && all_hex(left) && all_hex(right) && left.size() + right.size() == kLongestHexId;
}

std::string_view message_chunk(std::string_view row, std::size_t message) {
  return row.size() <= message ? std::string_view{} : trim_right(row.substr(message));
}

}  // namespace

namespace {

// Up to the first letter that is none of a time's: 16:35:08, 2026-11-29T16:35:08.
std::size_t bare_time_length(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && at < kLongestTime && (!is_a(line[at], kLetter) || (line[at] == 'T' && at + 1 < line.size() && is_digit(line[at + 1])))) ++at;
  return at;
}

}  // namespace

RichRow dated_rich_row(std::string_view line, bool bare) {
  RichRow row;
  if (line.empty() || (line[0] != '[' && !is_digit(line.back()))) return row;
  if (line[0] == '[') {
    const std::size_t close = line.substr(0, kLongestTime).find(']');
    if (close == kNone || close < 2 || !is_digit(line[1]) || line.substr(close + 1, 1) != " ") return row;
    row.level_column = close + 2;
    row.time = line.substr(1, close - 1);
  } else if (bare && is_digit(line[0])) {
    row.level_column = bare_time_length(line);
    row.time = trim_right(line.substr(0, row.level_column));
    if (row.time.size() == row.level_column) return row;
  }
  if (!level_stands_at(line, row.level_column, row.level)) return row;
  const std::size_t source = source_column_length(line, row.message());
  row.names_source = source != 0;
  row.found = is_own_form(row.time) || (source != 0 && source_stands_apart(line, source));
  return row;
}

RichRow undated_rich_row(std::string_view line) {
  RichRow row;
  row.level_column = std::min(run_of(line.substr(0, kLongestTime), 0, kBlank), line.size());
  row.found = row.level_column != 0 && level_stands_at(line, row.level_column, row.level);
  row.names_source = row.found && source_column_length(line, row.message()) != 0;
  return row;
}

std::string_view join_rich_rows(const std::vector<std::string_view>& rows, std::size_t message, Arena& arena) {
  if (rows.empty()) return {};
  const std::size_t source = source_column_length(rows[0], message);
  const std::size_t total = columns(rows[0]);
  const std::size_t taken = message + (source == 0 ? 0 : source + 1);
  const std::size_t width = total > taken ? total - taken : 0;
  std::size_t bytes = 0;
  for (const std::string_view row : rows) bytes += row.size() + 1;
  const std::span<char> buffer = arena.buffer(bytes);
  std::size_t used = 0;
  std::string_view before;
  bool behind_message = false;  // a traceback in a box follows
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view row = i == 0 && source != 0 ? trim_right(rows[0]).substr(0, trim_right(rows[0]).size() - source) : rows[i];
    const std::string_view chunk = message_chunk(row, message);
    if (chunk.empty()) continue;
    behind_message |= chunk.starts_with(kBoxCorner);
    if (used != 0 && (behind_message || !cut_inside_word(before, chunk, width))) buffer[used++] = behind_message ? '\n' : ' ';
    std::memcpy(buffer.data() + used, chunk.data(), chunk.size());
    used += chunk.size();
    before = chunk;
  }
  return {buffer.data(), used};
}

}  // namespace mcpscan::ingest
