// Feeds an HTTP analyzer and writes what it yields as text, one line an observation, so that a test reads like a log.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "app/body_messages.h"
#include "app/http_analyzer.h"
#include "support/split.h"

namespace mcpscan::tests {

using model::EndReason;
using model::Side;

inline std::string_view word(model::StreamKind kind) {
  static constexpr std::string_view kWords[] = {"-", "post", "get", "resume", "legacy", "listen", "stdio"};
  return kWords[static_cast<std::size_t>(kind)];
}

inline std::string_view word(EndReason reason) {
  static constexpr std::string_view kWords[] = {"unknown",         "complete",        "closed_by_client", "closed_by_server",
                                                "reset_by_client", "reset_by_server", "evidence_ends",    "evidence_gap"};
  return kWords[static_cast<std::size_t>(reason)];
}

inline std::string_view word(model::MessageKind kind) {
  static constexpr std::string_view kWords[] = {"request", "notification", "result", "error", "invalid"};
  return kWords[static_cast<std::size_t>(kind)];
}

class Recorder final : public model::ObservationSink {
 public:
  void observe(const model::Observation& o) override {
    std::string line = fmt::format("#{} ", o.exchange);
    if (o.kind == model::ObservationKind::exchange_request) line += fmt::format("{} {}", o.http->method, o.http->path);
    if (o.kind == model::ObservationKind::exchange_response) line += fmt::format("{}{}", o.http->status, o.http->is_sse ? " sse" : "");
    if (o.kind == model::ObservationKind::exchange_end)
      line += fmt::format("end {} {}/{}", word(o.http->end), o.http->request_bytes, o.http->response_bytes);
    if (o.kind == model::ObservationKind::gap) line += fmt::format("gap {}", o.gap->bytes);
    if (o.message != nullptr) line += message(o);
    if (o.kind != model::ObservationKind::exchange_end)
      line += fmt::format(" [{}{}{}]", word(o.stream), o.session.empty() ? "" : " ", o.session);
    if (stamps) line += fmt::format(" @{}", o.source.number);
    lines.push_back(line);
    if (o.http != nullptr) last_peer = o.http->peer, last_server = o.http->server;
  }

  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }

  std::vector<std::string> lines;
  std::string last_peer, last_server;
  bool stamps = false;

 private:
  static std::string message(const model::Observation& o) {
    const model::RpcMessage& m = *o.message;
    std::string line = fmt::format("{} {}", o.direction == model::Direction::client_to_server ? '>' : '<', word(m.kind));
    if (!m.id.raw.empty()) line += fmt::format(" {}", m.id.raw);
    if (!m.method.empty()) line += fmt::format(" {}", m.method);
    if (m.batch_size > 0) line += fmt::format(" {}/{}", m.batch_index, m.batch_size);
    if (!o.event_id.empty()) line += fmt::format(" event {}", o.event_id);
    if ((m.defects & model::kTruncated) != 0) line += " truncated";
    return line;
  }
};

// One connection, client 192.0.2.1:40000, server 198.51.100.7:8000.
class Wire {
 public:
  explicit Wire(bool saw_start = true, Limits with = {}, bool saw_server = false) : limits(with) {
    model::FlowInfo flow;
    flow.connection = 1;
    flow.saw_start = saw_start;
    flow.saw_server = saw_server;
    flow.key.client.address = {192, 0, 2, 1};
    flow.key.client.port = 40000;
    flow.key.server.address = {198, 51, 100, 7};
    flow.key.server.port = 8000;
    analyzer = app::make_http_analyzer(shared, flow);
  }

  Wire& client(std::string_view bytes) { return feed(Side::client, bytes); }
  Wire& server(std::string_view bytes) { return feed(Side::server, bytes); }
  Wire& feed(Side from, std::string_view bytes) {
    analyzer->feed(from, bytes, next_stamp());
    return *this;
  }
  Wire& gap(Side from, std::uint64_t length) {
    analyzer->gap(from, length, next_stamp());
    return *this;
  }
  Wire& close(Side from) {
    analyzer->half_close(from, next_stamp());
    return *this;
  }
  // Ends the connection; what was observed.
  std::vector<std::string> end(EndReason reason = EndReason::complete) {
    analyzer->finish(reason, next_stamp());
    return recorder.lines;
  }
  bool noticed(const std::string& anomaly) const { return anomalies.entries().count(anomaly) > 0; }

  Limits limits;
  Recorder recorder;
  model::AnomalyLog anomalies;
  app::BodyMessages messages{limits, anomalies, recorder};
  app::HttpShared shared{limits, messages, anomalies};
  std::unique_ptr<model::StreamAnalyzer> analyzer;

 private:
  model::Stamp next_stamp() {
    ++packets_;
    return {{static_cast<std::int64_t>(packets_) * 1000}, {0, model::PlaceKind::packet, packets_, 0}};
  }
  std::uint64_t packets_ = 0;
};

inline std::string post(std::string_view body, std::string_view fields = "Mcp-Session-Id: s1\r\n", std::string_view target = "/mcp") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}", target, fields,
                     body.size(), body);
}
inline std::string call(int id) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"t","arguments":{{}}}}}})", id);
}
inline std::string result(int id) { return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}})", id); }
inline std::string json_reply(std::string_view body, std::string_view fields = "") {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}", fields, body.size(), body);
}
inline std::string sse_head() { return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"; }
inline std::string chunk(std::string_view data) { return fmt::format("{:x}\r\n{}\r\n", data.size(), data); }
inline std::string event(std::string_view data) { return fmt::format("event: message\ndata: {}\n\n", data); }
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

using Lines = std::vector<std::string>;

}  // namespace mcpscan::tests
