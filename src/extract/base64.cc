#include "extract/base64.h"

#include <cstdint>

namespace mcpscan::extract {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) text += kLetters[bits >> (held - 6) & 63];
  }
  if (held > 0) text += kLetters[bits << (6 - held) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    if (c == '\\') continue;
    const std::size_t value = kLetters.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 255);
  }
  return bytes;
}

}  // namespace mcpscan::extract
