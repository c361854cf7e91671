// prefetch_lines(), prefetch_lines_to_write(): ask for memory that is needed soon, so that nobody waits for it then. A hint: it may be memory of
// any kind, or none.
#pragma once

#include <cstddef>

namespace mcpscan {

inline void prefetch_lines(const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(static_cast<const char*>(from) + at);
}

// Memory that another core has read or written last is taken from it before it is written, not while.
inline void prefetch_lines_to_write(void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < bytes; at += kLine) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(static_cast<char*>(from)[at]));  // the builtin asks to read where the processor's kind is not given
#else
    __builtin_prefetch(static_cast<char*>(from) + at, 1);
#endif
  }
}

}  // namespace mcpscan
