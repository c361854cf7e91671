// The value of a hexadecimal digit: what the escapes of JSON and Python are made of. Pure functions.
#pragma once

#include <string_view>

namespace mcpscan {

// -1 for anything else.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The value of the four digits at the start of `text`, -1 if they are not.
constexpr int hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace mcpscan
