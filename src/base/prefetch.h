// prefetch_lines(): asks for memory that is needed soon, so that nobody waits for it then. A hint: it may be memory of any kind, or none.
#pragma once

#include <cstddef>

namespace mcpscan {

inline void prefetch_lines(const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(static_cast<const char*>(from) + at);
}

}  // namespace mcpscan
