// ExchangeRecorder: is shown the HTTP exchanges of captures as they were understood, whatever carried them: heads, and bodies without
// transfer coding or HTTP/2 framing, still in their content coding. For who wants to write the same traffic down again.
// Ownership: what it is given is valid during the call. Threads: as the analyzers'. Order: that of the evidence, exchange by exchange interleaved.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/http_head.h"
#include "model/stream_analyzer.h"

namespace mcpscan::app {

class ExchangeRecorder {
 public:
  virtual ~ExchangeRecorder() = default;
  virtual void head(std::uint64_t exchange, const model::FlowInfo& flow, model::Side from, const HttpHead& head, const model::Stamp& stamp) = 0;
  virtual void body(std::uint64_t exchange, model::Side from, std::string_view bytes, const model::Stamp& stamp) = 0;
  // The message of this side is complete.
  virtual void complete(std::uint64_t exchange, model::Side from, const model::Stamp& stamp) = 0;
  // Bytes of this side's body are missing.
  virtual void missing(std::uint64_t exchange, model::Side from, const model::Stamp& stamp) = 0;
  virtual void client_closed(std::uint64_t exchange, const model::Stamp& stamp) = 0;
  // `is_mcp`: something of MCP was in it.
  virtual void end(std::uint64_t exchange, bool is_mcp, model::EndReason reason, const model::Stamp& stamp) = 0;
};

}  // namespace mcpscan::app
