#include "pipeline/capture_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "app/body_messages.h"
#include "app/http_analyzer.h"
#include "net/capture_reader.h"
#include "net/flow_table.h"
#include "pipeline/joined_streams.h"
#include "pipeline/observation_relay.h"

namespace mcpscan::pipeline {

using model::FlowInfo;
using model::StreamAnalyzer;

namespace {

constexpr std::size_t kNamesShown = 5;
constexpr std::uint64_t kProgressEvery = 1 << 16;  // packets

// TLS hides the exchanges of these connections; what is known of them all the same.
struct TlsTally {
  std::uint64_t connections = 0, read = 0, bytes = 0;
  std::set<std::string> servers, reasons;

  void note(const net::TlsFacts& facts) {
    ++connections;
    if (facts.decrypted) {
      ++read;
      return;
    }
    bytes += facts.bytes_from_client + facts.bytes_from_server;
    if (!facts.server_name.empty()) servers.insert(facts.server_name);
    reasons.insert(facts.why_not);
  }
};

// Keeps the input's place words and its own time window in front of the tracker.
class WindowSink : public model::ObservationSink {
 public:
  WindowSink(model::ObservationSink& next, const CaptureScanOptions& options) : next_(next), options_(options) {}
  void observe(const model::Observation& seen) override {
    if (options_.since.known() && seen.at.known() && seen.at < options_.since) return;
    if (options_.until.known() && seen.at.known() && seen.at > options_.until) return;
    next_.observe(seen);
  }

 private:
  model::ObservationSink& next_;
  const CaptureScanOptions& options_;
};

void tell_gap(std::string_view reason, std::uint32_t input, std::uint64_t packet, Time at, model::ObservationSink& sink) {
  const model::GapFacts facts{0, reason, true};
  model::Observation gap;
  gap.kind = model::ObservationKind::gap;
  gap.source = {input, model::PlaceKind::packet, packet, 0};
  gap.at = at;
  gap.gap = &facts;
  sink.observe(gap);
}

// TLS hides what this connection's client asked of its server, and in which sessions. Without its handshake either end may be the server.
void tell_unread(const FlowInfo& flow, const model::Stamp& stamp, model::ObservationSink& sink) {
  const model::GapFacts facts{0, "a TLS connection could not be opened", false};
  model::Observation gap;
  gap.kind = model::ObservationKind::gap;
  gap.source = stamp.source;
  gap.at = stamp.at;
  gap.gap = &facts;
  for (const model::Endpoint* end : {&flow.key.server, &flow.key.client}) {
    if (end == &flow.key.client && flow.saw_start) continue;
    const std::string server = end->text();
    gap.server = server;
    sink.observe(gap);
  }
}

// Whose packets were in the damaged records of a file nobody knows. Told before the packet that runs into them, too: what it says may be
// made of two.
class DamagedRecords {
 public:
  void tell_new(const net::CaptureReader& capture, const net::Packet& next, std::uint32_t input, model::ObservationSink& sink) {
    std::uint64_t count = 0;
    for (const auto& [reason, records] : capture.books().malformed) count += records;
    if (count > told_ || next.before_damage) tell_gap("records of the file are damaged", input, next.number, next.at, sink);
    told_ = count;
  }
  // Behind the last packet of the file.
  void tell_end(const net::CaptureReader& capture, net::Packet& last, std::uint32_t input, Time at, model::ObservationSink& sink) {
    last.before_damage = false;
    if (capture.anomalies().entries().contains("cut-file")) tell_gap("the file is cut", input, last.number, at, sink);
    else tell_new(capture, last, input, sink);
  }

 private:
  std::uint64_t told_ = 0;
};

std::string tls_note(const TlsTally& tally, const net::KeyLog& keys) {
  std::string names;
  std::size_t shown = 0;
  for (const std::string& name : tally.servers) {
    if (++shown <= kNamesShown) names += (names.empty() ? "" : ", ") + name;
  }
  std::string reasons;
  for (const std::string& reason : tally.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
  return fmt::format("{} of {} TLS connections could not be read{} ({} bytes): {}. {}", tally.connections - tally.read, tally.connections,
                     names.empty() ? "" : " to " + names, tally.bytes, reasons,
                     keys.size() == 0 ? "With the session keys (--keylog, SSLKEYLOGFILE form) their calls can be judged." : "No key given opens them.");
}

}  // namespace

Result<CaptureScanResult> scan_capture(ByteReader& bytes, std::uint32_t input, net::KeyLog& keys, const CaptureScanOptions& options, const Limits& limits,
                                       CaptureNumbers& numbers, model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  auto opened = net::open_capture(bytes, input, limits);
  if (!opened) return opened.error();
  net::CaptureReader& capture = **opened;
  if (!options.filter.empty()) {
    const Status filter = capture.set_filter(options.filter);
    if (!filter.ok()) return filter.error();
  }
  CaptureScanResult result;
  result.reader = capture.format();
  JoinedStreams joined(sink);
  std::optional<ObservationRelay> relay;
  if (options.threads > 1) relay.emplace(limits, row.anomalies, joined);
  app::BodyMessages messages(limits, row.anomalies, joined);
  WindowSink window(relay ? static_cast<model::ObservationSink&>(*relay) : messages, options);
  app::HttpShared http{limits, window, row.anomalies, numbers.next_exchange, 0, {}, options.recorder};
  TlsTally tls;
  net::Packet packet;
  const auto make = [&](FlowInfo flow, std::string_view first) -> std::unique_ptr<StreamAnalyzer> {
    const bool is_tls = net::looks_like_tls(first) || (!flow.saw_start && net::looks_like_tls_underway(first));
    if (is_tls) flow.scheme = model::Scheme::https, flow.saw_server = false;  // what it sent may lie in records that did not open
    auto plain = app::make_http_analyzer(http, flow);
    if (!is_tls) return plain;
    return net::make_tls_analyzer(limits, keys, std::move(plain), row.anomalies, [&, flow](const net::TlsFacts& facts) {
      tls.note(facts);
      if (!facts.decrypted && facts.alert.empty()) tell_unread(flow, {packet.at, {input, model::PlaceKind::packet, packet.number, 0}}, window);
    });
  };
  model::Books flow_books;
  net::FlowTable flows(limits, input, make, flow_books, row.anomalies, numbers.next_connection);
  std::size_t secrets_taken = 0;
  DamagedRecords damaged;
  Time last;
  const auto read = [&] {
    while (capture.next(packet)) {
      if (capture.secrets().size() > secrets_taken) {
        keys.add(capture.secrets().substr(secrets_taken), row.path, row.anomalies);
        secrets_taken = capture.secrets().size();
      }
      damaged.tell_new(capture, packet, input, window);
      if (!row.first.known()) row.first = packet.at;
      if (!last.known() || packet.at > last) last = packet.at;
      flows.add(packet);
      if (packet.number % kProgressEvery == 0) progress(packet.offset);
    }
    row.last = last;
    damaged.tell_end(capture, packet, input, last, window);
    flows.finish(last);
  };
  relay ? relay->run(read) : read();
  row.books.merge(flow_books);
  row.books.merge(capture.books());
  row.anomalies.merge(capture.anomalies());
  numbers.next_exchange = http.next_exchange;
  result.tls_connections = tls.connections, result.tls_read = tls.read;
  if (tls.read < tls.connections) result.notes.push_back(tls_note(tls, keys));
  return result;
}

}  // namespace mcpscan::pipeline
