// One capture that shows the traffic before a proxy and behind it.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"
#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

struct Hop {
  std::uint8_t client = 1, server = 2;
  std::uint16_t port = 8000;
};

// A classic capture, in order of time; each exchange on a connection of its own.
class Capture {
 public:
  void exchange(const Hop& hop, double asked, const std::string& request, double answered, const std::string& response) {
    begin(hop, asked, request);
    const auto sent = static_cast<std::uint32_t>(request.size()), got = static_cast<std::uint32_t>(response.size());
    say(answered, false, kAck | kPush, 501, 101 + sent, response);
    say(answered, true, kAck | kFin, 101 + sent, 501 + got, {});
    say(answered, false, kAck | kFin, 501 + got, 102 + sent, {});
  }
  // Reset by the hop's server, or closed by its client, before anything was answered.
  void broken(const Hop& hop, double asked, const std::string& request, double ended, bool by_server) {
    begin(hop, asked, request);
    const auto sent = static_cast<std::uint32_t>(request.size());
    if (by_server) return say(ended, false, kAck | kRst, 501, 101 + sent, {});
    say(ended, true, kAck | kFin, 101 + sent, 501, {});
    say(ended, false, kAck | kFin, 501, 102 + sent, {});
  }
  // Answered so far, and then closed by the hop's server.
  void cut(const Hop& hop, double asked, const std::string& request, double ended, const std::string& response) {
    begin(hop, asked, request);
    const auto sent = static_cast<std::uint32_t>(request.size()), got = static_cast<std::uint32_t>(response.size());
    say(asked + 0.1, false, kAck | kPush, 501, 101 + sent, response);
    say(ended, false, kAck | kFin, 501 + got, 101 + sent, {});
    say(ended, true, kAck | kFin, 101 + sent, 502 + got, {});
  }
  // `snapshot`: bytes kept of each packet.
  std::string bytes(std::size_t snapshot = 65535) {
    std::stable_sort(packets_.begin(), packets_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text = little32(0xa1b2c3d4) + little16(2) + little16(4) + little32(0) + little32(0) + little32(65535) + little32(1);
    for (const auto& [at, packet] : packets_) {
      const auto seconds = static_cast<std::uint32_t>(at), size = static_cast<std::uint32_t>(packet.size());
      text += little32(1764000000 + seconds) + little32(static_cast<std::uint32_t>((at - seconds) * 1e6)) + little32(static_cast<std::uint32_t>(std::min<std::size_t>(size, snapshot))) + little32(size) + packet.substr(0, snapshot);
    }
    return text;
  }

 private:
  void begin(const Hop& hop, double asked, const std::string& request) {
    hop_ = hop;
    ++port_;
    say(asked, true, kSyn, 100, 0, {});
    say(asked, false, kSyn | kAck, 500, 101, {});
    say(asked, true, kAck, 101, 501, {});
    say(asked, true, kAck | kPush, 101, 501, request);
  }
  void say(double at, bool by_client, std::uint32_t flags, std::uint32_t sequence, std::uint32_t acknowledged, std::string_view payload) {
    Tcp tcp{sequence, acknowledged, flags, payload, by_client ? port_ : hop_.port, by_client ? hop_.port : port_};
    Ipv4 ip;
    ip.source.back() = static_cast<char>(by_client ? hop_.client : hop_.server);
    ip.destination.back() = static_cast<char>(by_client ? hop_.server : hop_.client);
    packets_.emplace_back(at, ethernet(ipv4_bytes(tcp_bytes(tcp), ip)));
  }

  std::vector<std::pair<double, std::string>> packets_;
  std::uint16_t port_ = 40000;
  Hop hop_;
};

constexpr const char* kSession = "11111111-2222-4333-8444-555555555555";
constexpr Hop kFront{1, 2, 8000}, kBack{2, 3, 9000};

std::string post(const std::string& body, bool named) {
  return fmt::format("POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}", named ? fmt::format("Mcp-Session-Id: {}\r\n", kSession) : "", body.size(), body);
}
std::string ok(const std::string& body) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: {}\r\nContent-Length: {}\r\n\r\n{}", kSession, body.size(), body);
}

