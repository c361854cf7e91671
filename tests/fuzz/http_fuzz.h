// What the HTTP fuzzers share: an input is cut into pieces for both sides, with gaps, closes and small bounds on the way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "app/body_messages.h"
#include "app/http_analyzer.h"

namespace mcpscan::tests {

// Touches every byte that an observation points to, so that a view into freed memory is found.
class ReadingSink final : public model::ObservationSink {
 public:
  void observe(const model::Observation& o) override {
    read(o.session), read(o.text), read(o.event_id);
    if (o.message != nullptr) read(o.message->text), read(o.message->method), read(o.message->id.raw), read(o.message->target);
    if (o.http == nullptr) return;
    for (const auto field :
         {o.http->method, o.http->path, o.http->host, o.http->user_agent, o.http->content_type, o.http->session_id,
          o.http->response_session_id, o.http->mcp_name, o.http->mcp_method, o.http->last_event_id, o.http->peer, o.http->server}) {
      read(field);
    }
  }
  std::uint64_t sum = 0;

 private:
  void read(std::string_view text) {
    for (const char c : text) sum += static_cast<unsigned char>(c);
  }
};

// Each piece is led by a control byte: bit 0 the side, bits 1 to 3 what happens, the rest the length in eighths.
inline void run_http(std::string_view input, bool saw_start, std::string_view client_first) {
  Limits limits;
  limits.header_bytes = 2048;
  limits.body_bytes = 4096;
  limits.http_buffer_bytes = 16384;
  limits.early_response_bytes = 2048;
  limits.sniff_bytes = 4096;
  limits.pipelined_requests = 4;
  limits.http2_streams = 4;
  limits.expansion_floor_bytes = 1u << 20;
  ReadingSink sink;
  model::AnomalyLog anomalies;
  app::BodyMessages messages{limits, anomalies, sink};
  app::HttpShared shared{limits, messages, anomalies};
  model::FlowInfo flow;
  flow.connection = 1;
  flow.saw_start = saw_start;
  const auto analyzer = app::make_http_analyzer(shared, flow);
  const model::Stamp stamp{{1}, {}};
  analyzer->feed(model::Side::client, client_first, stamp);
  while (!input.empty() && analyzer->interested()) {
    const unsigned control = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    const model::Side side = (control & 1) != 0 ? model::Side::server : model::Side::client;
    const std::size_t length = std::min<std::size_t>((control >> 4) * 24 + 1, input.size());
    switch (control >> 1 & 7) {
      case 0:
        analyzer->gap(side, control >> 4, stamp);
        break;
      case 1:
        analyzer->half_close(side, stamp);
        break;
      default:
        analyzer->feed(side, input.substr(0, length), stamp);
        input.remove_prefix(length);
    }
  }
  analyzer->finish(model::EndReason::evidence_ends, stamp);
}

}  // namespace mcpscan::tests
