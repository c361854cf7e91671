#include "pipeline/joined_streams.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"
#include "unit/net/packets.h"

namespace mcpscan::pipeline {
namespace {

using namespace mcpscan::tests;

struct Kept : model::ObservationSink {
  void observe(const model::Observation& seen) override {
    if (seen.kind == model::ObservationKind::exchange_request || seen.kind == model::ObservationKind::exchange_end) return;
    rows.push_back(fmt::format("{} {}", seen.session, seen.kind == model::ObservationKind::gap ? "gap" : std::string(seen.message->id.raw)));
  }
  std::vector<std::string> rows;
};

using Rows = std::vector<std::string>;

// The strings die with the call, as those of a packet do.
class Capture {
 public:
  void ask(const std::string& session, const std::string& id, const std::string& text = {}, const std::string& server = "198.51.100.7:8000") {
    model::HttpFacts http;
    http.server = server;
    model::Observation seen = of(model::ObservationKind::exchange_request, ++posts_);
    seen.session = session;
    seen.keying = model::SessionKeying::legacy_session_id;
    seen.http = &http;
    joined_.observe(seen);
    seen.kind = model::ObservationKind::message;
    seen.stream = model::StreamKind::post;
    seen.direction = model::Direction::client_to_server;
    tell(seen, model::MessageKind::request, id, fmt::format(R"({{"params":{{"name":"t","arguments":{{"key":"{}"}}}}}})", text));
    seen.kind = model::ObservationKind::exchange_end;
    seen.message = nullptr;
    joined_.observe(seen);
  }
  void answer(std::uint64_t stream, const std::string& id, const std::string& text = {}) {
    model::Observation seen = of_stream(model::ObservationKind::message, stream);
    tell(seen, model::MessageKind::result, id, fmt::format(R"({{"result":{{"content":[{{"type":"text","text":"{}"}}]}}}})", text));
  }
  void gap(std::uint64_t stream) {
    const model::GapFacts facts{1, "lost", false};
    model::Observation seen = of_stream(model::ObservationKind::gap, stream);
    seen.gap = &facts;
    joined_.observe(seen);
  }
  // Of what came on streams, in its order.
  Rows replies() {
    Rows of_streams;
    for (const std::string& row : kept_.rows) {
      if (asked_.empty() || row != asked_.front()) of_streams.push_back(row);
      else asked_.erase(asked_.begin());
    }
    kept_.rows.clear();
    return of_streams;
  }

 private:
  static model::Observation of(model::ObservationKind kind, std::uint64_t exchange) {
    model::Observation seen;
    seen.kind = kind;
    seen.exchange = exchange;
    return seen;
  }
  static model::Observation of_stream(model::ObservationKind kind, std::uint64_t stream) {
    model::Observation seen = of(kind, stream);
    seen.stream = model::StreamKind::legacy_sse;
    seen.direction = model::Direction::server_to_client;
    seen.server = "198.51.100.7:8000";
    return seen;
  }
  void tell(model::Observation& seen, model::MessageKind kind, const std::string& id, const std::string& text) {
    model::RpcMessage message;
    message.kind = kind;
    message.id = {model::IdType::integer, id, id};
    message.text = text;
    seen.message = &message;
    if (kind == model::MessageKind::request) asked_.push_back(fmt::format("{} {}", seen.session, id));
    joined_.observe(seen);
    seen.message = nullptr;
  }

  Kept kept_;
  JoinedStreams joined_{kept_};
  Rows asked_;
  std::uint64_t posts_ = 100;
};

// A classic capture that begins when the stream of a session has long been open; each POST has a connection of its own.
class Packets {
 public:
  // Answered with 202 at once.
  void post(double at, int id, const std::string& name) {
    const std::string body = fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{{"key":"amber-{}"}}}}}})", id, name, id);
    const std::string request =
        fmt::format("POST /messages?sessionId=7f3c2a90-1111-4222-8333-944445555666 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
    const std::string accepted = "HTTP/1.1 202 Accepted\r\nContent-Length: 8\r\n\r\nAccepted";
    const auto sent = 101 + static_cast<std::uint32_t>(request.size()), got = 501 + static_cast<std::uint32_t>(accepted.size());
    ++port_;
    say(at, true, port_, kSyn, 100, 0);
    say(at, false, port_, kSyn | kAck, 500, 101);
    say(at, true, port_, kAck | kPush, 101, 501, request);
    say(at, false, port_, kAck | kPush, 501, sent, accepted);
    say(at, true, port_, kAck | kFin, sent, got);
    say(at, false, port_, kAck | kFin, got, sent + 1);
  }
  void event(double at, const std::string& message) {
    const std::string text = fmt::format("event: message\ndata: {}\n\n", message), piece = fmt::format("{:x}\r\n{}\r\n", text.size(), text);
    say(at, false, kStream, kAck | kPush, streamed_, 9000, piece);
    streamed_ += static_cast<std::uint32_t>(piece.size());
  }
  void answer(double at, int id) { event(at, fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"amber-{}"}}]}}}})", id, id)); }
  model::Report report() const {
    const ScratchFolder folder;
    const Limits limits;
    static const Knowledge kBuiltIn = load_knowledge({}, {});
    ScanOptions options;
    options.inputs = {folder.write("joined.pcap", little32(0xa1b2c3d4) + little16(2) + little16(4) + little32(0) + little32(0) + little32(65535) + little32(1) + packets_)};
    options.threads = 1;
    return scan(options, kBuiltIn, limits, [](const std::string&, std::uint64_t) {}).report;
  }

 private:
  static constexpr std::uint16_t kStream = 39000, kServer = 8000;
  void say(double at, bool by_client, std::uint16_t port, std::uint32_t flags, std::uint32_t sequence, std::uint32_t acknowledged, std::string_view payload = {}) {
    const Tcp tcp{sequence, acknowledged, flags, payload, by_client ? port : kServer, by_client ? kServer : port};
    Ipv4 ip;
    if (!by_client) std::swap(ip.source, ip.destination);
    const std::string packet = ethernet(ipv4_bytes(tcp_bytes(tcp), ip));
    const auto seconds = static_cast<std::uint32_t>(at), size = static_cast<std::uint32_t>(packet.size());
    packets_ += little32(1764000000 + seconds) + little32(static_cast<std::uint32_t>((at - seconds) * 1e6)) + little32(size) + little32(size) + packet;
  }

  std::string packets_;
  std::uint16_t port_ = 40000;
  std::uint32_t streamed_ = 700000;
};

}  // namespace

