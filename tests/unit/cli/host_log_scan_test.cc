// Logs of the hosts that MCP clients run in, and of servers that show less than whole traffic: who speaks in them, and what they do not tell.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using tests::ScratchFolder;

namespace {

pipeline::ScanResult scan_of(const std::string& log) {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  const ScratchFolder folder;
  pipeline::ScanOptions options;
  options.threads = 1;
  options.inputs = {folder.write("host.log", log)};
  return pipeline::scan(options, kBuiltIn, {}, [](const std::string&, std::uint64_t) {});
}

std::vector<std::string> rules_of(const pipeline::ScanResult& result) {
  std::vector<std::string> rules;
  for (const auto& finding : result.report.findings) {
    if (finding.level != model::Level::informational) rules.push_back(finding.rule);
  }
  return rules;
}

const model::Finding& finding_of(const pipeline::ScanResult& result, std::string_view rule) {
  const auto& findings = result.report.findings;
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const auto& finding) { return finding.rule == rule; });
  REQUIRE(found != findings.end());
  return *found;
}

std::string desktop(int second, const std::string& text) {
  return "2026-11-29T08:00:" + std::to_string(10 + second) + ".000Z [docs] [info] " + text + " { metadata: undefined }\n";
}

// Nothing to find in two calls, each with its reply, whoever else printed them.
void check_told_once(const std::string& log) {
  const auto result = scan_of(log);
  CHECK(rules_of(result).empty());
  REQUIRE(result.report.sessions.size() == 1);
  CHECK(result.report.sessions[0].counts.requests == 2);
  CHECK(result.report.sessions[0].counts.replies == 2);
}

}  // namespace

TEST_CASE("what a bridge prints on stderr into its host's log tells no message a second time") {
  const std::string log =
      desktop(0, R"(Message from client: {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}})") +
      "[117] [Local→Remote] initialize\n[117] [Remote→Local] 0\n" +
      desktop(1, R"(Message from server: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"docs","version":"1"}}})") +
      desktop(2, R"(Message from client: {"jsonrpc":"2.0","method":"notifications/initialized"})") +
      desktop(3, R"(Message from client: {"jsonrpc":"2.0","id":1,"method":"tools/list"})") + "[117] [Local→Remote] tools/list\n[117] [Remote→Local] 1\n" +
      desktop(4, R"(Message from server: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}})");
  check_told_once(log);
}

TEST_CASE("nor does a bridge that prints its messages whole, abbreviated as util.inspect does") {
  const std::string log =
      desktop(0, R"(Message from client: {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}})") +
      "[supergateway] Stdio → Streamable HTTP: {\n  jsonrpc: '2.0',\n  id: 0,\n  method: 'initialize',\n  params: [Object]\n}\n"
      "[supergateway] Response: {\n  jsonrpc: '2.0',\n  id: 0,\n  result: { protocolVersion: '2025-06-18', capabilities: [Object], serverInfo: { name: 'docs', version: '1' } }\n}\n" +
      desktop(1, R"(Message from server: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"docs","version":"1"}}})") +
      desktop(2, R"(Message from client: {"jsonrpc":"2.0","method":"notifications/initialized"})") + desktop(3, R"(Message from client: {"jsonrpc":"2.0","id":1,"method":"tools/list"})") +
      "[supergateway] Stdio → Streamable HTTP: { jsonrpc: '2.0', id: 1, method: 'tools/list' }\n[supergateway] Response: { jsonrpc: '2.0', id: 1, result: { tools: [ [Object] ] } }\n" +
      desktop(4, R"(Message from server: {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"find","inputSchema":{"type":"object"}}]}})");
  check_told_once(log);
}

TEST_CASE("LibreChat's lines of method and id tell calls and replies; one that timed out is the one that waits") {
  const auto line = [](const char* at, const std::string& text) { return std::string("2026-11-29T08:") + at + ".000Z debug: [MCP][docs] Transport " + text + " {\"userId\":\"64a1\"}\n"; };
  const std::string log = line("00:00", "sending: method=tools/call id=1") + line("00:01", "received: method=response id=1") + line("00:02", "received: method=ping id=0") +
                          line("00:03", "sending: method=response id=0") + line("00:04", "sending: method=tools/call id=2") + line("01:04", "sending: method=notifications/cancelled id=none") +
                          "2026-11-29T08:01:04.001Z error: [MCP][docs][find] Tool call failed: MCP error -32001: Request timed out\n" + line("01:10", "sending: method=ping id=3") +
                          line("01:11", "received: method=response id=3");
  const auto result = scan_of(log);
  CHECK(rules_of(result) == std::vector<std::string>{"client-timeout"});
  CHECK(finding_of(result, "client-timeout").calls.at(0).id.raw == "2");
}

