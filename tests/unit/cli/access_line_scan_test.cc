// An access log alone: what it shows is found, what it cannot show is said.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

pipeline::ScanResult scan_text(const std::string& text) {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  ScratchFolder folder;
  pipeline::ScanOptions options;
  options.inputs = {folder.write("access.log", text)};
  options.threads = 1;
  return pipeline::scan(options, kBuiltIn, {}, [](const std::string&, std::uint64_t) {});
}

model::RuleState state_of(const pipeline::ScanResult& result, std::string_view rule) {
  const auto& rules = result.report.rules;
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const auto& row) { return row.rule == rule; });
  REQUIRE(found != rules.end());
  return found->state;
}

std::string haproxy(int second, int status) {
  return fmt::format(
      "198.51.100.7:43266 [29/Nov/2026:16:36:{:02}.724] mcp_fe mcp_be/s1 0/0/0/5/400 {} 512 - - ---- 1/1/0/0/0 0/0 {{0123456789abcdef0123456789abcdef}} {{}} "
      "\"POST /mcp HTTP/1.1\"\n",
      second, status);
}

// What a proxy writes of one call with id 1, `seconds` long until `end`.
std::string nginx(int end, int seconds, int bytes, const char* tool) {
  return fmt::format(
      R"({{"msec":"{}.000","request_method":"POST","request_uri":"/mcp","status":200,"request_time":{}.0,"body_bytes_sent":{},"mcp_session_id":"0123456789abcdef","request_body":"{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{}\"}}}}"}})"
      "\n",
      1795970000 + end, seconds, bytes, tool);
}

}  // namespace

TEST_CASE("an access log without ids says that ids were not judged, and judges the sessions") {
  const auto result = scan_text(haproxy(1, 200) + haproxy(2, 200) + haproxy(3, 404));
  CHECK(state_of(result, "duplicate-request-id") == model::RuleState::not_evaluable);
  CHECK(state_of(result, "session-lost") == model::RuleState::evaluated);
  REQUIRE(result.report.findings.size() == 1);
  CHECK(result.report.findings[0].rule == "session-lost");
}

namespace {

std::string web_line(int second, std::string_view path, int status, std::string_view session) {
  return fmt::format(R"({{"time":"2026-11-29T16:36:{:02}.000Z","method":"POST","path":"{}","status":{},"latency_ms":9,"session":{},"ip":"198.51.100.7"}})" "\n", second, path, status, session);
}

std::string refused_later(std::string_view path, std::string_view session) {
  return web_line(1, path, 200, session) + web_line(2, path, 200, session) + web_line(3, path, 404, session) + web_line(4, path, 404, session);
}

}  // namespace

TEST_CASE("a session of a web application's users, or a word that is no id, is none of MCP's") {
  const auto [path, session] = GENERATE(table<const char*, const char*>({{"/api/messages", "\"0b0e6f4e-1111-4222-8333-444455556666\""}, {"/messages", "\"u0\""}, {"/mcp", "true"},
                                                                         {"/mcp", "\"anonymous\""}, {"/shop", "\"0b0e6f4e-1111-4222-8333-444455556666\""}}));
  CAPTURE(path, session);
  const auto& findings = scan_text(refused_later(path, session)).report.findings;
  CHECK(std::all_of(findings.begin(), findings.end(), [](const model::Finding& finding) { return finding.level == model::Level::informational; }));
}

TEST_CASE("what a language model's or a chat's messages met is not told as MCP's") {
  const char* const path = GENERATE("/v1/messages", "/api/messages");
  const auto result = scan_text(web_line(1, path, 200, "1") + web_line(2, path, 504, "1") + web_line(3, path, 504, "1"));
  CHECK(result.report.findings.empty());
  CHECK(result.report.inputs[0].books.used == 0);
}

TEST_CASE("requests that met an error of HTTP are counted where no rule judges it") {
  const auto result = scan_text(web_line(1, "/mcp", 200, "1") + web_line(2, "/mcp", 502, "1") + web_line(3, "/mcp", 502, "1") + web_line(4, "/mcp", 503, "1") + web_line(5, "/mcp", 504, "1"));
  const auto& notes = result.report.notes;
  CHECK(std::count_if(notes.begin(), notes.end(), [](const std::string& note) { return note.find("3 of 5 requests to MCP paths got an error of HTTP and no message (2 x 502, 1 x 503), the first at 2026-11-29T16:36:02") != std::string::npos; }) == 1);
  CHECK(scan_text(web_line(1, "/mcp", 200, "1") + web_line(2, "/mcp", 504, "1")).report.notes.empty());
}

