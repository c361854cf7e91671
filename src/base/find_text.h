// find_text(): where a word begins in a text, told by its first and last byte in sixteen places at a time. string_view::find stops at each
// byte that looks like the first one, which in prose and JSON is often; memmem sets up a table for each search, which in short texts costs
// more than the search.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mcpscan {

// npos: it does not stand at `from` or behind. An empty word is found nowhere.
inline std::size_t find_text(std::string_view text, std::string_view word, std::size_t from = 0) {
  if (word.empty()) return std::string_view::npos;
#if defined(__SSE2__)
  constexpr std::size_t kStep = sizeof(__m128i);
  const __m128i first = _mm_set1_epi8(word.front()), last = _mm_set1_epi8(word.back());
  const auto equal = [](const char* at, __m128i byte) { return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), byte); };
  for (; from + word.size() - 1 + kStep <= text.size(); from += kStep) {
    const char* const at = text.data() + from;
    auto places = static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(equal(at, first), equal(at + word.size() - 1, last))));
    for (; places != 0; places &= places - 1) {
      const auto place = static_cast<std::size_t>(__builtin_ctz(places));
      if (std::memcmp(at + place, word.data(), word.size()) == 0) return from + place;
    }
  }
#endif
  return text.find(word, from);
}

}  // namespace mcpscan
