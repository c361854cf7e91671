// ByteWords: eight bytes of text at a time, told apart by arithmetic. No state; any byte order.
#pragma once

#include <cstdint>
#include <cstring>

namespace mcpscan::ingest {

inline std::uint64_t eight_bytes(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

constexpr std::uint64_t each_byte(std::uint8_t value) { return 0x0101010101010101u * value; }

// The high bit of each byte that is a digit.
constexpr std::uint64_t digits_of(std::uint64_t word) {
  const std::uint64_t value = word ^ each_byte('0');
  return ~(((value & each_byte(0x7f)) + each_byte(0x80 - 10)) | value) & each_byte(0x80);
}

// Eight bytes that are equal, or digits where the other has digits.
constexpr bool alike(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t difference = a ^ b;
  const std::uint64_t differs = (((difference & each_byte(0x7f)) + each_byte(0x7f)) | difference) & each_byte(0x80);
  return (differs & ~(digits_of(a) & digits_of(b))) == 0;
}
static_assert(alike(0x2c3930323a393032, 0x2c3130313a303931) && !alike(0x3a393032, 0x2e393032));

// All digits as shape_of() has them, each.
constexpr std::uint64_t shape_of_eight(std::uint64_t word) {
  const std::uint64_t digits = digits_of(word) >> 7;
  return (word & ~(digits * 0x0f)) | digits;
}
static_assert(shape_of_eight(0x2c3930323a393032) == 0x2c3131313a313131);

}  // namespace mcpscan::ingest
