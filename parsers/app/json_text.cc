#include "app/json_text.h"

#include <algorithm>
#include <cstring>

#include "app/hex_digit.h"

namespace mcpscan::app {

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

// The code unit of \uXXXX at the start of `text`, -1 if there is none.
int unicode_escape(std::string_view text) { return text.substr(0, 2) == "\\u" ? hex4(text.substr(2)) : -1; }

bool is_high(int unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low(int unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

struct Decoded {
  std::uint32_t code_point = 0;
  std::size_t length = 0;  // bytes of the escape; 0: not an escape
};

// The escape at the start of `text` (a backslash).
Decoded decode_one(std::string_view text) {
  if (text.size() < 2) return {};
  switch (text[1]) {
    case '"': case '\\': case '/': return {static_cast<std::uint32_t>(text[1]), 2};
    case 'b': return {'\b', 2};
    case 'f': return {'\f', 2};
    case 'n': return {'\n', 2};
    case 'r': return {'\r', 2};
    case 't': return {'\t', 2};
    default: break;
  }
  const int unit = unicode_escape(text);
  if (unit < 0) return {};
  if (is_high(unit)) {
    const int low = unicode_escape(text.substr(6));
    if (is_low(low)) return {0x10000u + (static_cast<std::uint32_t>(unit - 0xd800) << 10) + static_cast<std::uint32_t>(low - 0xdc00), 12};
  }
  return {static_cast<std::uint32_t>(unit), 6};
}

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

}  // namespace

std::size_t put_utf8(std::uint32_t code, char* to) {
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) code = kReplacement;
  if (code < 0x80) return to[0] = static_cast<char>(code), 1;
  if (code < 0x800) {
    to[0] = static_cast<char>(0xc0 | code >> 6);
    to[1] = static_cast<char>(0x80 | (code & 0x3f));
    return 2;
  }
  if (code < 0x10000) {
    to[0] = static_cast<char>(0xe0 | code >> 12);
    to[1] = static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to[2] = static_cast<char>(0x80 | (code & 0x3f));
    return 3;
  }
  to[0] = static_cast<char>(0xf0 | code >> 18);
  to[1] = static_cast<char>(0x80 | (code >> 12 & 0x3f));
  to[2] = static_cast<char>(0x80 | (code >> 6 & 0x3f));
  to[3] = static_cast<char>(0x80 | (code & 0x3f));
  return 4;
}

std::string_view decode_escapes(std::string_view content, Arena& arena) {
  if (content.empty()) return {};
  char* const start = arena.buffer(content.size()).data();  // an escape is never shorter than what it means
  char* to = start;
  while (!content.empty()) {
    const auto* stop = static_cast<const char*>(std::memchr(content.data(), '\\', content.size()));
    const std::size_t plain = stop == nullptr ? content.size() : static_cast<std::size_t>(stop - content.data());
    std::memcpy(to, content.data(), plain);
    to += plain;
    content.remove_prefix(plain);
    if (content.empty()) break;
    const Decoded decoded = decode_one(content);
    if (decoded.length == 0) {
      *to++ = '\\';
      content.remove_prefix(1);
    } else {
      to += put_utf8(decoded.code_point, to);
      content.remove_prefix(decoded.length);
    }
  }
  return {start, static_cast<std::size_t>(to - start)};
}

std::string_view decode_string(const JsonToken& token, Arena& arena) {
  return token.escaped ? decode_escapes(token.content(), arena) : token.content();
}

namespace {

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
  const bool pair = is_high(unit) && is_low(unicode_escape(text.substr(6)));
  if (!pair && (is_high(unit) || is_low(unit))) return {6, "\\ufffd"};
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

std::size_t string_content_end(std::string_view text) {
  std::size_t at = text.find_first_of("\"\\");
  while (at != std::string_view::npos && text[at] == '\\') at = text.find_first_of("\"\\", std::min(at + 2, text.size()));
  return std::min(at, text.size());
}

}  // namespace mcpscan::app
