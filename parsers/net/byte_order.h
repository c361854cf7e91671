// Numbers out of bytes whose alignment and order are the file's or the wire's. No bounds are checked here: the caller has
// made sure that the bytes are there.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace mcpscan::net {

static_assert(std::endian::native == std::endian::little, "the loads below swap for big-endian input only");

template <typename T>
inline T load_little(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline std::uint16_t load_big16(const std::uint8_t* from) { return __builtin_bswap16(load_little<std::uint16_t>(from)); }
inline std::uint32_t load_big32(const std::uint8_t* from) { return __builtin_bswap32(load_little<std::uint32_t>(from)); }

// Numbers in the byte order a capture file declares.
struct FileOrder {
  bool big = false;

  std::uint16_t u16(const std::uint8_t* from) const { return big ? load_big16(from) : load_little<std::uint16_t>(from); }
  std::uint32_t u32(const std::uint8_t* from) const { return big ? load_big32(from) : load_little<std::uint32_t>(from); }
  std::uint64_t u64(const std::uint8_t* from) const {
    const auto value = load_little<std::uint64_t>(from);
    return big ? __builtin_bswap64(value) : value;
  }
};

}  // namespace mcpscan::net
