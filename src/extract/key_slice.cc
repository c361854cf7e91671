#include "extract/key_slice.h"

#include <algorithm>

namespace mcpscan::extract {
namespace {

std::string_view second_word(std::string_view line) {
  const std::size_t from = line.find(' ');
  if (from == std::string_view::npos) return {};
  const std::size_t to = line.find(' ', from + 1);
  return to == std::string_view::npos ? std::string_view() : line.substr(from + 1, to - from - 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

}  // namespace

std::string slice_keys(std::string_view key_log, const std::set<std::string>& randoms) {
  std::string kept;
  std::set<std::string_view> seen;
  while (!key_log.empty()) {
    const std::size_t end = std::min(key_log.find('\n'), key_log.size());
    std::string_view line = key_log.substr(0, end);
    key_log.remove_prefix(std::min(end + 1, key_log.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!randoms.contains(lower(second_word(line))) || !seen.insert(line).second) continue;
    kept += line;
    kept += '\n';
  }
  return kept;
}

}  // namespace mcpscan::extract
