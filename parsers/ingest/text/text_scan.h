// scan_text: one pass over a chunk of text that counts its line ends and tells whether it holds a byte that needs work (a NUL, or
// the first byte of a UTF-8 byte order mark). It looks at 16 bytes at a time, so that ordinary text costs no more than the read.
// Not a validator: whether a 0xEF begins a mark is for the caller to see. No state, any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace mcpscan::ingest {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

struct TextScan {
  std::size_t newlines = 0;
  bool has_nul = false;
  bool has_mark_lead = false;  // a byte 0xEF
};

TextScan scan_text(std::string_view text);

}  // namespace mcpscan::ingest
