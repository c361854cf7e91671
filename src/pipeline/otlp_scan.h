// Reads the spans of a trace export as the calls they tell of: a request where an MCP span begins, its reply (or that the client gave it up)
// where it ends, in the order of time. Each service and side of it is a source of evidence of its own, since a trace shows one call at
// several hops. A span that names no session stands alone: ids of different sessions are alike, and comparing them would accuse the wrong.
// Payloads are not in a span: messages are marked as cut, so that no rule judges by what they hold.
// Threads: none. Memory: the spans that wait for their turn. Bound: Limits::otlp_spans; past it the earliest event is told too early.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "ingest/otlp/span_line.h"
#include "model/finding.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

struct OtlpScanOptions {
  Time since, until;
};

using SpanSink = FunctionRef<model::ObservationSink&(std::string_view service, ingest::SpanSide side)>;

// `lines` are those of JsonRecordLines for spans. Fills `row`'s books, anomalies, times and vantage.
void scan_spans(ByteReader& lines, std::uint32_t input, const OtlpScanOptions& options, const Limits& limits, SpanSink sink_of, model::InputRow& row,
                FunctionRef<void(std::uint64_t)> progress);

}  // namespace mcpscan::pipeline
