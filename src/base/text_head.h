// text_head(): the first `bytes` of a text, or a little less: never cut inside a UTF-8 sequence.
#pragma once

#include <cstddef>
#include <string_view>

namespace mcpscan {

inline std::string_view text_head(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace mcpscan
