#include "ingest/text/encoding.h"

#include <algorithm>

namespace mcpscan::ingest {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// At least a quarter of the pairs of bytes with a NUL on one side, and hardly any on the other: text with ASCII in it.
constexpr std::size_t kFewestNuls = 4;
constexpr std::size_t kOneInFour = 4;
constexpr std::size_t kHardlyAny = 8;

bool is_high_surrogate(std::uint16_t unit) { return (unit & 0xFC00) == 0xD800; }
bool is_low_surrogate(std::uint16_t unit) { return (unit & 0xFC00) == 0xDC00; }

void put(std::string& to, std::uint32_t byte) { to.push_back(static_cast<char>(byte)); }

void put_code_point(std::uint32_t code, std::string& to) {
  if (code < 0x80) {
    put(to, code);
  } else if (code < 0x800) {
    put(to, 0xC0 | code >> 6), put(to, 0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(to, 0xE0 | code >> 12), put(to, 0x80 | (code >> 6 & 0x3F)), put(to, 0x80 | (code & 0x3F));
  } else {
    put(to, 0xF0 | code >> 18), put(to, 0x80 | (code >> 12 & 0x3F)), put(to, 0x80 | (code >> 6 & 0x3F)), put(to, 0x80 | (code & 0x3F));
  }
}

Encoding encoding_by_nuls(std::string_view head) {
  std::size_t even = 0, odd = 0;
  const std::size_t pairs = head.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    even += head[2 * i] == '\0';
    odd += head[2 * i + 1] == '\0';
  }
  if (std::max(even, odd) < kFewestNuls) return Encoding::utf8;
  if (odd * kOneInFour >= pairs && even * kHardlyAny <= odd) return Encoding::utf16le;
  if (even * kOneInFour >= pairs && odd * kHardlyAny <= even) return Encoding::utf16be;
  return Encoding::utf8;
}

}  // namespace

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf16le: return "utf-16le";
    case Encoding::utf16be: return "utf-16be";
    case Encoding::utf8: break;
  }
  return "utf-8";
}

Encoding detect_encoding(std::string_view head) {
  head = head.substr(0, kEncodingSampleBytes);
  if (head.starts_with("\xFF\xFE")) return Encoding::utf16le;
  if (head.starts_with("\xFE\xFF")) return Encoding::utf16be;
  return encoding_by_nuls(head);
}

void Utf16Decoder::decode(std::string_view bytes, std::string& to) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!has_byte_) {
      byte_ = byte;
      has_byte_ = true;
      continue;
    }
    has_byte_ = false;
    const unsigned unit = big_endian_ ? byte_ << 8u | byte : byte << 8u | byte_;
    put_unit(static_cast<std::uint16_t>(unit), to);
  }
}

void Utf16Decoder::put_unit(std::uint16_t unit, std::string& to) {
  const bool first = at_start_;
  at_start_ = false;
  if (high_ != 0) {
    const std::uint16_t high = high_;
    high_ = 0;
    if (is_low_surrogate(unit)) return put_code_point(0x10000u + ((high & 0x3FFu) << 10) + (unit & 0x3FFu), to);
    ++unpaired_;
    to += kReplacement;
  }
  if (is_high_surrogate(unit)) {
    high_ = unit;
  } else if (is_low_surrogate(unit)) {
    ++unpaired_;
    to += kReplacement;
  } else if (!(first && unit == 0xFEFF)) {
    put_code_point(unit, to);
  }
}

void Utf16Decoder::finish(std::string& to) {
  if (high_ != 0) {
    ++unpaired_;
    to += kReplacement;
  }
  if (has_byte_) {
    half_unit_ = true;
    to += kReplacement;
  }
  high_ = 0;
  has_byte_ = false;
}

std::string decode_head(std::string_view head) {
  const Encoding encoding = detect_encoding(head);
  if (encoding == Encoding::utf8) return std::string(head);
  std::string text;
  Utf16Decoder(encoding).decode(head, text);
  return text;
}

}  // namespace mcpscan::ingest
