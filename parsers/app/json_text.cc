#include "app/json_text.h"

#include <cstring>

#include "base/json_escapes.h"

namespace mcpscan::app {

std::string_view decode_escapes(std::string_view content, Arena& arena) {
  if (content.empty()) return {};
  const std::span<char> room = arena.buffer(content.size());  // an escape is never shorter than what it means
  return {room.data(), decode_piece(content, room)};
}

std::string_view decode_string(const JsonToken& token, Arena& arena) {
  return token.escaped ? decode_escapes(token.content(), arena) : token.content();
}

namespace {

// Length of the well-formed UTF-8 sequence at the start of `text` (Unicode table 3-7); 0: ill-formed.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xbf; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool fits = (lead != 0xe0 || byte(1) >= 0xa0) && (lead != 0xed || byte(1) <= 0x9f);
    return fits && follows(1) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool fits = (lead != 0xf0 || byte(1) >= 0x90) && (lead != 0xf4 || byte(1) <= 0x8f);
    return fits && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

// The next piece of a text under repair: `taken` bytes of it become `text`.
struct Piece {
  std::size_t taken = 0;
  std::string_view text;
};

Piece next_piece(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return {1, "\xef\xbf\xbd"};
  if (text[0] != '\\') return {length, text.substr(0, length)};
  const int unit = unicode_escape(text);
  const bool pair = is_high_surrogate(unit) && is_low_surrogate(unicode_escape(text.substr(6)));
  if (!pair && (is_high_surrogate(unit) || is_low_surrogate(unit))) return {6, "\\ufffd"};
  // Both bytes of \\ go together, or the second would be taken for the start of an escape.
  const std::size_t taken = pair ? 12 : text.substr(1, 1) == "\\" ? 2 : 1;
  return {taken, text.substr(0, taken)};
}

}  // namespace

std::string_view repaired_copy(std::string_view text, Arena& arena) {
  std::size_t size = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Piece piece = next_piece(text.substr(at));
    at += piece.taken;
    size += piece.text.size();
  }
  char* const start = arena.buffer(size).data();
  char* to = start;
  for (std::size_t at = 0; at < text.size();) {
    const Piece piece = next_piece(text.substr(at));
    at += piece.taken;
    std::memcpy(to, piece.text.data(), piece.text.size());
    to += piece.text.size();
  }
  return {start, size};
}

}  // namespace mcpscan::app
