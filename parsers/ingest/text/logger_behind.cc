#include "ingest/text/logger_behind.h"

#include <algorithm>

#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// A blank, a name and an equals sign.
bool is_pair_at(std::string_view text, std::size_t blank) {
  const std::size_t name = run_of(text, blank + 1, kLetter | kDigit | kLoggerMark);
  return name != 0 && blank + 1 + name < text.size() && text[blank + 1 + name] == '=';
}

std::size_t first_pair(std::string_view text) {
  std::size_t tries = 0;
  for (std::size_t at = text.find(' '); at != kNone && tries < LoggerBehind::kTries; at = text.find(' ', at + 1), ++tries) {
    if (is_pair_at(text, at)) return at;
  }
  return kNone;
}

// Length of [name] at the start, where nothing but pairs follow on its line; 0: it is something else.
std::size_t group_length(std::string_view text) {
  const std::size_t name = run_of(text, 1, kLetter | kDigit | kLoggerMark);
  if (name == 0 || 1 + name >= text.size() || text[1 + name] != ']') return 0;
  const std::string_view rest = text.substr(2 + name, text.find('\n', 2 + name) - 2 - name);
  return trim(rest).empty() || is_pair_at(rest, 0) ? 2 + name : 0;
}

}  // namespace

LoggerBehind split_logger_behind(std::string_view text) {
  std::size_t tries = 0;
  for (std::size_t at = text.find(" ["); at != kNone && tries < LoggerBehind::kTries; at = text.find(" [", at + 2), ++tries) {
    const std::size_t length = group_length(text.substr(at + 1));
    if (length != 0) return {trim_right(text.substr(0, at)), text.substr(at + 2, length - 2)};
  }
  const std::size_t line = text.rfind('\n') == kNone ? 0 : text.rfind('\n') + 1;
  const std::size_t pair = first_pair(text.substr(line));
  if (pair == kNone) return {text, {}};
  return {trim_right(text.substr(0, line + pair)), {}};
}

}  // namespace mcpscan::ingest