TEST_CASE("a refusal that VS Code quotes answers none of its requests, whatever stands for its id") {
  const std::string log =
      "2026-11-29 08:00:00.000 [debug] [editor -> server] {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n"
      "2026-11-29 08:00:01.000 [debug] [server -> editor] {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n"
      "2026-11-29 08:00:02.000 [debug] 400 status connecting to https://mcp.example/ for async notifications; they will be disabled: "
      "{\"error\":{\"code\":-32000,\"message\":\"Bad Request\"},\"id\":\"\",\"jsonrpc\":\"2.0\"}\n"
      "2026-11-29 08:00:03.000 [info] 400 status: {\"error\":{\"code\":-32000,\"message\":\"Bad Request\"},\"id\":\"\",\"jsonrpc\":\"2.0\"}\n";
  CHECK(rules_of(scan_of(log)).empty());
}

TEST_CASE("each user of LibreChat has a connection of their own: equal ids of two users collide with nothing") {
  const auto line = [](const char* second, const char* user, const std::string& text) {
    return std::string("2026-11-29T08:00:") + second + ".000Z debug: [MCP][User: " + user + "][docs] Transport " + text + "\n";
  };
  const std::string call = R"(sending: {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}})";
  const std::string reply = R"(received: {"jsonrpc":"2.0","id":3,"result":{"content":[]}})";
  const auto result = scan_of(line("01", "64a1", call) + line("02", "64b2", call) + line("03", "64b2", reply) + line("04", "64a1", reply));
  CHECK(rules_of(result).empty());
  CHECK(result.report.sessions.size() == 2);
}

namespace {

std::string received(int minute, int id, const char* method) {
  return "2026-11-29T08:" + std::to_string(10 + minute) + ":00.000Z Received MCP request: {\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + ",\"method\":\"" + method +
         "\",\"params\":{}}\n";
}

}  // namespace

TEST_CASE("a log of requests only does not show that a client failed to wait, nor that calls of one id overlapped") {
  const auto result = scan_of(received(0, 0, "initialize") + received(1, 1, "tools/list") + received(5, 1, "tools/call"));
  CHECK(rules_of(result) == std::vector<std::string>{"duplicate-request-id"});
  const model::Finding& reuse = finding_of(result, "duplicate-request-id");
  CHECK(reuse.detail == "several");
  CHECK(reuse.level == model::Level::medium);
  CHECK(reuse.fault.party == model::Party::client);
}

TEST_CASE("where a log names no session and shows no handshake, equal ids may be two clients' own") {
  const std::string reply = "2026-11-29T08:12:00.000Z Sending MCP response: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n";
  const auto result = scan_of(received(1, 1, "tools/call") + received(1, 1, "prompts/get") + reply + reply);
  CHECK(finding_of(result, "duplicate-request-id").fault.certainty == model::Certainty::weak);
}

TEST_CASE("a log that writes each line twice shows nothing sent twice") {
  const auto line = [](const char* second, const std::string& text) {
    const std::string once = std::string("2026-11-29T08:00:") + second + ".104Z session=9f2c4e1ab7d84c0f8a6be3d2c1f05a77 " + text + "\n";
    return once + once;
  };
  const std::string handshake = line("01", R"(client->server {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}})") +
                                line("02", R"(server->client {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}})") +
                                line("03", R"(client->server {"jsonrpc":"2.0","method":"notifications/initialized"})");
  const std::string listing = line("04", R"(client->server {"jsonrpc":"2.0","id":1,"method":"tools/list"})") + line("05", R"(server->client {"jsonrpc":"2.0","id":1,"result":{"tools":[]}})");
  CHECK(rules_of(scan_of(handshake + listing)).empty());
}

