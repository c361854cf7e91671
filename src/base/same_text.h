// same_text(): whether two texts are equal, where most are short, most are equal and a call of the library's comparison would take longer
// than what it does. Threads: pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mcpscan {

// Compared in words, the last of which may overlap the one before.
template <typename Word>
inline bool same_words(const char* a, const char* b, std::size_t size) {
  const auto word = [](const char* at) {
    Word value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  for (std::size_t i = 0; i + sizeof(Word) < size; i += sizeof(Word)) {
    if (word(a + i) != word(b + i)) return false;
  }
  return word(a + size - sizeof(Word)) == word(b + size - sizeof(Word));
}

inline bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() >= sizeof(std::uint64_t)) return same_words<std::uint64_t>(a.data(), b.data(), a.size());
  if (a.size() >= sizeof(std::uint32_t)) return same_words<std::uint32_t>(a.data(), b.data(), a.size());
  return a.empty() || same_words<std::uint8_t>(a.data(), b.data(), a.size());
}

}  // namespace mcpscan
