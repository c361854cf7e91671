// module: ingest
// Spans of trace exports on any bytes: no crash, and what is told lies within the line or the arena and in order.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text_bytes.h"
#include "ingest/otlp/span_line.h"
#include "ingest/text/json_records.h"

namespace {

using namespace mcpscan;

void read_lines(std::string_view text) {
  Arena arena;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    ingest::SpanFacts span;
    std::size_t column = 0;
    const auto reading = ingest::read_span_line(text.substr(at, end - at), arena, span, column);
    if (reading == ingest::SpanReading::broken && column > end - at) std::abort();
    if (reading == ingest::SpanReading::span && (!span.start.known() || !span.end.known())) std::abort();
    arena.reset();
    at = end + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_lines(text);
  const Limits limits;
  const ingest::RecordForm* form = ingest::record_form(text);
  TextBytes bytes{std::string(text)};
  ingest::JsonRecordLines lines(bytes, form != nullptr ? *form : *ingest::record_form(R"({"resourceSpans":[]})"), limits);
  std::string all, room(4096, '\0');
  while (const std::size_t count = lines.read(room)) all.append(room, 0, count);
  read_lines(all);
  return 0;
}
