#include "ingest/flow_file.h"

#include <algorithm>
#include <cstddef>

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kLengthDigits = 10, kKeyDigits = 2, kKeyBytes = 40;

// "2477:"; 0: no length of so many digits.
std::size_t take_length(std::string_view& text, std::size_t digits) {
  std::size_t length = 0, at = 0;
  for (; at < text.size() && at < digits && text[at] >= '0' && text[at] <= '9'; ++at) length = length * 10 + static_cast<std::size_t>(text[at] - '0');
  if (at == 0 || at >= text.size() || text[at] != ':') return 0;
  text.remove_prefix(at + 1);
  return length;
}

}  // namespace

bool is_flow_file(std::string_view head) {
  const std::size_t whole = take_length(head, kLengthDigits);
  const std::size_t key = whole == 0 ? 0 : take_length(head, kKeyDigits);
  if (key == 0 || key > kKeyBytes || key >= whole || key >= head.size()) return false;
  const std::string_view word = head.substr(0, key);
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  return plain && (head[key] == ';' || head[key] == ',');
}

}  // namespace mcpscan::ingest
