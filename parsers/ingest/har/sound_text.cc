#include "ingest/har/sound_text.h"

namespace mcpscan::ingest {
namespace {

// Bytes of the well-formed sequence at `at`; 0 when there is none.
std::size_t sequence_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead < 0xf0) {
    const bool fits = (lead != 0xe0 || second >= 0xa0) && (lead != 0xed || second < 0xa0);
    return fits && follows(1) && follows(2) ? 3 : 0;
  }
  const bool fits = lead >= 0xf0 && lead <= 0xf4 && (lead != 0xf0 || second >= 0x90) && (lead != 0xf4 || second < 0x90);
  return fits && follows(1) && follows(2) && follows(3) ? 4 : 0;
}

}  // namespace

void make_sound(std::string_view text, std::size_t padding, std::string& copy) {
  copy.assign(text);
  copy.append(padding, ' ');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_at(text, at);
    if (length == 0) copy[at] = '?';
    else if (static_cast<unsigned char>(text[at]) < 0x20) copy[at] = ' ';
    at += length == 0 ? 1 : length;
  }
}

}  // namespace mcpscan::ingest
