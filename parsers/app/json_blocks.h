// JsonBlock: which of 64 bytes are quotes, brackets and so on, as bit masks (bit 0 = first byte); the arithmetic that tells
// strings from structure. SSE2, which every x86-64 has; elsewhere byte by byte with the same result. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mcpscan::app {

struct JsonBlock {
  static constexpr std::size_t kBytes = 64;
  std::uint64_t quote = 0, backslash = 0, open = 0, close = 0, control = 0, high = 0;
  std::uint64_t blank = 0;  // spaces; the others are control bytes
  std::uint64_t odd = 0;  // upper-case letters and apostrophes: outside a string only the E of a number is JSON

  // Without the first `count` bytes, 0 to 63.
  JsonBlock shifted(int count) const {
    return {quote >> count, backslash >> count, open >> count, close >> count, control >> count, high >> count, blank >> count, odd >> count};
  }
};

inline JsonBlock classify_bytewise(const char* bytes) {
  JsonBlock block;
  for (std::size_t i = 0; i < JsonBlock::kBytes; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (c == '"') block.quote |= bit;
    if (c == '\\') block.backslash |= bit;
    if ((c | 0x20) == '{') block.open |= bit;
    if ((c | 0x20) == '}') block.close |= bit;
    if (c < 0x20) block.control |= bit;
    if (c == ' ') block.blank |= bit;
    if ((c >= 'A' && c <= 'Z') || c == '\'') block.odd |= bit;
    if (c >= 0x80) block.high |= bit;
  }
  return block;
}

// What is asked of a block: inside a string brackets and letters mean nothing.
enum class BlockPart : std::uint8_t { structure, string };

#if defined(__SSE2__)
inline std::uint64_t mask_bits(__m128i matches, int part) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches))) << (16 * part);
}

template <BlockPart kPart = BlockPart::structure>
[[gnu::always_inline]] inline JsonBlock classify(const char* bytes) {
  JsonBlock block;
  for (int part = 0; part < 4; ++part) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
    block.quote |= mask_bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), part);
    block.backslash |= mask_bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')), part);
    block.control |= mask_bits(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v), part);
    block.high |= mask_bits(v, part);
    if constexpr (kPart == BlockPart::structure) {
      const __m128i lower = _mm_or_si128(v, _mm_set1_epi8(0x20));  // [ and { become one, ] and } too
      const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('A' - 1)), _mm_cmplt_epi8(v, _mm_set1_epi8('Z' + 1)));
      block.blank |= mask_bits(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), part);
      block.open |= mask_bits(_mm_cmpeq_epi8(lower, _mm_set1_epi8('{')), part);
      block.close |= mask_bits(_mm_cmpeq_epi8(lower, _mm_set1_epi8('}')), part);
      block.odd |= mask_bits(_mm_or_si128(upper, _mm_cmpeq_epi8(v, _mm_set1_epi8('\''))), part);
    }
  }
  return block;
}
#else
template <BlockPart kPart = BlockPart::structure>
JsonBlock classify(const char* bytes) {
  return classify_bytewise(bytes);
}
#endif

// Bit i of the result: the parity of bits 0 to i.
inline std::uint64_t prefix_xor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// The bytes that a backslash escapes. `carry` is 1 when the block before ended in an open escape.
inline std::uint64_t escaped_bytes(std::uint64_t backslash, std::uint64_t& carry) {
  if (backslash == 0) {
    const std::uint64_t escaped = carry;
    carry = 0;
    return escaped;
  }
  constexpr std::uint64_t kEven = 0x5555555555555555ull;
  backslash &= ~carry;
  const std::uint64_t follows = backslash << 1 | carry;
  const std::uint64_t odd_starts = backslash & ~kEven & ~follows;
  std::uint64_t runs_on_even = 0;
  carry = __builtin_add_overflow(odd_starts, backslash, &runs_on_even) ? 1 : 0;
  return (kEven ^ (runs_on_even << 1)) & follows;
}

}  // namespace mcpscan::app
