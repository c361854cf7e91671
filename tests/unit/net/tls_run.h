// Runs a TlsAnalyzer over a recorded session and keeps what it told: the next analyzer's events, the facts, the anomalies.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/tls_analyzer.h"
#include "support/tls_session.h"

namespace mcpscan::tests {

struct TlsEvent {
  char kind;  // f feed, g gap, h half close, e end
  Side side = Side::client;
  std::string bytes = {};
  std::uint64_t length = 0;
  std::uint64_t packet = 0;
  bool operator==(const TlsEvent&) const = default;
};

class TlsRecorder final : public model::StreamAnalyzer {
 public:
  explicit TlsRecorder(std::vector<TlsEvent>& events) : events_(events) {}
  void feed(Side from, std::string_view bytes, const model::Stamp& stamp) override { events_.push_back({'f', from, std::string(bytes), 0, stamp.source.number}); }
  void gap(Side from, std::uint64_t length, const model::Stamp& stamp) override { events_.push_back({'g', from, {}, length, stamp.source.number}); }
  void half_close(Side from, const model::Stamp& stamp) override { events_.push_back({'h', from, {}, 0, stamp.source.number}); }
  void finish(model::EndReason, const model::Stamp&) override { events_.push_back({'e'}); }
  bool interested() const override { return !bored; }
  bool bored = false;

 private:
  std::vector<TlsEvent>& events_;
};

struct TlsRun {
  explicit TlsRun(std::string_view key_log, const Limits& with = {}) : limits(with), keys(limits) {
    keys.add(key_log, "keys.log", anomalies);
    auto next = std::make_unique<TlsRecorder>(events);
    recorder = next.get();
    analyzer = net::make_tls_analyzer(limits, keys, std::move(next), anomalies, [this](const net::TlsFacts& told) {
      facts = told;
      ++reports;
    });
  }
  TlsRun(const TlsRun&) = delete;

  static model::Stamp stamp(std::uint64_t packet) { return {Time{static_cast<std::int64_t>(packet)}, {0, model::PlaceKind::packet, packet, 0}}; }
  void feed(Side from, std::string_view bytes, std::uint64_t packet = 1) { analyzer->feed(from, bytes, stamp(packet)); }
  void gap(Side from, std::uint64_t length) { analyzer->gap(from, length, stamp(1)); }
  void finish(model::EndReason reason = model::EndReason::evidence_ends) { analyzer->finish(reason, stamp(1)); }
  TlsRun& feed_all(const std::vector<TlsChunk>& wire) {
    for (const auto& chunk : wire) feed(chunk.from, chunk.bytes);
    return *this;
  }

  std::vector<std::string> fed(Side side) const {
    std::vector<std::string> result;
    for (const auto& event : events) {
      if (event.kind == 'f' && event.side == side) result.push_back(event.bytes);
    }
    return result;
  }
  std::string text(Side side) const {
    std::string result;
    for (const auto& bytes : fed(side)) result += bytes;
    return result;
  }
  std::size_t count(char kind) const {
    std::size_t n = 0;
    for (const auto& event : events) n += event.kind == kind;
    return n;
  }
  bool has_anomaly(const std::string& kind) const { return anomalies.entries().count(kind) > 0; }

  Limits limits;
  model::AnomalyLog anomalies;
  net::KeyLog keys;
  std::vector<TlsEvent> events;
  net::TlsFacts facts;
  int reports = 0;
  TlsRecorder* recorder = nullptr;  // the analyzer's
  std::unique_ptr<model::StreamAnalyzer> analyzer;
};

inline std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& part : parts) all += part;
  return all;
}

// Requests and replies of several sizes, as a client and a server of MCP exchange them.
inline void exchange_messages(TlsPeers& peers, int count = 6) {
  for (int i = 0; i < count; ++i) {
    peers.send(Side::client, fmt::format("POST /mcp HTTP/1.1\r\nMcp-Session-Id: s\r\n\r\n{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\"}}", i));
    peers.send(Side::server, fmt::format("event: message\r\ndata: {{\"id\":{},\"result\":\"{}\"}}\r\n\r\n", i, std::string(static_cast<std::size_t>(i) * 150, 'r')));
  }
}

inline TlsPeers& connected(TlsPeers& peers) {
  peers.connect();
  peers.handshake();
  return peers;
}

}  // namespace mcpscan::tests
