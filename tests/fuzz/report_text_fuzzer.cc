// module: report
// Whatever the bytes: escaped text is printable UTF-8 that fits its width, masking twice is masking once, no pseudonym is shorter, JSON stays JSON.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/escape.h"
#include "report/layout.h"
#include "report/pseudonyms.h"
#include "report/redact.h"
#include "report/utf8.h"

using namespace mcpscan::report;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_terminal(std::string_view text, std::size_t width) {
  const std::string shown = escape_terminal(text);
  for (std::size_t at = 0; at < shown.size();) {
    const CodePoint point = decode_utf8(shown, at);
    require(point.valid && point.value >= 0x20 && (point.value < 0x7f || point.value > 0x9f));
    at += point.length;
  }
  for (const std::string& line : wrapped(shown, width, width)) require(text_width(line) <= std::max<std::size_t>(width, 2));
  require(text_width(shortened(shown, width)) <= width);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_terminal(text, data[0]);
  const std::string masked = mask_secrets(text);
  require(mask_secrets(masked) == masked);
  Pseudonyms names;
  require(names.text(text).size() >= text.size());
  std::string json;
  append_json_string(json, text);
  require(nlohmann::json::accept(json));
  return 0;
}
