// The logs of a client, a proxy and a server of the same calls, laid beside each other: each call once, and nobody accused whom another log clears.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using tests::ScratchFolder;

namespace {

constexpr const char* kSession = "0f1e2d3c4b5a46978897a0b1c2d3e4f5";

struct Logs {
  std::string client, proxy, server;

  static std::string clock(double at) { return fmt::format("08:{:02}:{:06.3f}", static_cast<int>(at) / 60, at - 60 * (static_cast<int>(at) / 60)); }
  static std::string request(int id, const std::string& key) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"look","arguments":{{"key":"{}"}}}}}})", id, key);
  }
  static std::string reply(int id, const std::string& key) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"of {}"}}]}}}})", id, key);
  }
  void of_client(double at, const std::string& text) { client += fmt::format("2026-11-29 {} [debug] {}\n", clock(at), text); }
  void of_server(double at, const std::string& text) { server += fmt::format("2026-11-29 {} DEBUG server session={} {}\n", clock(at), kSession, text); }
  void of_proxy(double from, double seconds, int status, int id, const std::string& key) {
    std::string body = request(id, key);
    for (std::size_t at = 0; (at = body.find('"', at)) != std::string::npos; at += 2) body.insert(at, 1, '\\');
    proxy += fmt::format(R"({{"msec":"{:.3f}","request_method":"POST","request_uri":"/mcp","status":{},"request_time":{:.3f},"body_bytes_sent":{},"mcp_session_id":"{}","request_body":"{}"}})"
                         "\n",
                         1795939200 + from + seconds, status, seconds, status == 200 ? 90 : 0, kSession, body);
  }
  // Answered calls, the server's under the ids of `behind`; 0: under their own.
  void calm(int behind = 0) {
    for (int i = 0; i < 8; ++i) {
      const std::string key = fmt::format("key-{}", 100 + i);
      const double at = 10 + 5 * i;
      of_client(at, "[editor -> server] " + request(i + 2, key));
      of_server(at + 0.02, "received " + request(behind == 0 ? i + 2 : behind, key));
      of_server(at + 0.3, "sent " + reply(behind == 0 ? i + 2 : behind, key));
      of_client(at + 0.32, "[server -> editor] " + reply(i + 2, key));
      if (behind == 0) of_proxy(at + 0.01, 0.3, 200, i + 2, key);
    }
  }
};

model::Report report_of(const std::vector<std::string>& logs) {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  const ScratchFolder folder;
  pipeline::ScanOptions options;
  options.threads = 1;
  for (std::size_t i = 0; i < logs.size(); ++i) options.inputs.push_back(folder.write(std::to_string(i) + ".log", logs[i]));
  return pipeline::scan(options, kBuiltIn, {}, [](const std::string&, std::uint64_t) {}).report;
}

const model::Finding* finding_of(const model::Report& report, std::string_view rule) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(), [&](const auto& finding) { return finding.rule == rule; });
  return found == report.findings.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("ids that collide at the server are not the client's fault where its own log shows them distinct, wherever the server's log was taken") {
  Logs logs;
  logs.calm(1);
  logs.of_client(100, "[editor -> server] " + Logs::request(20, "alpha-7"));
  logs.of_client(100.2, "[editor -> server] " + Logs::request(21, "bravo-8"));
  logs.of_server(100.02, "received " + Logs::request(1, "alpha-7"));
  logs.of_server(100.22, "received " + Logs::request(1, "bravo-8"));
  logs.of_server(100.5, "sent " + Logs::reply(1, "bravo-8"));
  logs.of_client(100.52, "[server -> editor] " + Logs::reply(21, "bravo-8"));
  const model::Report report = report_of({logs.client, logs.server});
  for (const model::Finding& finding : report.findings) {
    if (finding.rule == "duplicate-request-id") CHECK(finding.fault.party == model::Party::gateway);
  }
  REQUIRE(finding_of(report, "duplicate-request-id"));
}

TEST_CASE("a client's dialect clears no client where its calls take less time than at the collision: it was written behind it") {
  Logs logs;
  for (int i = 0; i < 8; ++i) {
    const std::string key = fmt::format("key-{}", 100 + i);
    const double at = 10 + 5 * i;
    logs.of_server(at, "received " + Logs::request(1, key));
    logs.of_client(at + 0.05, "[editor -> server] " + Logs::request(i + 2, key));
    logs.of_client(at + 0.25, "[server -> editor] " + Logs::reply(i + 2, key));
    logs.of_server(at + 0.3, "sent " + Logs::reply(1, key));
  }
  for (const auto& [id, key] : {std::pair{20, "alpha-7"}, std::pair{21, "bravo-8"}}) {
    logs.of_server(id * 5 + id % 2 * -4.8, "received " + Logs::request(1, key));
    logs.of_client(id * 5 + id % 2 * -4.8 + 0.05, "[editor -> server] " + Logs::request(id, key));
  }
  const model::Report report = report_of({logs.client, logs.server});
  const auto reuse = std::find_if(report.findings.begin(), report.findings.end(), [](const auto& finding) { return finding.detail == "concurrent"; });
  REQUIRE(reuse != report.findings.end());
  CHECK(reuse->fault.party == model::Party::client);
}

TEST_CASE("a reply that was ready when the client had left is not lost, whatever the proxy's line leaves open") {
  Logs logs;
  logs.calm();
  logs.of_proxy(100, 60, 499, 30, "slow-1");
  logs.of_server(100.01, "received " + Logs::request(30, "slow-1"));
  Logs answered = logs;
  answered.of_server(175, "sent " + Logs::reply(30, "slow-1"));
  CHECK(finding_of(report_of({logs.proxy, logs.server}), "lost-reply"));
  const model::Report report = report_of({answered.proxy, answered.server});
  CHECK_FALSE(finding_of(report, "lost-reply"));
  CHECK(finding_of(report, "client-timeout"));
}

TEST_CASE("a client's log names the session that it was given once, and is of that session from there on") {
  const auto client = [](double at, const std::string& text) { return fmt::format("2026-11-29 {} - mcp.client.streamable_http - {}\n", Logs::clock(at).replace(8, 1, ","), text); };
  std::string log = client(1, fmt::format("INFO - Received session ID: {}", kSession));
  log += client(2, "DEBUG - Sending client message: root=JSONRPCRequest(method='tools/call', params={'name': 'look', 'arguments': {}}, jsonrpc='2.0', id=7)");
  log += client(3, "DEBUG - SSE message: root=JSONRPCResponse(jsonrpc='2.0', id=7, result={'content': []})");
  const model::Report report = report_of({log});
  REQUIRE(report.sessions.size() == 1);
  CHECK(report.sessions[0].id == kSession);
  CHECK(report.sessions[0].counts.requests == 1);
}
