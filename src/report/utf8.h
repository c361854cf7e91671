// UTF-8 one code point at a time, for text nobody vouches for, and how many terminal cells a code point takes.
// Not a converter: an invalid byte comes back as itself with valid == false, one byte long, and reading goes on after it.
// Source: RFC 3629 (no overlong forms, no surrogates); widths after Unicode TR 11, the ranges that logs really hold.
#pragma once

#include <cstddef>
#include <string_view>

namespace mcpscan::report {

struct CodePoint {
  char32_t value = 0;
  unsigned char length = 1;  // bytes taken, never 0
  bool valid = true;
};

// The code point at `at`, which must be inside `text`.
CodePoint decode_utf8(std::string_view text, std::size_t at);

// 0 for combining marks, 2 for East Asian wide and emoji, else 1. Controls are escaped before anyone asks.
unsigned cell_width(char32_t value);

// Cells of a text that holds no control characters.
std::size_t text_width(std::string_view text);

// The longest prefix of at most `bytes` bytes that does not cut a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

}  // namespace mcpscan::report
