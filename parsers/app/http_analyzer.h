// HttpAnalyzer: the bytes of one connection in, observations out: HTTP/1.0 and 1.1 (RFC 9112), HTTP/2 cleartext or after TLS
// (RFC 9113), SSE (WHATWG), content codings, MCP transports of 2024-11-05 to 2026-07-28. Told apart by the first bytes.
// Contract: StreamAnalyzer's. Owns its buffers, bounded by Limits; observations go to `sink` as soon as they are complete.
// A message's `exchange` is unique within the input set; its `stream` says on which kind of stream it came.
#pragma once

#include <memory>

#include "base/limits.h"
#include "model/anomaly.h"
#include "model/stream_analyzer.h"

namespace mcpscan::app {

struct HttpState;
class ExchangeRecorder;

// What all connections of one input set share. Not thread-safe: one for each thread that feeds connections, and a connection
// stays with its own.
struct HttpShared {
  const Limits& limits;
  model::ObservationSink& sink;
  model::AnomalyLog& anomalies;
  std::uint64_t next_exchange = 1;
  std::uint64_t exchanges_not_mcp = 0;    // HTTP exchanges that carried nothing of MCP
  std::shared_ptr<HttpState> state = {};  // made with the first analyzer: scratch memory, budgets, URLs known to be MCP's
  ExchangeRecorder* recorder = nullptr;   // may be null
  bool lost_bytes_may_be_mcp = false;     // some are missing that belong to no exchange which is known not to be
};

std::unique_ptr<model::StreamAnalyzer> make_http_analyzer(HttpShared& shared, const model::FlowInfo& flow);

}  // namespace mcpscan::app
