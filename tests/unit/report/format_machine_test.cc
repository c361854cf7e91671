#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "report/escape.h"
#include "support/demo_report.h"
#include "support/written_report.h"

using namespace mcpscan;
using mcpscan::report::escape_html;
using mcpscan::report::escape_sarif_message;
using mcpscan::report::path_uri;
using mcpscan::tests::written;
using nlohmann::json;

namespace {

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("no element, entity or attribute comes alive in HTML and XML, and no control byte is left") {
  CHECK(escape_html("<img src=x onerror=\"y\"> & 'z'") == "&lt;img src=x onerror=&quot;y&quot;&gt; &amp; &#39;z&#39;");
  CHECK(escape_html("\x1b[31m\n\xe2\x80\xae\xef\xbf\xbf") == "\\x1b[31m\\n\\u{202e}\\u{ffff}");
}

TEST_CASE("no link and no placeholder comes alive in a SARIF message") {
  CHECK(escape_sarif_message("[a](1) {0} \\x") == "\\[a\\](1) {{0}} \\\\x");
}

TEST_CASE("a path becomes a URI that names the same file") {
  CHECK(path_uri("logs/a b#1.log") == "logs/a%20b%231.log");
  CHECK(path_uri("c:x") == "c%3Ax");
  CHECK(path_uri("/var/log/mcp.log") == "file:///var/log/mcp.log");
  CHECK(path_uri("\xff") == "%FF");
}

TEST_CASE("a SARIF result names its rule, place, identity and cause, and its incident's picture is a code flow") {
  const json run = json::parse(written("sarif", tests::demo_report())).at("runs").at(0);
  const json& result = run.at("results").at(0);
  CHECK(result["ruleId"] == "duplicate-request-id");
  CHECK(run["tool"]["driver"]["rules"].at(result["ruleIndex"].get<std::size_t>())["id"] == "duplicate-request-id");
  CHECK(result["level"] == "error");
  CHECK(result["occurrenceCount"] == 82);
  CHECK(result["partialFingerprints"]["mcpscanFinding/v1"] == "f-7f3a9c01");
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"] == json({{"uri", "gateway.log"}, {"index", 0}}));
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1041);
  const json& steps = result["codeFlows"][0]["threadFlows"][0]["locations"];
  REQUIRE(steps.size() == 5);
  CHECK(steps[0]["executionTimeUtc"] == "2026-11-28T08:13:23.104000Z");
  CHECK_FALSE(steps[4]["location"].contains("physicalLocation"));
  CHECK(run["results"][1]["properties"]["consequenceOf"] == "f-7f3a9c01");
}

TEST_CASE("a place that is evidence twice is told once among a SARIF result's others") {
  model::Report report = tests::demo_report();
  auto& evidence = report.findings[0].evidence;
  evidence = {evidence[0], evidence[1], evidence[1], {evidence[1].source, "another text of the same place"}};
  const json result = json::parse(written("sarif", report)).at("runs").at(0).at("results").at(0);
  CHECK(result["locations"].size() == 1);
  CHECK(result["relatedLocations"].size() == 2);
}

TEST_CASE("what was not judged is a SARIF notification about its rule") {
  const json run = json::parse(written("sarif", tests::demo_report())).at("runs").at(0);
  const json& notes = run["invocations"][0]["toolExecutionNotifications"];
  REQUIRE(notes.size() == 3);
  CHECK(notes[0]["descriptor"]["id"] == "rule-judged-in-part");
  CHECK(notes[1]["associatedRule"]["id"] == "reply-mismatch");
  CHECK(has(notes[1]["message"]["text"], "set DEBUG on sse_starlette"));
}

TEST_CASE("in JUnit a rule that found something fails, one that could not be judged is skipped, an unreadable input is an error") {
  model::Report report = tests::demo_report();
  report.inputs.push_back(tests::demo_input());
  report.inputs[1].error = "neither text nor a capture";
  const std::string text = written("junit", report);
  CHECK(has(text, "<testsuites name=\"mcpscan\" tests=\"10\" failures=\"3\" errors=\"1\" skipped=\"2\" time=\"0\">"));
  CHECK(has(text, "name=\"duplicate-request-id\" time=\"0\">\n      <failure type=\"critical\" message=\"critical  82 in session"));
  CHECK(has(text, "<skipped message=\"2 of 3 replies carry no body in this log; set DEBUG on sse_starlette or capture the wire\"/>"));
  CHECK(has(text, "<error type=\"unreadable\" message=\"neither text nor a capture\"/>"));
  CHECK(has(text, "judged in part: the log starts in the middle of 2 sessions"));
}

TEST_CASE("a CSV row holds a finding, an input or a rule, all under one header") {
  const std::string text = written("csv", tests::demo_report());
  CHECK(text.starts_with("record,id,level,rule,incident,session,"));
  CHECK(has(text, "\nfinding,f-7f3a9c01,critical,duplicate-request-id,inc-7f3a9c,9f2c4e1ab7d84c0f8a6be3d2c1f05a77,"));
  CHECK(has(text, ",82,2026-11-28T08:13:23.321000Z,2026-11-28T21:40:01.000000Z,client,proven,"));
  CHECK(has(text, "\ninput,"));
  CHECK(has(text, "\nrule,,informational,reply-mismatch,"));
}
