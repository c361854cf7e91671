#include "base/json_escapes.h"

#include <algorithm>

#include "base/hex_digit.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mcpscan {

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;
constexpr std::size_t kLongestUtf8 = 4;

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
  if (is_high_surrogate(unit)) {
    const int low = unicode_escape(text.substr(6));
    if (is_low_surrogate(low)) return {0x10000u + (static_cast<std::uint32_t>(unit - 0xd800) << 10) + static_cast<std::uint32_t>(low - 0xdc00), 12};
  }
  return {static_cast<std::uint32_t>(unit), 6};
}

// Copies what stands before the next backslash, as far as there is room; the bytes copied.
std::size_t copy_plain(std::string_view content, char* to, std::size_t room) {
  const std::size_t most = std::min(content.size(), room);
  std::size_t at = 0;
#if defined(__SSE2__)
  const __m128i slash = _mm_set1_epi8('\\');
  for (; at + 16 <= most; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(content.data() + at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), bytes);
    const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, slash));
    if (mask != 0) return at + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
  }
#endif
  for (; at < most && content[at] != '\\'; ++at) to[at] = content[at];
  return at;
}

}  // namespace

int unicode_escape(std::string_view text) { return text.substr(0, 2) == "\\u" ? hex4(text.substr(2)) : -1; }

bool is_high_surrogate(int unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low_surrogate(int unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

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

std::size_t decode_piece(std::string_view& content, std::span<char> room) {
  char* to = room.data();
  char* const end = to + room.size();
  while (!content.empty()) {
    const auto left = static_cast<std::size_t>(end - to);
    const std::size_t plain = copy_plain(content, to, left);
    to += plain;
    content.remove_prefix(plain);
    const std::size_t still = left - plain;
    if (content.empty() || (still < kLongestUtf8 && still < content.size())) break;
    if (content[0] != '\\') continue;
    const Decoded decoded = decode_one(content);
    if (decoded.length == 0) *to++ = '\\';
    else to += put_utf8(decoded.code_point, to);
    content.remove_prefix(std::max<std::size_t>(decoded.length, 1));
  }
  return static_cast<std::size_t>(to - room.data());
}

std::size_t string_content_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

}  // namespace mcpscan