TEST_CASE("a capture begun while a session of the 2024-11-05 transport is running pairs its calls, and tells the one that is lost") {
  Packets capture;
  capture.answer(0.5, 29);
  for (int id = 30; id <= 40; ++id) {
    capture.post(id, id, "look");
    if (id != 35) capture.answer(id + 0.2, id);
  }
  for (int id = 41; id <= 60; ++id) {
    capture.post(4 * id, id, "look");
    capture.answer(4 * id + 0.2, id);
  }
  const model::Report report = capture.report();
  CHECK(report.totals.requests == 31);
  CHECK(report.totals.replies == 30);
  const auto lost = std::find_if(report.findings.begin(), report.findings.end(), [](const model::Finding& finding) { return finding.rule == "lost-reply"; });
  REQUIRE(lost != report.findings.end());
  CHECK(lost->count == 1);
  CHECK(lost->calls.at(0).id.value == "35");
  CHECK(lost->fault.party == model::Party::unknown);
  for (const model::Finding& finding : report.findings) CHECK((finding.rule == "lost-reply" || finding.level == model::Level::informational));
}

TEST_CASE("a stream older than the capture is that of the session whose calls it answers, round by round") {
  Capture capture;
  for (const char* id : {"5", "6", "7"}) {
    capture.ask("a", id);
    capture.ask("b", std::string("9") + id);
    capture.answer(1, id);
  }
  CHECK(capture.replies().empty());
  capture.ask("a", "8");
  capture.answer(1, "8");
  CHECK(capture.replies() == Rows{"a 5", "a 6", "a 7", "a 8"});
  capture.answer(1, "9");
  CHECK(capture.replies() == Rows{"a 9"});
}

TEST_CASE("replies to calls that are older than the capture speak once, and go no further") {
  Capture capture;
  capture.answer(1, "3");
  for (const char* id : {"4", "5", "6", "7", "8"}) capture.ask("b", id, "amber-1");
  for (const char* id : {"4", "5", "6", "7", "8"}) capture.answer(1, id, "amber-1");  // a session nobody has seen counts and asks alike
  for (const char* id : {"41", "42"}) {
    capture.ask("a", id, "quartz-1");
    capture.answer(1, id, "quartz-1");
  }
  CHECK(capture.replies() == Rows{"a 41", "a 42"});
}

TEST_CASE("sessions that count alike are told apart by what their replies repeat") {
  Capture capture;
  for (const char* id : {"5", "6"}) {
    capture.ask("a", id, fmt::format("amber-{}", id));
    capture.ask("b", id, fmt::format("quartz-{}", id));
    capture.answer(1, id, fmt::format("found quartz-{} here", id));
    capture.answer(2, id, fmt::format("found amber-{} here", id));
  }
  CHECK(capture.replies() == Rows{"b 5", "b 6", "a 5", "a 6"});
}

TEST_CASE("sessions that count and ask alike are not told apart, until one goes on alone") {
  Capture capture;
  for (const char* id : {"5", "6", "7", "8", "9"}) {
    capture.ask("a", id, "amber-1");
    capture.ask("b", id, "amber-1");
    capture.answer(1, id, "amber-1");
    capture.answer(2, id, "amber-1");
  }
  CHECK(capture.replies().empty());
  for (const char* id : {"10", "11"}) {
    capture.ask("a", id, "amber-1");
    capture.answer(2, id, "amber-1");
  }
  CHECK(capture.replies() == Rows{"a 5", "a 6", "a 7", "a 8", "a 9", "a 10", "a 11"});
}

TEST_CASE("another server's sessions are not looked at") {
  Capture capture;
  for (const char* id : {"5", "6", "7", "8", "9"}) {
    capture.ask("a", id, "amber-1", "198.51.100.9:8000");
    capture.answer(1, id, "amber-1");
  }
  CHECK(capture.replies().empty());
}

TEST_CASE("gaps of a stream are its session's, also those before it showed whose it is, and what did not find room") {
  Capture capture;
  capture.gap(1);
  for (int id = 0; id < 64; ++id) capture.answer(1, std::to_string(1000 + id));
  capture.gap(1);
  for (const char* id : {"5", "6"}) {
    capture.ask("a", id, "amber-1");
    capture.answer(1, id, "amber-1");
  }
  CHECK(capture.replies() == Rows{"a gap", "a gap", "a 5", "a 6"});
  capture.gap(1);
  CHECK(capture.replies() == Rows{"a gap"});
}

}  // namespace mcpscan::pipeline
