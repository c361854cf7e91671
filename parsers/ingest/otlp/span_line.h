// One span of a trace, as a line of JsonRecordLines ({"resource":...,"span":{...}}), told as the facts of an MCP call: names of the semantic
// conventions for MCP, and the older ones that SDKs and frameworks still set. Two forms: OTLP's JSON, and Jaeger's export.
// Not here: order, pairing, observations (src/pipeline/otlp_scan). Views point into the line or the arena. Threads: none of its own.
// Source: OTLP 1.x file exporter, opentelemetry.proto.trace.v1; OpenTelemetry semantic conventions for MCP (development); Jaeger JSON.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "base/time.h"
#include "ingest/text/json_scan.h"

namespace mcpscan::ingest {

enum class SpanSide : std::uint8_t { unknown, client, server };

struct SpanFacts {
  SpanSide side = SpanSide::unknown;
  Time start, end;
  std::string_view service, name, span, trace;
  std::string_view method, tool, session, id, protocol_version;
  std::string_view error_type, error_code, error_message;
  std::string_view arguments;              // JSON as it stood
  std::string_view client_address, server_address, transport;
  bool failed = false;

  bool is_mcp() const { return !method.empty(); }
};

enum class SpanReading : std::uint8_t { span, broken, no_span, no_time };

// `column`: from 0, where a broken line stopped being JSON.
SpanReading read_span_line(std::string_view line, Arena& arena, SpanFacts& span, std::size_t& column);

}  // namespace mcpscan::ingest
