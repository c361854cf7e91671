#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>

#include "model/timeline_format.h"
#include "report/escape.h"
#include "support/hostile_report.h"
#include "support/written_report.h"

using namespace mcpscan;
using mcpscan::report::escape_markdown;
using mcpscan::report::fenced_markdown;
using mcpscan::tests::written;
using nlohmann::json;

namespace {

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("jsonl holds each row of the JSON report on a line of its own, with its type") {
  const auto report = tests::demo_report();
  const json whole = json::parse(written("json", report));
  std::istringstream lines(written("jsonl", report));
  std::map<std::string, std::vector<json>> rows;
  for (std::string line; std::getline(lines, line);) {
    json row = json::parse(line);
    const std::string type = row["type"];
    row.erase("type");
    rows[type].push_back(row);
  }
  CHECK(rows["finding"] == whole["findings"].get<std::vector<json>>());
  CHECK(rows["incident"] == whole["incidents"].get<std::vector<json>>());
  CHECK(rows["session"] == whole["sessions"].get<std::vector<json>>());
  CHECK(rows["rule"] == whole["coverage"]["rules"].get<std::vector<json>>());
  CHECK(rows["input"] == whole["inputs"].get<std::vector<json>>());
  CHECK(rows["report"].at(0)["schema"] == whole["schema"]);
  CHECK(rows["totals"].at(0)["totals"] == whole["totals"]);
}

TEST_CASE("A stream of lines begins with its head, tells what went wrong as it is seen, and ends with the totals; what went well is not told") {
  for (const auto* entry : report::registered_report_formats()) {
    if (entry->name != "jsonl") continue;
    std::vector<std::string> lines;
    const auto writer = entry->stream("1.2.3", {}, [&](std::string_view line) { lines.emplace_back(line); });
    REQUIRE(lines.size() == 1);
    CHECK(json::parse(lines[0])["tool"]["version"] == "1.2.3");
    model::TimelineRow row;
    row.what = "stream 1 not found";
    for (const char mark : {'>', '<', '.', '!', 'x'}) row.mark = mark, writer->row(row);
    REQUIRE(lines.size() == 3);
    CHECK(json::parse(lines[2])["type"] == "event");
    const auto report = tests::demo_report();
    writer->input(report.inputs[0]);
    CHECK(json::parse(lines[3])["type"] == "read");
    CHECK_FALSE(json::parse(lines[3]).contains("vantage"));
    writer->finish(report);
    CHECK(json::parse(lines.back())["type"] == "totals");
  }
}

TEST_CASE("Markdown text brings no markup, HTML, mention, reference or link to life") {
  CHECK(escape_markdown("a|b *c* `d` _e_") == "a\\|b \\*c\\* \\`d\\` \\_e\\_");
  CHECK(escape_markdown("<img src=x onerror=y>&amp;") == "&lt;img src=x onerror=y\\>&amp;amp;");
  CHECK(escape_markdown("@team") == "@<!-- -->team");
  CHECK(escape_markdown("see #12") == "see \\#<!-- -->12");
  CHECK(escape_markdown("https://x.y") == "https:<!-- -->//x.y");
  CHECK(escape_markdown("[a](b)\n# c") == "\\[a\\]\\(b\\)\\\\n\\#<!-- --> c");
}

TEST_CASE("a fence is longer than any run of backticks inside it") {
  CHECK(fenced_markdown("plain\n") == "```text\nplain\n```\n");
  CHECK(fenced_markdown("a````b\n") == "`````text\na````b\n`````\n");
}

TEST_CASE("the Markdown report tells the incident with cause, places, fix and what was not judged") {
  const std::string text = written("md", tests::demo_report());
  CHECK(text.starts_with("# mcpscan: 1 incident, worst critical\n"));
  CHECK(has(text, "## CRITICAL: One id for concurrent calls: 82 calls"));
  CHECK(has(text, "**Fault:** client (proven), server unguarded."));
  CHECK(has(text, "    08:13:23.104  > render_chart"));
  CHECK(has(text, "| 73 | stream 1 |"));
  CHECK(has(text, "**Not judged: 2 of 8 rules**\n\n- 2 of 3 replies carry no body in this log (set DEBUG on sse\\_starlette or capture the wire): reply-mismatch and truncated-body\n"));
  CHECK(written("md", tests::clean_report()).starts_with("# mcpscan: CLEAN\n"));
}

TEST_CASE("a hostile Markdown report leaks no secret and no raw HTML") {
  const std::string text = written("md", tests::hostile_report());
  CHECK_FALSE(has(text, "s3cr3t"));
  CHECK_FALSE(has(text, "\x1b"));
  CHECK_FALSE(has(text, "\xe2\x80\xae"));
  CHECK_FALSE(has(text, "\nCRITICAL  forged"));
}