TEST_CASE("a reply in a record that breaks off is not missed, and that it is not is said; a call long before it is") {
  const auto line = [](int minute, const std::string& text) {
    return "{\"time\":\"2026-11-29T08:" + std::to_string(10 + minute) + ":00.000Z\",\"session\":\"9f2c4e1ab7d84c0f8a6be3d2c1f05a77\",\"message\":\"" + text + "\"}\n";
  };
  const auto asked = [&](int minute, int id) {
    return line(minute, R"(client->server {\"jsonrpc\":\"2.0\",\"id\":)" + std::to_string(id) + R"(,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":{\"k\":\"v)" + std::to_string(id) + R"(\"}}})");
  };
  const auto answered = [&](int minute, int id) { return line(minute, R"(server->client {\"jsonrpc\":\"2.0\",\"id\":)" + std::to_string(id) + R"(,\"result\":{\"content\":[]}})"); };
  const auto cut = [&](int minute, int id) {
    std::string text = answered(minute, id);
    text.resize(text.size() - 20);
    return text + "\n";
  };
  std::string log;
  for (int id = 1; id <= 6; ++id) log += asked(id + 6, id) + (id == 4 ? cut(id + 6, id) : answered(id + 6, id));
  const std::string later = asked(40, 20) + answered(40, 20);
  const auto result = scan_of(log + later);
  CHECK(rules_of(result).empty());
  const auto& rules = result.report.rules;
  const auto lost = std::find_if(rules.begin(), rules.end(), [](const auto& rule) { return rule.rule == "lost-reply"; });
  REQUIRE(lost != rules.end());
  CHECK(lost->state == model::RuleState::partly);
  CHECK(rules_of(scan_of(asked(0, 30) + log + later)) == std::vector<std::string>{"lost-reply"});
}

TEST_CASE("a log goes on to its last record, MCP's or not: a call is not open at the end of the evidence where ten minutes follow it") {
  const auto line = [](const std::string& time, const std::string& text) { return "2026-11-29T" + time + ".000Z INFO " + text + "\n"; };
  const auto asked = [](int id) { return "client->server {\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":"t"}})"; };
  const std::string log = line("08:00:00", asked(1)) + line("08:00:01", R"(server->client {"jsonrpc":"2.0","id":1,"result":{"content":[]}})") + line("08:00:05", asked(2));
  const std::string later = line("08:10:05", "housekeeping done");
  CHECK(rules_of(scan_of(log)).empty());
  const auto result = scan_of(log + later);
  CHECK(rules_of(result) == std::vector<std::string>{"lost-reply"});
  CHECK(finding_of(result, "lost-reply").fault.party == model::Party::unknown);
  // Records of another clock do not show that time went by, nor do some of another zone behind all others.
  CHECK(rules_of(scan_of(line("08:10:00", "started") + log + later)).empty());
  CHECK(rules_of(scan_of(log + line("10:00:06", "stopping") + line("10:00:07", "stopped"))).empty());
  const auto stray = scan_of(log + "2027-01-01T00:00:00.000Z INFO the licence ends\n");
  CHECK(rules_of(stray).empty());
  const auto& rules = stray.report.rules;
  const auto lost = std::find_if(rules.begin(), rules.end(), [](const auto& rule) { return rule.rule == "lost-reply"; });
  REQUIRE(lost != rules.end());
  CHECK(lost->state == model::RuleState::partly);
}

TEST_CASE("the older part of a rotated log that goes by another clock shows no wait of a call at the end of the newer one") {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  const auto line = [](const std::string& time, const std::string& text) { return "2026-11-29T" + time + ".000Z session=0123456789abcdef0123456789abcdef " + text + "\n"; };
  const auto asked = [](int id) { return "client->server {\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":"t"}})"; };
  const auto answered = [](int id) { return "server->client {\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + R"(,"result":{"content":[]}})"; };
  const auto scan_rotated = [&](const std::string& older, const std::string& newer) {
    const ScratchFolder folder;
    pipeline::ScanOptions options;
    options.threads = 1;
    options.inputs = {folder.write("host.log.1", older), folder.write("host.log", newer)};
    return rules_of(pipeline::scan(options, kBuiltIn, {}, [](const std::string&, std::uint64_t) {}));
  };
  const std::string newer = line("08:00:10", asked(2)) + line("08:00:11", "nothing");
  CHECK(scan_rotated(line("10:00:00", asked(1)) + line("10:00:01", answered(1)), newer).empty());
  CHECK(scan_rotated(line("07:59:00", asked(1)) + line("07:59:01", answered(1)), newer + line("08:01:00", "nothing") + line("08:02:00", "nothing")) == std::vector<std::string>{"lost-reply"});
}

TEST_CASE("a host that begins anew without one of its servers does not wait for that one any more") {
  const auto line = [](int second, const std::string& name, const std::string& text) {
    const std::string at = std::to_string(10 + second / 60) + ":" + std::to_string(10 + second % 60);
    return "2026-11-29T08:" + at + ".000Z [" + name + "] [info] Message from " + text + " { metadata: undefined }\n";
  };
  const std::string opening = R"(client: {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}})";
  const std::string opened = R"(server: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}})";
  const auto asked = [](int id) { return "client: {\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + R"(,"method":"tools/list"})"; };
  const auto answered = [](int id) { return "server: {\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(id) + R"(,"result":{"tools":[]}})"; };
  const auto begun = [&](int second, const std::string& name) { return line(second, name, opening) + line(second, name, opened) + line(second, name, R"(client: {"jsonrpc":"2.0","method":"notifications/initialized"})"); };
  const std::string both = begun(0, "docs") + begun(0, "mail") + line(1, "docs", asked(1)) + line(1, "docs", answered(1)) + line(10, "docs", asked(2));
  std::string later;
  for (int i = 1; i <= 8; ++i) later += line(35 + 13 * i, "mail", asked(i)) + line(35 + 13 * i, "mail", answered(i));
  CHECK(rules_of(scan_of(both + begun(30, "mail") + later)).empty());
  // The one alone that began anew is no sign where the other goes on.
  CHECK(rules_of(scan_of(both + begun(30, "mail") + line(32, "docs", asked(3)) + line(32, "docs", answered(3)) + later)) == std::vector<std::string>{"lost-reply"});
}
