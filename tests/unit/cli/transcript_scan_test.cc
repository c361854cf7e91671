#include "base/text_bytes.h"
#include "pipeline/transcript_scan.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mcpscan::pipeline {
namespace {

struct Kept : model::ObservationSink {
  void observe(const model::Observation& seen) override {
    kinds.push_back(seen.kind);
    places.push_back({seen.source.number, seen.source.offset});
    calls.emplace_back(seen.outcome ? seen.outcome->call : "");
    sessions += seen.session.empty() ? 0 : 1;
  }
  std::vector<model::ObservationKind> kinds;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  std::vector<std::string> calls;
  int sessions = 0;
};

struct Scanned {
  Kept kept;
  model::InputRow row;
};

Scanned scan_text(const std::string& text, const TranscriptScanOptions& options = {}, const Limits& limits = {}) {
  Scanned scanned;
  TextBytes bytes(text);
  ingest::TranscriptCalls calls(limits);
  scan_transcript(bytes, {}, 3, options, limits, calls, scanned.kept, scanned.row, [](std::uint64_t) {});
  return scanned;
}

std::string call(int second) {
  const std::string id = std::to_string(second);
  return R"({"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"c)" + id + R"(","name":"mcp__d__x","input":{"n":)" + id +
         R"(}}]},"timestamp":"2026-11-29T16:35:1)" + id + ".000Z\"}\n";
}

TEST_CASE("a transcript gives outcomes only, at their lines and offsets, from the client's side, and never an MCP session") {
  const Scanned scanned = scan_text("{\"type\":\"summary\"}\n" + call(1) + call(2));
  REQUIRE(scanned.kept.kinds.size() == 2);
  for (const auto kind : scanned.kept.kinds) CHECK(kind == model::ObservationKind::outcome);
  CHECK(scanned.kept.places[0] == std::pair<std::uint64_t, std::uint64_t>{2, 19});
  CHECK(scanned.kept.places[1].first == 3);
  CHECK(scanned.kept.sessions == 0);
  CHECK(scanned.row.reader == "transcript/claude-code");
  CHECK(scanned.row.vantage == model::Vantage::client);
  CHECK(format_rfc3339(scanned.row.first) == "2026-11-29T16:35:11.000000Z");
  CHECK(format_rfc3339(scanned.row.last) == "2026-11-29T16:35:12.000000Z");
}

TEST_CASE("blocks change nothing: a transcript longer than a block reads like one") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += call(i % 10);
  Limits small;
  small.block_bytes = 512;
  const Scanned whole = scan_text(text), cut = scan_text(text, {}, small);
  CHECK(whole.kept.places == cut.kept.places);
  CHECK(whole.row.books.used == cut.row.books.used);
  CHECK(cut.row.books.total == 200);
}

TEST_CASE("a line over Limits::line_bytes is malformed and counted, and the next one is read") {
  Limits small;
  small.line_bytes = 400;
  const Scanned scanned = scan_text(call(1) + "{\"message\":\"" + std::string(2000, 'x') + "\"}\n" + call(2), {}, small);
  CHECK(scanned.kept.calls == std::vector<std::string>{"c1", "c2"});
  CHECK(scanned.row.books.malformed.at("line-too-long") == 1);
  CHECK(scanned.row.books.total == 3);
}

TEST_CASE("a window in time leaves out what lies outside") {
  TranscriptScanOptions options;
  options.since = time_from_civil({2026, 11, 29, 16, 35, 12, 0});
  CHECK(scan_text(call(1) + call(2) + call(3), options).kept.calls == std::vector<std::string>{"c2", "c3"});
}

}  // namespace
}  // namespace mcpscan::pipeline