TEST_CASE("an id under any name of a session is MCP's where the path is") {
  const auto result = scan_text(refused_later("/mcp", "\"0b0e6f4e-1111-4222-8333-444455556666\""));
  REQUIRE(result.report.findings.size() == 1);
  CHECK(result.report.findings[0].rule == "session-lost");
}

namespace {

std::string haproxy_end(int second, std::string_view method, int duration, int status, std::string_view flags) {
  return fmt::format(
      "198.51.100.7:43266 [29/Nov/2026:16:36:{:02}.724] mcp_fe mcp_be/s1 0/0/0/5/{} {} 512 - - {} 1/1/0/0/0 0/0 {{0123456789abcdef0123456789abcdef}} \"{} /mcp HTTP/1.1\"\n",
      second, duration, status, flags, method);
}

std::string rules_of(const pipeline::ScanResult& result) {
  std::string rules;
  for (const auto& finding : result.report.findings) rules += (rules.empty() ? "" : " ") + finding.rule;
  return rules;
}

}  // namespace

TEST_CASE("who ended an exchange, by HAProxy's word, is told by the rule for it") {
  const std::string whole = haproxy(1, 200);
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 50002, 200, "sD--"))) == "gateway-timeout");
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "GET", 50002, 200, "sD--"))) == "keepalive-gap");
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "GET", 50002, 200, "cD--"))) == "keepalive-gap");
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 204, 502, "SH--"))) == "connection-reset");
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 204, 200, "SD--"))) == "truncated-body");
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 60003, 200, "CD--"))) == "client-timeout");
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 60003, -1, "CH--"))) == "lost-reply client-timeout");
}

TEST_CASE("an end that is nobody's fault, or not told, accuses nobody") {
  const std::string whole = haproxy(1, 200);
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 47003, 200, "CD--"))).empty());   // no client is known to wait so long
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "GET", 60003, 200, "CD--"))).empty());
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 60003, 200, "cD--"))).empty());   // the client may be gone, or have nothing to send
  CHECK(rules_of(scan_text(whole + haproxy_end(2, "POST", 204, 503, "SC--"))).empty());     // a refusal
}

TEST_CASE("of two requests with one id the later one is the reuse, though the line of the earlier one comes last") {
  const auto result = scan_text(nginx(12, 1, 200, "quick") + nginx(70, 60, 0, "slow") + nginx(80, 1, 200, "quick"));
  const auto& findings = result.report.findings;
  const auto reuse = std::find_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.detail == "concurrent"; });
  REQUIRE(reuse != findings.end());
  CHECK(reuse->count == 1);
  CHECK(reuse->calls[0].tool == "quick");
  const auto lost = std::find_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.rule == "lost-reply"; });
  REQUIRE(lost != findings.end());
  CHECK(lost->calls[0].tool == "slow");
}

TEST_CASE("JSON access lines of names that the operator chose are exchanges, and the one given up on is told once") {
  const auto line = [](int second, int status) {
    return fmt::format(R"({{"time":"2026-11-29T16:35:{:02}Z","remote_addr":"198.51.100.7","request":"POST /mcp HTTP/1.1","status":"{}","body_bytes_sent":"12","session":"0123456789abcdef0123456789abcdef"}})" "\n",
                       second, status);
  };
  const auto result = scan_text(line(1, 200) + line(2, 504) + line(3, 499));
  REQUIRE(result.report.findings.size() == 1);
  CHECK(result.report.findings[0].rule == "gateway-timeout");
  CHECK(result.report.findings[0].session == "0123456789abcdef0123456789abcdef");
  CHECK(state_of(result, "duplicate-request-id") == model::RuleState::not_evaluable);
}

TEST_CASE("a server's own line about a request, with a statement beside method, path and status, stays a statement") {
  const auto result = scan_text(
      R"({"time":"2026-11-29T16:35:57Z","level":"warn","msg":"upstream is slow today","method":"POST","path":"/mcp","status":504})" "\n");
  CHECK(result.report.findings.empty());
}
