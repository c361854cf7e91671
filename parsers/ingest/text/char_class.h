// CharClass: byte classes of log text as one table look-up, and the few scans built on them. Bytes above 0x7f belong to no
// class but `word_tail`, so that names in UTF-8 stay whole. No locale. No state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mcpscan::ingest {

enum CharBit : std::uint8_t {
  kDigit = 1,
  kHexLetter = 2,
  kLetter = 4,
  kBlank = 8,       // space, tab, CR, LF: what a blank of a template stands for
  kLoggerMark = 16, // . _ - / $ inside a logger's name
  kVisible = 32,    // 0x21..0x7e
  kPeerMark = 64,   // . : - [ ] % _ of an address
};

namespace detail {
constexpr std::array<std::uint8_t, 256> make_char_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0x21; c < 0x7f; ++c) table[c] |= kVisible;
  for (unsigned c = '0'; c <= '9'; ++c) table[c] |= kDigit;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] |= kLetter, table[c - 32] |= kLetter;
  for (unsigned c = 'a'; c <= 'f'; ++c) table[c] |= kHexLetter, table[c - 32] |= kHexLetter;
  for (const char c : {' ', '\t', '\r', '\n'}) table[static_cast<unsigned char>(c)] |= kBlank;
  for (const char c : {'.', '_', '-', '/', '$'}) table[static_cast<unsigned char>(c)] |= kLoggerMark;
  for (const char c : {'.', ':', '-', '[', ']', '%', '_'}) table[static_cast<unsigned char>(c)] |= kPeerMark;
  return table;
}
inline constexpr std::array<std::uint8_t, 256> kCharTable = make_char_table();
}  // namespace detail

constexpr bool is_a(char c, unsigned bits) { return (detail::kCharTable[static_cast<unsigned char>(c)] & bits) != 0; }
constexpr bool is_digit(char c) { return static_cast<unsigned>(c - '0') < 10; }
constexpr char shape_of(char c) { return is_digit(c) ? '1' : c; }  // see shape_memo.h
constexpr bool is_blank(char c) { return is_a(c, kBlank); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Length of the run of bytes in `bits` from `from` on.
inline std::size_t run_of(std::string_view text, std::size_t from, unsigned bits) {
  std::size_t at = from;
  while (at < text.size() && is_a(text[at], bits)) ++at;
  return at - from;
}

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

inline std::string_view trim_right(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

// A decimal number of at most 18 digits; `digits` of them were read, 0 when there is none.
struct Decimal {
  std::int64_t value = 0;
  std::size_t digits = 0;
};
inline Decimal read_decimal(std::string_view text, std::size_t from = 0) {
  Decimal result;
  while (from < text.size() && is_digit(text[from]) && result.digits < 18) {
    result.value = result.value * 10 + (text[from++] - '0');
    ++result.digits;
  }
  return result;
}

}  // namespace mcpscan::ingest
