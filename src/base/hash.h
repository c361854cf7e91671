// Hashes. A hash only finds; whoever compares identities compares the whole key (see docs/architecture.md).
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan {

// Never by wider registers than those of the code around it (as the library's own choice would): for texts of a few hundred bytes a
// processor takes longer to change to them than it saves.
inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) { return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed); }

inline std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15ull + (a << 12) + (a >> 4))) * 0xff51afd7ed558ccdull;
}

}  // namespace mcpscan
