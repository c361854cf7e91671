#include "model/session_id.h"

#include <algorithm>
#include <array>

namespace mcpscan::model {
namespace {

constexpr char kOther = 0;

// A digit as it is kept, a dash as itself, everything else kOther.
constexpr std::array<char, 256> kKept = [] {
  std::array<char, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = static_cast<char>(c);
  for (unsigned c = 'a'; c <= 'f'; ++c) table[c] = table[c - 'a' + 'A'] = static_cast<char>(c);
  table['-'] = '-';
  return table;
}();

}  // namespace

std::string normalise_session_id(std::string_view id) {
  constexpr std::size_t kFewestDigits = 16;
  std::string text(id);
  char* to = text.data();
  for (const char c : id) {
    const char kept = kKept[static_cast<unsigned char>(c)];
    if (kept == kOther) return text.assign(id);
    *to = kept;
    to += kept != '-';
  }
  const auto digits = static_cast<std::size_t>(to - text.data());
  if (digits < kFewestDigits) return text.assign(id);
  text.resize(digits);
  return text;
}

bool names_session(std::string_view wanted, std::string_view label) {
  constexpr std::size_t kFewestTyped = 6, kShortestId = 16;  // shorter ones are counted up, so that one is the beginning of another
  if (wanted == label) return true;
  const std::string id = normalise_session_id(label), typed = normalise_session_id(wanted);
  if (typed == id) return true;
  const bool is_id = label.size() >= kShortestId && label.find_first_of(" :/") == std::string_view::npos;
  return is_id && wanted.size() >= kFewestTyped && (label.starts_with(wanted) || id.starts_with(typed));
}

bool is_masked_id(std::string_view id) {
  constexpr std::array<std::string_view, 6> kWords{"redacted", "masked", "removed", "sanitized", "filtered", "hidden"};
  constexpr std::size_t kLongest = 40, kFewestStars = 3;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (id.empty() || id.size() > kLongest || std::any_of(id.begin(), id.end(), is_digit)) return false;  // nearly every id ends here
  std::string text(id);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  text.erase(0, std::min(text.find_first_not_of("[<({*-_ "), text.size()));
  text.erase(text.find_last_not_of("])>}*-_ ") + 1);
  if (text.empty()) return id.size() >= kFewestStars;  // nothing but stars and brackets
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end() || (text.size() >= kFewestStars && text.find_first_not_of("x-") == std::string::npos && text.find('x') == 0);
}

}  // namespace mcpscan::model
