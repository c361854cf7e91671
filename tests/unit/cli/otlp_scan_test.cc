// Traces from file to report: what spans come to, and what must never come of them.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

struct Span {
  int id = 1, start_ms = 0, length_ms = 10;
  const char* tool = "echo";
  const char* session = "s-1";
  const char* error = "";
  int kind = 2;
};

std::string attribute(const char* key, const std::string& value) { return fmt::format(R"({{"key":"{}","value":{{"stringValue":"{}"}}}},)", key, value); }

std::string text_of(const Span& span) {
  constexpr std::int64_t kStart = 1'795'970'155'000;
  std::string attributes = attribute("mcp.method.name", "tools/call") + attribute("jsonrpc.request.id", std::to_string(span.id)) + attribute("gen_ai.tool.name", span.tool);
  if (*span.session != '\0') attributes += attribute("mcp.session.id", span.session);
  if (*span.error != '\0') attributes += attribute("error.type", span.error);
  attributes.pop_back();
  return fmt::format(R"({{"spanId":"{:016x}","kind":{},"name":"tools/call {}","startTimeUnixNano":"{}000000","endTimeUnixNano":"{}000000","attributes":[{}]}})",
                     span.id * 1000 + span.start_ms + span.kind, span.kind, span.tool, kStart + span.start_ms, kStart + span.start_ms + span.length_ms, attributes);
}

std::string document(const char* service, const std::vector<Span>& spans) {
  std::string list;
  for (const Span& span : spans) list += (list.empty() ? "" : ",") + text_of(span);
  return fmt::format(R"({{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{}"}}}}]}},"scopeSpans":[{{"scope":{{}},"spans":[{}]}}]}}]}})", service, list);
}

pipeline::ScanResult scan_text(const std::string& text, const Limits& limits = {}) {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  const ScratchFolder folder;
  pipeline::ScanOptions options;
  options.inputs = {folder.write("traces.json", text)};
  options.threads = 1;
  return pipeline::scan(options, kBuiltIn, limits, [](const std::string&, std::uint64_t) {});
}

// A finding that is more than informational.
bool accuses(const pipeline::ScanResult& result) {
  return std::any_of(result.report.findings.begin(), result.report.findings.end(), [](const auto& finding) { return finding.level > model::Level::informational; });
}

bool has_rule(const pipeline::ScanResult& result, const char* rule) {
  return std::any_of(result.report.findings.begin(), result.report.findings.end(), [&](const auto& finding) { return finding.rule == rule; });
}

}  // namespace

TEST_CASE("spans of one session become its calls with their replies, in whatever order they were exported") {
  const auto result = scan_text(document("srv", {{2, 100, 50}, {1, 0, 10, "first"}}) + "\n" + document("srv", {{3, 200, 10, "bad", "s-1", "tool_error"}}) + "\n");
  REQUIRE(result.report.sessions.size() == 1);
  const auto& session = result.report.sessions[0];
  CHECK(session.id == "s-1");
  CHECK(session.counts.requests == 3);
  CHECK(session.counts.replies == 3);
  CHECK(session.paired == 3);
  CHECK(result.report.inputs[0].reader == "otlp/traces");
  CHECK(result.report.inputs[0].vantage == model::Vantage::server);
  CHECK(result.report.inputs[0].books.used == 3);
  CHECK_FALSE(accuses(result));
}

TEST_CASE("one id for two calls of a session at the same time is found") {
  CHECK(has_rule(scan_text(document("srv", {{1, 0, 500}, {1, 100, 50, "slow"}})), "duplicate-request-id"));
}

TEST_CASE("a span that was exported twice is told once") {
  const auto result = scan_text(document("srv", {{1, 0, 500}, {2, 10, 5}}) + "\n" + document("srv", {{1, 0, 500}, {2, 10, 5}}) + "\n");
  CHECK(result.report.requests == 2);
  CHECK_FALSE(accuses(result));
  CHECK(result.report.inputs[0].books.ignored.at("repeated-span") == 2);
}

TEST_CASE("spans that name no session are never compared, and the report says so") {
  const auto result = scan_text(document("srv", {{1, 0, 500, "echo", ""}, {1, 100, 50, "slow", ""}}));
  CHECK_FALSE(has_rule(result, "duplicate-request-id"));
  CHECK(result.report.inputs[0].anomalies.entries().count("otlp-without-session") == 1);
  CHECK(result.report.requests == 2);
  CHECK(result.report.requests_with_reply == 2);
}

TEST_CASE("one call seen by its client and its server is no second use of its id") {
  const auto result = scan_text(document("agent", {{1, 0, 500, "echo", "s-1", "", 3}}) + document("srv", {{1, 100, 50}}));
  CHECK_FALSE(has_rule(result, "duplicate-request-id"));
  CHECK(result.report.sessions.size() == 1);
}

TEST_CASE("a client's span that timed out is a call given up, not a reply") {
  const auto result = scan_text(document("agent", {{1, 0, 10, "echo", "s-1", "", 3}, {2, 100, 60000, "slow", "s-1", "TimeoutError", 3}}));
  CHECK(result.report.requests_with_reply == 1);
  CHECK(result.report.requests == 2);
}

TEST_CASE("an export that was cut costs the span it was cut in; the next document is read, with its entry's number") {
  const std::string whole = document("srv", {{1, 0, 10}}), cut = document("srv", {{2, 100, 10}}).substr(0, 300);
  const auto result = scan_text(whole + "\n" + cut + "\n" + document("srv", {{3, 200, 10}}) + "\n");
  const auto& row = result.report.inputs[0];
  CHECK(row.books.used == 2);
  CHECK(row.books.malformed.at("broken-json") == 1);
  CHECK(row.anomalies.entries().at("broken-json").source.number == 2);
  CHECK(result.report.requests == 2);
}

TEST_CASE("traces and logs in one file are both read; a file of metrics is no log of MCP") {
  const std::string log = R"({"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795970160000000000","severityText":"INFO","body":{"stringValue":"Terminating session: s-1"}}]}]}]})";
  const auto both = scan_text(document("srv", {{1, 0, 10}}) + "\n" + log + "\n");
  CHECK(both.report.inputs[0].reader == "otlp");
  CHECK(both.report.inputs[0].books.used == 2);
  CHECK(scan_text(log + "\n").report.inputs[0].books.used == 1);
  CHECK(scan_text(log + "\n" + document("srv", {{1, 0, 10}}) + "\n").report.requests == 1);
  const auto metrics = scan_text(R"({"resourceMetrics":[{"scopeMetrics":[]}]})" "\n");
  CHECK(metrics.report.requests == 0);
  CHECK_FALSE(accuses(metrics));
}

TEST_CASE("Limits::otlp_spans bounds what waits: the earliest is told early, and said so when that was wrong") {
  Limits limits;
  limits.otlp_spans = 2;
  const auto result = scan_text(document("srv", {{5, 400, 10}, {4, 300, 10}, {3, 200, 10}, {2, 100, 10}}), limits);
  CHECK(result.report.requests == 4);
  CHECK(result.report.inputs[0].anomalies.entries().count("otlp-out-of-order") == 1);
}

TEST_CASE("Limits::otlp_services bounds the sources of an export: the others count as one") {
  Limits limits;
  limits.otlp_services = 1;
  const auto result = scan_text(document("a", {{1, 0, 10, "echo", "s-1"}}) + document("b", {{2, 0, 10, "echo", "s-2"}}) + document("c", {{3, 0, 10, "echo", "s-3"}}), limits);
  CHECK(result.report.sessions.size() == 3);
  CHECK(result.report.requests == 3);
}
