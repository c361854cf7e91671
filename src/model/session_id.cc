#include "model/session_id.h"

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

}  // namespace mcpscan::model
