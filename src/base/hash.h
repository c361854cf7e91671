// Hashes. A hash only finds; whoever compares identities compares the whole key (see docs/architecture.md).
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan {

// Of long texts: by the widest registers the processor has.
std::uint64_t hash_long(std::string_view bytes, std::uint64_t seed);

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
  constexpr std::size_t kLong = 240;  // where XXH3 turns to its loop
  return bytes.size() > kLong ? hash_long(bytes, seed) : XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

inline std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15ull + (a << 12) + (a >> 4))) * 0xff51afd7ed558ccdull;
}

}  // namespace mcpscan