std::string call(int id) { return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{"q":"amber-{}"}}}}}})", id, id); }

pipeline::ScanResult scan_of(const std::string& capture, const std::string& access_log = {}, model::Party exonerate = model::Party::unknown) {
  const ScratchFolder folder;
  const Limits limits;
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  pipeline::ScanOptions options;
  options.inputs = {folder.write("both.pcap", capture)};
  if (!access_log.empty()) options.inputs.push_back(folder.write("access.log", access_log));
  options.threads = 1;
  options.exonerate = exonerate;
  return pipeline::scan(options, kBuiltIn, limits, [](const std::string&, std::uint64_t) {});
}

enum class Between { proxy, bridge };

// A session and `calls` calls, each 300 ms before the proxy and 100 ms behind it; to id 4 the proxy answers as `four`. A bridge has a session of its own.
void add_calls(Capture& capture, int calls, const std::string& four = "4", Between between = Between::proxy) {
  const auto behind = [&](std::string text) {
    const std::size_t at = between == Between::bridge ? text.find(kSession) : std::string::npos;
    return at == std::string::npos ? text : text.replace(at, 8, "99999999");
  };
  const std::string begin = R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
  const std::string begun = R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}})";
  capture.exchange(kFront, 1, post(begin, false), 1.3, ok(begun));
  capture.exchange(kBack, 1.1, post(begin, false), 1.2, behind(ok(begun)));
  for (int i = 1; i <= calls; ++i) {
    const auto reply = [&](const std::string& id) { return ok(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"amber-{}"}}]}}}})", id, i)); };
    capture.exchange(kFront, 2 * i, post(call(i), true), 2 * i + 0.3, reply(i == 4 ? four : std::to_string(i)));
    capture.exchange(kBack, 2 * i + 0.1, behind(post(call(i), true)), 2 * i + 0.2, behind(reply(std::to_string(i))));
  }
}

