#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "support/hostile_report.h"
#include "support/written_report.h"

using namespace mcpscan;
using mcpscan::tests::written;
using nlohmann::json;

namespace {
constexpr Limits kLimits;
}  // namespace

TEST_CASE("rpc ids keep their JSON type and every digit") {
  const std::string text = written("json", tests::demo_report());
  CHECK(text.find("\"rpc_id\": 123456789012345678901234,") != std::string::npos);
  CHECK(text.find("\"rpc_id\": \"lab\", \"rpc_id_raw\": \"\\\"\\\\u006cab\\\"\"") != std::string::npos);
  CHECK(text.find("\"rpc_id\": null, \"rpc_id_raw\": \"[1]\"") != std::string::npos);
}

TEST_CASE("a number token that JSON does not read goes out as null beside the raw token") {
  model::Report report = tests::demo_report();
  for (const char* token : {"1_000", "NaN", "1, \"forged\": 2", ""}) {
    report.findings[0].calls[0].id = tests::demo_id(model::IdType::integer, token, token);
    const json parsed = json::parse(written("json", report));
    const json& call = parsed["findings"][0]["calls"][0];
    CHECK(call["rpc_id"].is_null());
    CHECK(call.value("rpc_id_raw", "") == token);
    CHECK_FALSE(call.contains("forged"));
  }
}

TEST_CASE("places carry the word of their kind and the input's whole path") {
  model::Report report = tests::demo_report();
  report.inputs[0].path = "a/very/long/folder/of/captures/wire.pcap";
  report.findings[0].evidence = {{{0, model::PlaceKind::packet, 7, 99}, "x"}, {{0, model::PlaceKind::entry, 3, 5}, "y"}, {{0, model::PlaceKind::line, 0, 0}, "z"}};
  const json evidence = json::parse(written("json", report))["findings"][0]["evidence"];
  CHECK(evidence[0]["packet"] == 7);
  CHECK(evidence[0]["input"] == report.inputs[0].path);
  CHECK(evidence[1]["entry"] == 3);
  CHECK_FALSE(evidence[2].contains("line"));
}

TEST_CASE("a finding without evidence or count still keeps the contract") {
  model::Report report = tests::demo_report();
  report.findings[0].evidence.clear();
  report.findings[0].count = 0;
  const json finding = json::parse(written("json", report))["findings"][0];
  CHECK(finding["evidence"].size() == 1);
  CHECK(finding["evidence"][0]["input"] == "gateway.log");
  CHECK(finding["count"] == 1);
}

TEST_CASE("left-out sessions are counted without counting their row twice") {
  model::Report report = tests::demo_report();
  report.sessions_left_out = 500;
  report.sessions.push_back({});
  report.sessions.back().key = "(others)";
  const json totals = json::parse(written("json", report))["totals"];
  CHECK(totals["sessions"] == 502);
  CHECK(totals["sessions_left_out"] == 500);
}

TEST_CASE("secrets are masked unless raw is asked for, session ids never") {
  model::Report report = tests::demo_report();
  report.findings[0].evidence[0].text = "Authorization: Bearer s3cr3t Mcp-Session-Id: 44d1";
  report.sessions[0].id = "eyJhbGciOiJIUzI1NiJ9";
  model::ReportOptions raw;
  raw.raw = true;
  CHECK(written("json", report).find("s3cr3t") == std::string::npos);
  CHECK(written("json", report).find("Mcp-Session-Id: 44d1") != std::string::npos);
  CHECK(written("json", report).find("\"id\": \"eyJhbGciOiJIUzI1NiJ9\"") != std::string::npos);
  CHECK(written("json", report, raw).find("s3cr3t") != std::string::npos);
}

TEST_CASE("a hostile report is valid UTF-8 JSON without raw controls, twice the same") {
  const std::string text = written("json", tests::hostile_report());
  CHECK(json::accept(text));
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= 0x20; }));
  CHECK(text.find("s3cr3t") == std::string::npos);
  CHECK(text == written("json", tests::hostile_report()));
}

TEST_CASE("free text is bounded by report_text_bytes and says how long it was") {
  model::Report report = tests::demo_report();
  report.incidents[0].story = std::string(100000, 's');
  const std::string story = json::parse(written("json", report))["incidents"][0]["story"];
  CHECK(story == std::string(kLimits.report_text_bytes, 's') + "… (100,000 bytes)");
}
