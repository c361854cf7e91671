// module: app
// An event stream gives the same events whole and in two pieces, whatever it holds; a gap never breaks it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/sse_reader.h"

namespace {

using mcpscan::app::SseEvent;
using mcpscan::app::SseReader;

std::string read(std::string_view text, std::size_t cut, bool gap) {
  SseReader reader(64);
  std::string events;
  const auto yield = [&](const SseEvent& event) {
    events.append(event.type).append("|").append(event.id).append("|").append(event.data).append(event.truncated ? "!" : ";");
  };
  reader.feed(text.substr(0, cut), yield);
  if (gap) reader.gap(yield);
  reader.feed(text.substr(cut), yield);
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = text.empty() ? 0 : data[0] % text.size();
  if (read(text, 0, false) != read(text, cut, false)) std::abort();
  read(text, cut, true);
  return 0;
}
