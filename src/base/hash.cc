// Apart from hash.h: the library's choice by processor and its inlined functions exclude each other.
#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <cstdint>
#include <string_view>

namespace mcpscan {

std::uint64_t hash_long(std::string_view bytes, std::uint64_t seed) { return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed); }

}  // namespace mcpscan
