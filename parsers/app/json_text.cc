#include "app/json_text.h"

#include <cstring>

namespace mcpscan::app {

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The code unit of \uXXXX at the start of `text`, -1 if there is none.
int unicode_escape(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
  int value = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

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
    if (is_low(low)) return {0x10000u + ((static_cast<std::uint32_t>(unit) - 0xd800) << 10) + (static_cast<std::uint32_t>(low) - 0xdc00), 12};
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

std::string_view repaired_copy(std::string_view text, Arena& arena) {
  constexpr std::size_t kGrowth = 3;  // one bad byte becomes the three of U+FFFD
  char* const start = arena.buffer(text.size() * kGrowth).data();
  char* to = start;
  while (!text.empty()) {
    std::size_t taken = utf8_length(text);
    if (taken == 0) {
      to += put_utf8(kReplacement, to);
      taken = 1;
    } else if (text[0] == '\\' && text.size() > 1) {
      const int unit = unicode_escape(text);
      const bool pair = is_high(unit) && is_low(unicode_escape(text.substr(6)));
      const bool lone = !pair && (is_high(unit) || is_low(unit));
      taken = pair ? 12 : lone ? 6 : utf8_length(text.substr(1)) == 1 ? 2 : 1;
      std::memcpy(to, lone ? "\\ufffd" : text.data(), taken);
      to += taken;
    } else {
      std::memcpy(to, text.data(), taken);
      to += taken;
    }
    text.remove_prefix(taken);
  }
  return {start, static_cast<std::size_t>(to - start)};
}

std::size_t string_content_end(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    i = text.find_first_of("\"\\", i);
    if (i == std::string_view::npos) return text.size();
    if (text[i] == '"') return i;
    ++i;
  }
  return text.size();
}

}  // namespace mcpscan::app
