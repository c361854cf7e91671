#include "pipeline/capture_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/body_messages.h"
#include "app/http_analyzer.h"
#include "base/text_bytes.h"
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
    told_ = told_ || seen.kind != model::ObservationKind::gap;
    if (options_.since.known() && seen.at.known() && seen.at < options_.since) return;
    if (options_.until.known() && seen.at.known() && seen.at > options_.until) return;
    next_.observe(seen);
  }
  bool told() const { return told_; }

 private:
  model::ObservationSink& next_;
  const CaptureScanOptions& options_;
  bool told_ = false;
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

// Packets that are shorter than they were on the wire. Of every connection, as they are read.
struct CutPackets {
  std::uint64_t packets = 0, cut = 0;
  std::size_t kept = 0;     // bytes of the longest one that was cut
  bool of_interest = false; // MCP may have stood in what was cut

  void note(const net::Packet& packet) {
    ++packets;
    if (packet.bytes.size() >= packet.original_length) return;
    ++cut;
    kept = std::max(kept, packet.bytes.size());
  }
};

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

std::string cut_note(const CutPackets& tally) {
  return fmt::format("{} of {} packets are cut at {} bytes (the snapshot length of the capture): what lay beyond, of bodies most, could not be judged. Capture whole packets: tcpdump -s 0",
                     tally.cut, tally.packets, tally.kept);
}

}  // namespace

struct CaptureScan::State {
  State(net::KeyLog& keys_in, const CaptureScanOptions& options_in, const Limits& limits_in, CaptureNumbers& numbers_in, model::ObservationSink& sink)
      : keys(keys_in), options(options_in), limits(limits_in), numbers(numbers_in), joined(sink), messages(limits, anomalies, joined),
        window(options.threads > 1 ? static_cast<model::ObservationSink&>(relay.emplace(limits, anomalies, joined)) : messages, options),
        http{limits, window, anomalies, numbers.next_exchange, 0, {}, options.recorder},
        flows(limits, 0, [this](const FlowInfo& flow, std::string_view first) { return analyzer_of(flow, first); }, books, anomalies, numbers.next_connection) {}

  std::unique_ptr<StreamAnalyzer> analyzer_of(FlowInfo flow, std::string_view first) {
    const bool is_tls = net::looks_like_tls(first) || (!flow.saw_start && net::looks_like_tls_underway(first));
    if (is_tls) flow.scheme = model::Scheme::https, flow.saw_server = false;  // what it sent may lie in records that did not open
    auto plain = app::make_http_analyzer(http, flow);
    if (!is_tls) return plain;
    return net::make_tls_analyzer(limits, keys, std::move(plain), anomalies, [this, flow](const net::TlsFacts& facts) {
      tls.note(facts);
      if (!facts.decrypted && facts.alert.empty()) tell_unread(flow, {packet.at, {input, model::PlaceKind::packet, packet.number, 0}}, window);
    });
  }

  void read(net::CaptureReader& capture, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
    DamagedRecords damaged;
    std::size_t secrets_taken = 0;
    while (capture.next(packet)) {
      if (capture.secrets().size() > secrets_taken) {
        keys.add(capture.secrets().substr(secrets_taken), row.path, anomalies);
        secrets_taken = capture.secrets().size();
      }
      damaged.tell_new(capture, packet, input, window);
      if (!row.first.known()) row.first = packet.at;
      if (!row.last.known() || packet.at > row.last) row.last = packet.at;
      cuts.note(packet);
      flows.add(packet);
      if (packet.number % kProgressEvery == 0) progress(packet.offset);
    }
    if (!last.known() || row.last > last) last = row.last;
    damaged.tell_end(capture, packet, input, row.last, window);
  }

  // Where the cut hid even that a connection speaks MCP, no session has the gap: the whole input has.
  void finish() {
    flows.finish(last);
    note_cuts();
    if (cuts.of_interest && !window.told()) tell_gap("the snapshot length cut packets", input, packet.number, last, window);
  }

  void note_cuts() { cuts.of_interest = cuts.of_interest || (http.lost_bytes_may_be_mcp && anomalies.entries().contains("snaplen-cut")); }

  // What was noted since the last time goes to the input it was noted at.
  void give_to(model::InputRow& row) {
    row.books.merge(std::exchange(books, {}));
    note_cuts();
    row.anomalies.merge(std::exchange(anomalies, {}));
    numbers.next_exchange = std::max(numbers.next_exchange, http.next_exchange);
  }

  net::KeyLog& keys;
  const CaptureScanOptions options;
  const Limits& limits;
  CaptureNumbers& numbers;
  model::Books books;
  model::AnomalyLog anomalies;
  JoinedStreams joined;
  app::BodyMessages messages;
  std::optional<ObservationRelay> relay;
  WindowSink window;
  app::HttpShared http;
  TlsTally tls;
  CutPackets cuts;
  net::Packet packet;
  std::uint32_t input = 0;
  Time last;
  bool file_missing = false;
  net::FlowTable flows;
};

CaptureScan::CaptureScan(net::KeyLog& keys, const CaptureScanOptions& options, const Limits& limits, CaptureNumbers& numbers, model::ObservationSink& sink)
    : state_(std::make_unique<State>(keys, options, limits, numbers, sink)) {}

CaptureScan::~CaptureScan() = default;

Result<std::string> CaptureScan::read(ByteReader& bytes, std::uint32_t input, bool goes_on, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  auto opened = net::open_capture(bytes, input, state_->limits);
  if (!opened) return opened.error();
  return read(**opened, input, goes_on, row, progress);
}

Result<std::string> CaptureScan::read(net::CaptureReader& capture, std::uint32_t input, bool goes_on, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  State& scan = *state_;
  if (!scan.options.filter.empty()) {
    const Status filter = capture.set_filter(scan.options.filter);
    if (!filter.ok()) return filter.error();
  }
  scan.input = input;
  scan.flows.continue_in(input, scan.books, scan.anomalies);
  const auto read = [&] {
    if (std::exchange(scan.file_missing, false)) tell_gap("a file of the rotated capture is missing", input, 1, scan.last, scan.window);
    scan.read(capture, row, progress);
    if (goes_on) scan.flows.continue_in(input, scan.books, scan.anomalies);
    else scan.finish();
  };
  scan.relay ? scan.relay->run(read) : read();
  scan.give_to(row);
  row.books.merge(capture.books());
  row.anomalies.merge(capture.anomalies());
  return std::string(capture.format());
}

bool CaptureScan::goes_on_at(Time first) const {
  const Time last = state_->last;
  return !first.known() || !last.known() || first.us >= last.us - kSecond;
}

void CaptureScan::miss_file() { state_->file_missing = true; }

void CaptureScan::give_up(model::InputRow& row) {
  State& scan = *state_;
  const auto finish = [&] { scan.finish(); };
  scan.relay ? scan.relay->run(finish) : finish();
  scan.give_to(row);
}

std::vector<std::string> CaptureScan::notes() const {
  const TlsTally& tls = state_->tls;
  std::vector<std::string> notes;
  if (tls.read != tls.connections) notes.push_back(tls_note(tls, state_->keys));
  if (state_->cuts.of_interest) notes.push_back(cut_note(state_->cuts));
  return notes;
}

Time first_packet_time(std::string_view head, const Limits& limits) {
  TextBytes bytes{std::string(head)};
  net::Packet first;
  auto opened = net::open_capture(bytes, 0, limits);
  return opened && (*opened)->next(first) ? first.at : Time{};
}

}  // namespace mcpscan::pipeline
