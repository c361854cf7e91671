// Encodings of text inputs: UTF-8 unless a byte order mark or the pattern of NULs says UTF-16 (what PowerShell's `>` writes).
// Utf16Decoder turns UTF-16 into UTF-8, for every split of the bytes the same; a code unit without its partner becomes U+FFFD and
// is counted. Not here: single-byte code pages (bytes that are not UTF-8 are left to the parser). Unicode 15 section 3.9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan::ingest {

enum class Encoding : std::uint8_t { utf8, utf16le, utf16be };

std::string_view to_string(Encoding encoding);

// How many bytes of the head decide: always the same number, so that the answer does not depend on how much was read before.
constexpr std::size_t kEncodingSampleBytes = 4096;

// Looks at no more than the first kEncodingSampleBytes.
Encoding detect_encoding(std::string_view head);

class Utf16Decoder {
 public:
  explicit Utf16Decoder(Encoding encoding) : big_endian_(encoding == Encoding::utf16be) {}

  // Appends the UTF-8 form of `bytes`; a mark at the very start of the input is dropped.
  void decode(std::string_view bytes, std::string& to);
  // The input ends: half a unit and a lone surrogate become U+FFFD.
  void finish(std::string& to);

  std::uint64_t unpaired() const { return unpaired_; }
  bool ends_in_half_unit() const { return half_unit_; }

 private:
  void put_unit(std::uint16_t unit, std::string& to);

  bool big_endian_;
  bool at_start_ = true;
  bool has_byte_ = false;
  bool half_unit_ = false;
  unsigned char byte_ = 0;      // the first byte of a unit whose second one has not come
  std::uint16_t high_ = 0;      // a high surrogate that waits for its low one
  std::uint64_t unpaired_ = 0;
};

// The head of an input as UTF-8, for looking at only.
std::string decode_head(std::string_view head);

}  // namespace mcpscan::ingest
