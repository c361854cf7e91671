#include "ingest/text/rich_rows.h"

#include <algorithm>
#include <cstring>

#include "ingest/text/char_class.h"
#include "ingest/text/template.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kLevelColumn = 20;
constexpr std::size_t kLongestHexId = 32;

// Columns a text takes: code points, which is right for what logs hold but wide ideographs.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool level_stands_at_its_column(std::string_view line) {
  if (line.size() <= kLevelColumn || line[kLevelColumn] < 'A' || line[kLevelColumn] > 'Z') return false;
  const std::string_view behind = line.substr(kLevelColumn);
  const std::size_t length = level_length(behind);
  if (length == 0) return false;
  return behind.size() == length || behind[length] == ' ';
}

// `name.py:123` at the right end of the first row.
std::size_t source_column_length(std::string_view row) {
  const std::string_view text = trim_right(row);
  const std::size_t blank = text.rfind(' ');
  if (blank == kNone || blank < kRichMessageColumn) return 0;
  const std::string_view word = text.substr(blank + 1);
  const std::size_t colon = word.rfind(':');
  if (colon == kNone || colon < 3 || word.substr(colon - 3, 3) != ".py") return 0;
  return run_of(word, colon + 1, kDigit) == word.size() - colon - 1 && colon + 1 < word.size() ? word.size() : 0;
}

bool all_hex(std::string_view text) { return !text.empty() && run_of(text, 0, kDigit | kHexLetter) == text.size(); }

std::string_view last_word(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  return blank == kNone ? text : text.substr(blank + 1);
}

// Whether `next` goes on in the middle of the word that `chunk` ends with. A chunk that fills the column and has no blank is a
// piece of a word too long for it; with a blank it is so only where both ends are parts of one hexadecimal id.
bool cut_inside_word(std::string_view chunk, std::string_view next, std::size_t width) {
  if (columns(chunk) < width || width == 0) return false;
  if (chunk.find(' ') == kNone) return true;
  const std::string_view left = last_word(chunk), right = next.substr(0, next.find(' '));
  return left.size() >= 8 && all_hex(left) && all_hex(right) && left.size() + right.size() == kLongestHexId;
}

std::string_view message_chunk(std::string_view row) {
  return row.size() <= kRichMessageColumn ? std::string_view{} : trim_right(row.substr(kRichMessageColumn));
}

}  // namespace

bool is_rich_row_with_time(std::string_view line) {
  return line.size() > kLevelColumn && line[0] == '[' && line[18] == ']' && line[3] == '/' && line[6] == '/' && line[9] == ' ' && line[12] == ':' &&
         level_stands_at_its_column(line);
}

bool is_rich_row_without_time(std::string_view line) {
  return level_stands_at_its_column(line) && run_of(line.substr(0, kLevelColumn), 0, kBlank) == kLevelColumn;
}

bool names_source(std::string_view row) { return source_column_length(row) != 0; }

std::string_view rich_level(std::string_view line) {
  const std::string_view behind = line.substr(kLevelColumn);
  return behind.substr(0, level_length(behind));
}

std::string_view join_rich_rows(const std::vector<std::string_view>& rows, Arena& arena) {
  if (rows.empty()) return {};
  const std::size_t source = source_column_length(rows[0]);
  const std::size_t total = columns(rows[0]);
  const std::size_t taken = kRichMessageColumn + (source == 0 ? 0 : source + 1);
  const std::size_t width = total > taken ? total - taken : 0;
  std::size_t bytes = 0;
  for (const std::string_view row : rows) bytes += row.size() + 1;
  const std::span<char> buffer = arena.buffer(bytes);
  std::size_t used = 0;
  std::string_view before;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view row = i == 0 && source != 0 ? trim_right(rows[0]).substr(0, trim_right(rows[0]).size() - source) : rows[i];
    const std::string_view chunk = message_chunk(row);
    if (chunk.empty()) continue;
    if (used != 0 && !cut_inside_word(before, chunk, width)) buffer[used++] = ' ';
    std::memcpy(buffer.data() + used, chunk.data(), chunk.size());
    used += chunk.size();
    before = chunk;
  }
  return {buffer.data(), used};
}

}  // namespace mcpscan::ingest
