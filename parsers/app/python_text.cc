#include "app/python_text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/hex_digit.h"

namespace mcpscan::app {

namespace {

struct Copy {
  const char* from;
  const char* end;
  char* to;
};

// Copies up to the next backslash, `quote` or the end.
void copy_plain(Copy& copy, char quote) {
#if defined(__SSE2__)
  for (; copy.end - copy.from >= 16; copy.from += 16, copy.to += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(copy.from));
    const __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')), _mm_cmpeq_epi8(v, _mm_set1_epi8(quote)));
    // The target is as long as the source and never ahead of it: 16 bytes fit.
    _mm_storeu_si128(reinterpret_cast<__m128i*>(copy.to), v);
    const int mask = _mm_movemask_epi8(stop);
    if (mask != 0) {
      const int plain = __builtin_ctz(static_cast<unsigned>(mask));
      copy.from += plain;
      copy.to += plain;
      return;
    }
  }
#endif
  while (copy.from < copy.end && *copy.from != '\\' && *copy.from != quote) *copy.to++ = *copy.from++;
}

// Undoes the escape at the position (a backslash).
void copy_escape(Copy& copy) {
  const std::ptrdiff_t left = copy.end - copy.from;
  const char kind = left > 1 ? copy.from[1] : '\0';
  switch (kind) {
    case '\\': case '\'': case '"': *copy.to++ = kind; break;
    case 'n': *copy.to++ = '\n'; break;
    case 'r': *copy.to++ = '\r'; break;
    case 't': *copy.to++ = '\t'; break;
    case 'x':
      if (left >= 4 && hex_digit(copy.from[2]) >= 0 && hex_digit(copy.from[3]) >= 0) {
        *copy.to++ = static_cast<char>(hex_digit(copy.from[2]) * 16 + hex_digit(copy.from[3]));
        copy.from += 4;
        return;
      }
      [[fallthrough]];
    default:
      *copy.to++ = '\\';
      copy.from += 1;
      return;
  }
  copy.from += 2;
}

}  // namespace

PythonBytes unescape_python_bytes(std::string_view text, Arena& arena) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text.size() - start < 2) return {};
  const char quote = text[start + 1];
  if ((text[start] != 'b' && text[start] != 'B') || (quote != '\'' && quote != '"')) return {};
  const std::string_view literal = text.substr(start + 2);
  char* const begin = arena.buffer(literal.size() + 1).data();
  Copy copy{literal.data(), literal.data() + literal.size(), begin};
  while (copy.from < copy.end) {
    copy_plain(copy, quote);
    if (copy.from == copy.end || *copy.from == quote) break;
    copy_escape(copy);
  }
  const bool closed = copy.from < copy.end;
  const std::size_t consumed = static_cast<std::size_t>(copy.from - text.data()) + (closed ? 1 : 0);
  return {{begin, static_cast<std::size_t>(copy.to - begin)}, consumed, closed, true};
}

}  // namespace mcpscan::app
