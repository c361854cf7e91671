#include "engine/tool_name.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace mcpscan::engine {
namespace {

struct Alike {
  std::uint32_t code;
  char latin;
};
// Cyrillic and Greek letters with the shape of a Latin one.
constexpr std::array<Alike, 48> kAlike{{
    {0x391, 'A'}, {0x392, 'B'}, {0x395, 'E'}, {0x396, 'Z'}, {0x397, 'H'}, {0x399, 'I'}, {0x39A, 'K'}, {0x39C, 'M'}, {0x39D, 'N'}, {0x39F, 'O'}, {0x3A1, 'P'}, {0x3A4, 'T'},
    {0x3A5, 'Y'}, {0x3A7, 'X'}, {0x3B1, 'a'}, {0x3B9, 'i'}, {0x3BD, 'v'}, {0x3BF, 'o'}, {0x3C1, 'p'}, {0x3C5, 'u'}, {0x405, 'S'}, {0x406, 'I'}, {0x408, 'J'}, {0x410, 'A'},
    {0x412, 'B'}, {0x415, 'E'}, {0x41A, 'K'}, {0x41C, 'M'}, {0x41D, 'H'}, {0x41E, 'O'}, {0x420, 'P'}, {0x421, 'C'}, {0x422, 'T'}, {0x425, 'X'}, {0x430, 'a'}, {0x435, 'e'},
    {0x43E, 'o'}, {0x440, 'p'}, {0x441, 'c'}, {0x443, 'y'}, {0x445, 'x'}, {0x455, 's'}, {0x456, 'i'}, {0x458, 'j'}, {0x501, 'd'}, {0x51B, 'q'}, {0x51D, 'w'}, {0x261, 'g'},
}};

bool is_unseen(std::uint32_t code) {
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) || (code >= 0x2060 && code <= 0x2064) || code == 0xFEFF || code == 0xAD || code == 0x34F ||
         (code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xE0000 && code <= 0xE007F);
}

// The code point at `at` and how many bytes it has; a broken sequence is one byte that stands for itself.
std::uint32_t code_at(std::string_view text, std::size_t at, std::size_t& bytes) {
  const auto lead = static_cast<unsigned char>(text[at]);
  bytes = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (bytes == 1 || at + bytes > text.size()) return bytes = 1, lead;
  std::uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  return code;
}

}  // namespace

std::string look_of(std::string_view name) {
  constexpr std::uint32_t kFullWidth = 0xFF01, kFullWidthEnd = 0xFF5E;
  std::string look;
  for (std::size_t at = 0, bytes = 1; at < name.size(); at += bytes) {
    const std::uint32_t code = code_at(name, at, bytes);
    const auto alike = std::find_if(kAlike.begin(), kAlike.end(), [code](const Alike& entry) { return entry.code == code; });
    if (is_unseen(code)) continue;
    if (alike != kAlike.end()) look += alike->latin;
    else if (code >= kFullWidth && code <= kFullWidthEnd) look += static_cast<char>('!' + (code - kFullWidth));
    else look += name.substr(at, bytes);
  }
  return look;
}

}  // namespace mcpscan::engine