const model::Finding* finding_of(const pipeline::ScanResult& result, std::string_view rule) {
  const auto& all = result.report.findings;
  const auto found = std::find_if(all.begin(), all.end(), [&](const model::Finding& finding) { return finding.rule == rule; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("what the proxy did to a reply is told of the proxy by one capture of both its sides, and each call counts once") {
  const Between between = GENERATE(Between::proxy, Between::bridge);
  Capture capture;
  add_calls(capture, 5, "\"4\"", between);
  const pipeline::ScanResult result = scan_of(capture.bytes());
  CHECK(result.report.totals.tools_calls == 5);
  REQUIRE(result.report.tools.size() == 1);
  CHECK(result.report.tools[0].calls == 5);
  CHECK(result.report.tools[0].replies == 5);
  CHECK(result.report.tools[0].longest_us == 300'000);
  const model::Finding* found = finding_of(result, "id-type-drift");
  REQUIRE(found);
  CHECK(found->count == 1);
  CHECK(found->fault.party == model::Party::gateway);
  CHECK(found->fault.certainty == model::Certainty::proven);
  REQUIRE_FALSE(result.report.notes.empty());
  CHECK(result.report.notes[0] == "both.pcap holds both sides of a proxy: 5 of 5 calls to 10.0.0.2:8000 went on to 10.0.0.3:9000");
}

TEST_CASE("a proxy is cleared by what it passed on, each call once, unless it answered in its own words") {
  const bool in_its_own = GENERATE(false, true);
  Capture capture;
  add_calls(capture, 5);
  if (in_its_own) capture.exchange(kFront, 20, post(call(6), true), 21, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
  const pipeline::ScanResult result = scan_of(capture.bytes(), {}, model::Party::gateway);
  REQUIRE(result.exoneration);
  CHECK(result.exoneration->cleared == !in_its_own);
  CHECK(result.exoneration->calls == (in_its_own ? 7 : 6));
  const auto& notes = result.report.notes;
  const auto told = [](const std::string& note) { return note.find("1 of 7 requests to 10.0.0.2:8000 got an error of HTTP and no message (1 x 502)") != std::string::npos; };
  CHECK(std::count_if(notes.begin(), notes.end(), told) == (in_its_own ? 1 : 0));
  CHECK(result.exoneration->judged_at.ends_with("both.pcap, to 10.0.0.2:8000)"));
}

TEST_CASE("a proxy that resets a call and hangs up on its server at once lost it; after a long wait the server may have hung") {
  const double wait = GENERATE(0.2, 9.0);
  Capture capture;
  add_calls(capture, 5);
  capture.broken(kFront, 20, post(call(6), true), 20.2 + wait, true);
  capture.broken(kBack, 20.1, post(call(6), true), 20.3 + wait, false);
  const pipeline::ScanResult result = scan_of(capture.bytes());
  const model::Finding* found = finding_of(result, "lost-reply");
  REQUIRE(found);
  CHECK(found->count == 1);
  CHECK(found->fault.party == (wait < 1 ? model::Party::gateway : model::Party::server));
  CHECK(found->fault.certainty == (wait < 1 ? model::Certainty::proven : model::Certainty::weak));
}

TEST_CASE("a call that the proxy refused when its wait was over got an answer: it is not lost behind the proxy as well") {
  Capture capture;
  add_calls(capture, 5);
  capture.exchange(kFront, 20, post(call(6), true), 29, "HTTP/1.1 504 Gateway Time-out\r\nContent-Length: 0\r\n\r\n");
  capture.broken(kBack, 20.1, post(call(6), true), 29, false);
  const pipeline::ScanResult result = scan_of(capture.bytes());
  CHECK(finding_of(result, "lost-reply") == nullptr);
  const model::Finding* found = finding_of(result, "gateway-timeout");
  REQUIRE(found);
  CHECK(found->count == 1);
  CHECK(found->fault.party == model::Party::gateway);
}

TEST_CASE("a stream that the proxy ends while its server still works ended early by the proxy") {
  Capture capture;
  add_calls(capture, 5);
  capture.exchange(kFront, 20, post(call(6), true), 20.5, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 8\r\n\r\n: ping\n\n");
  capture.broken(kBack, 20.1, post(call(6), true), 20.5, false);
  const pipeline::ScanResult result = scan_of(capture.bytes());
  for (const char* const rule : {"lost-reply", "stream-closed-early"}) {
    const model::Finding* found = finding_of(result, rule);
    REQUIRE(found);
    CHECK(found->fault.party == model::Party::gateway);
    CHECK(found->fault.certainty == model::Certainty::proven);
  }
}

TEST_CASE("lines of an access log without sessions tell of the exchanges that a capture shows; those of another time count for themselves") {
  Capture capture;
  add_calls(capture, 5);
  capture.exchange(kFront, 20, post(call(6), true), 29, "HTTP/1.1 504 Gateway Time-out\r\nContent-Length: 0\r\n\r\n");
  const int minute = GENERATE(0, 30);  // the capture begins at 16:00:01
  const std::string line = fmt::format("10.0.0.1 - - [24/Nov/2025:16:{:02}:29 +0000] \"POST /mcp HTTP/1.1\" 504 0 \"-\" \"node\"\n", minute);
  const pipeline::ScanResult result = scan_of(capture.bytes(), line);
  const auto& all = result.report.findings;
  CHECK(std::count_if(all.begin(), all.end(), [](const model::Finding& finding) { return finding.rule == "gateway-timeout"; }) == (minute == 0 ? 1 : 2));
}

TEST_CASE("what was wrong behind the proxy already is the server's by one capture of both sides, whether it names a call or none") {
  Capture capture;
  const std::string four = GENERATE("\"4\"", "broken");
  add_calls(capture, 5);
  const std::string reply = four == "broken" ? ok("Not Found") : ok(R"({"jsonrpc":"2.0","id":"6","result":{"content":[{"type":"text","text":"amber-6"}]}})");
  capture.exchange(kFront, 20, post(call(6), true), 20.21, reply);
  capture.exchange(kBack, 20.19, post(call(6), true), 20.2, reply);
  const pipeline::ScanResult result = scan_of(capture.bytes());
  const model::Finding* found = finding_of(result, four == "broken" ? "malformed-message" : "id-type-drift");
  REQUIRE(found);
  CHECK(found->count == 1);
  CHECK(found->fault.party == model::Party::server);
  CHECK(found->fault.certainty == model::Certainty::proven);
}

TEST_CASE("a broken message without an id that the server never sent is the proxy's") {
  Capture capture;
  add_calls(capture, 5);
  capture.exchange(kFront, 20, post(call(6), true), 20.21, ok("Not Found"));
  capture.exchange(kBack, 20.19, post(call(6), true), 20.2, ok(R"({"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"amber-6"}]}})"));
  const pipeline::ScanResult result = scan_of(capture.bytes());
  const model::Finding* found = finding_of(result, "malformed-message");
  REQUIRE(found);
  CHECK(found->fault.party == model::Party::gateway);
}

TEST_CASE("that downloads which are no MCP were cut is no gap, and not worth a word") {
  Capture capture;
  for (int i = 0; i < 3; ++i) {
    capture.exchange(kFront, i, "GET /image.png HTTP/1.1\r\nHost: h\r\n\r\n", i + 0.1, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 600\r\n\r\n" + std::string(600, 'p'));
  }
  const pipeline::ScanResult result = scan_of(capture.bytes(256));
  CHECK(result.report.findings.empty());
  CHECK(result.report.notes.empty());
}

TEST_CASE("a capture with a small snapshot length says how much was cut and what to do, has the gap, and accuses nobody") {
  const std::size_t snapshot = GENERATE(96, 300);
  Capture capture;
  add_calls(capture, 5);
  const pipeline::ScanResult result = scan_of(capture.bytes(snapshot));
  REQUIRE(finding_of(result, "capture-gap"));
  CHECK(std::all_of(result.report.findings.begin(), result.report.findings.end(), [](const model::Finding& finding) { return finding.level == model::Level::informational; }));
  const auto& notes = result.report.notes;
  const bool told = std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return note.find(fmt::format("cut at {} bytes", snapshot)) != std::string::npos && note.ends_with("tcpdump -s 0"); });
  CHECK(told);
}

namespace {

// A session of five calls in front of a proxy, which names itself in its heads or not, and a sixth whose event stream ends behind a comment.
std::string cut_stream_in_front(const char* name = "Server: nginx\r\n") {
  Capture capture;
  add_calls(capture, 5);
  capture.cut(kFront, 20, post(call(6), true), 80,
              fmt::format("HTTP/1.1 200 OK\r\n{}Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n: k\n\n\r\n", name));
  return capture.bytes();
}

std::string nginx_says(const char* clock, const char* words) {
  return fmt::format("2025/11/24 {} [error] 25038#25038: *3 {}, client: 10.0.0.1, server: , request: \"POST /mcp HTTP/1.1\", upstream: \"http://10.0.0.3:9000/mcp\", host: \"h\"\n", clock, words);
}

}  // namespace

TEST_CASE("the words of a proxy's error log name the side that ended a stream which the capture shows cut, and are no finding beside it") {
  const auto [words, party] = GENERATE(table<const char*, model::Party>({{"upstream timed out (110: Connection timed out) while reading upstream", model::Party::gateway},
                                                                         {"upstream prematurely closed connection while reading upstream", model::Party::server}}));
  const char* const name = GENERATE("Server: nginx\r\n", "");
  const pipeline::ScanResult result = scan_of(cut_stream_in_front(name), nginx_says("16:01:20", words));
  const model::Finding* lost = finding_of(result, "lost-reply");
  REQUIRE(lost);
  CHECK(lost->count == 1);
  CHECK(lost->fault.party == party);
  CHECK(lost->evidence.back().source.input == 1);
  CHECK_FALSE(finding_of(result, "gateway-timeout"));
  CHECK_FALSE(finding_of(result, "backend-exit"));
}

TEST_CASE("what a proxy's error log says of another time stays a finding, and names nobody for the lost reply") {
  const pipeline::ScanResult result = scan_of(cut_stream_in_front(), nginx_says("16:05:20", "upstream timed out (110: Connection timed out) while reading upstream"));
  const model::Finding* lost = finding_of(result, "lost-reply");
  REQUIRE(lost);
  CHECK(lost->fault.party != model::Party::gateway);
  CHECK(finding_of(result, "gateway-timeout"));
}
