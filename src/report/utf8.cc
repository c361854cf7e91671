#include "report/utf8.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace mcpscan::report {
namespace {

struct Range {
  char32_t from, to;
};

constexpr std::array kCombining{
    Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd}, Range{0x05bf, 0x05c7}, Range{0x0610, 0x061a},
    Range{0x064b, 0x065f}, Range{0x0670, 0x0670}, Range{0x06d6, 0x06dc}, Range{0x06df, 0x06e4}, Range{0x0900, 0x0902},
    Range{0x093c, 0x093c}, Range{0x0941, 0x0948}, Range{0x094d, 0x094d}, Range{0x0e31, 0x0e31}, Range{0x0e34, 0x0e3a},
    Range{0x0e47, 0x0e4e}, Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff}, Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f},
    Range{0xfe20, 0xfe2f}};

constexpr std::array kWide{
    Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x23e9, 0x23ec},   Range{0x25fd, 0x25fe},   Range{0x2614, 0x2615},
    Range{0x2648, 0x2653},   Range{0x26a1, 0x26a1},   Range{0x26d4, 0x26d4},   Range{0x2705, 0x2705},   Range{0x270a, 0x270b},
    Range{0x2728, 0x2728},   Range{0x274c, 0x274c},   Range{0x2753, 0x2757},   Range{0x2795, 0x2797},   Range{0x2b50, 0x2b55},
    Range{0x2e80, 0x303e},   Range{0x3041, 0x33ff},   Range{0x3400, 0x4dbf},   Range{0x4e00, 0x9fff},   Range{0xa000, 0xa4cf},
    Range{0xa960, 0xa97f},   Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},
    Range{0xffe0, 0xffe6},   Range{0x17000, 0x18cff}, Range{0x1b000, 0x1b2ff}, Range{0x1f004, 0x1f004}, Range{0x1f0cf, 0x1f0cf},
    Range{0x1f18e, 0x1f18e}, Range{0x1f191, 0x1f19a}, Range{0x1f200, 0x1f2ff}, Range{0x1f300, 0x1f64f}, Range{0x1f680, 0x1f6ff},
    Range{0x1f7e0, 0x1f7eb}, Range{0x1f900, 0x1f9ff}, Range{0x1fa70, 0x1faff}, Range{0x20000, 0x3fffd}};

template <std::size_t N>
bool inside(const std::array<Range, N>& ranges, char32_t value) {
  const auto next = std::upper_bound(ranges.begin(), ranges.end(), value, [](char32_t v, const Range& r) { return v < r.from; });
  return next != ranges.begin() && value <= std::prev(next)->to;
}

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

unsigned sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_at(text, at);
  const unsigned length = sequence_length(lead);
  if (length == 1) return {lead, 1, true};
  const CodePoint bad{lead, 1, false};
  if (length == 0 || text.size() - at < length) return bad;
  char32_t value = lead & (0x7fu >> length);
  for (unsigned i = 1; i < length; ++i) {
    const unsigned char next = byte_at(text, at + i);
    if ((next & 0xc0) != 0x80) return bad;
    value = value << 6 | (next & 0x3fu);
  }
  if (value < kSmallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return bad;
  return {value, static_cast<unsigned char>(length), true};
}

unsigned cell_width(char32_t value) {
  if (value < 0x300) return 1;
  if (inside(kCombining, value)) return 0;
  return inside(kWide, value) ? 2 : 1;
}

std::size_t text_width(std::string_view text) {
  std::size_t cells = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    cells += point.valid ? cell_width(point.value) : 1;
    at += point.length;
  }
  return cells;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  // Of an invalid run any cut is as good as another, so three steps back are enough.
  std::size_t end = bytes;
  while (end > 0 && bytes - end < 3 && (byte_at(text, end) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace mcpscan::report
