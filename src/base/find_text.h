// find_text(), rfind_text(): where a word begins in a text, told by its first and last byte in sixteen places at a time. string_view::find
// stops at each byte that looks like the first one, which in prose and JSON is often; memmem sets up a table for each search, which in short
// texts costs more than the search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mcpscan {

#if defined(__SSE2__)
// Bit i: a word of `size` bytes may begin at `at` + i, by its first and its last byte.
inline unsigned may_begin(const char* at, std::size_t size, __m128i first, __m128i last) {
  const auto equal = [](const char* from, __m128i byte) { return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), byte); };
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(equal(at, first), equal(at + size - 1, last))));
}
#endif

// npos: it does not stand at `from` or behind. An empty word is found nowhere.
inline std::size_t find_text(std::string_view text, std::string_view word, std::size_t from = 0) {
  if (word.empty()) return std::string_view::npos;
#if defined(__SSE2__)
  constexpr std::size_t kStep = sizeof(__m128i);
  const __m128i first = _mm_set1_epi8(word.front()), last = _mm_set1_epi8(word.back());
  for (; from + word.size() - 1 + kStep <= text.size(); from += kStep) {
    const char* const at = text.data() + from;
    for (unsigned places = may_begin(at, word.size(), first, last); places != 0; places &= places - 1) {
      const auto place = static_cast<std::size_t>(__builtin_ctz(places));
      if (std::memcmp(at + place, word.data(), word.size()) == 0) return from + place;
    }
  }
#endif
  return text.find(word, from);
}

// The last place at `from` or before; npos: there is none. An empty word is found nowhere.
inline std::size_t rfind_text(std::string_view text, std::string_view word, std::size_t from = std::string_view::npos) {
  if (word.empty() || word.size() > text.size()) return std::string_view::npos;
  std::size_t places_left = std::min(from, text.size() - word.size()) + 1;
#if defined(__SSE2__)
  constexpr std::size_t kStep = sizeof(__m128i);
  const __m128i first = _mm_set1_epi8(word.front()), last = _mm_set1_epi8(word.back());
  for (; places_left >= kStep; places_left -= kStep) {
    const char* const at = text.data() + places_left - kStep;
    for (unsigned places = may_begin(at, word.size(), first, last); places != 0;) {
      const auto place = static_cast<std::size_t>(31 - __builtin_clz(places));
      if (std::memcmp(at + place, word.data(), word.size()) == 0) return places_left - kStep + place;
      places ^= 1u << place;
    }
  }
#endif
  return places_left == 0 ? std::string_view::npos : text.rfind(word, places_left - 1);
}

}  // namespace mcpscan
