#include <catch2/catch.hpp>

#include "support/hostile_report.h"
#include "support/written_report.h"

using namespace mcpscan;
using mcpscan::tests::written;

namespace {

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("the HTML report tells the incident, its fault, fix and what was not judged") {
  const std::string text = written("html", tests::demo_report());
  CHECK(has(text, "<h1>1 incident, worst critical</h1>"));
  CHECK(has(text, "<strong>Fault:</strong> client (proven), server unguarded."));
  CHECK(has(text, "<dt>Fix</dt><dd>client, a new id for each request"));
  CHECK(has(text, "(set DEBUG on sse_starlette or capture the wire): reply-mismatch and truncated-body</li>"));
  CHECK(has(written("html", tests::clean_report()), "<h1>CLEAN</h1>"));
  CHECK(has(written("html", tests::foreign_report()), "Nothing here speaks MCP."));
}

TEST_CASE("the drawing has an arrow a message, and in red the reply in another call's slot, the hole and the call that got none") {
  const std::string text = written("html", tests::demo_report());
  CHECK(count(text, "<g class=\"step ") == 5);
  CHECK(count(text, "<line class=\"arrow c") == 3);
  CHECK(count(text, "<line class=\"arrow c0 bad\"") == 1);
  CHECK(count(text, "<line class=\"hole\"") == 1);
  CHECK(count(text, "<path class=\"cross\"") == 2);
  CHECK(has(text, "at fault (proven)"));
  CHECK(has(text, ">unguarded<"));
}

TEST_CASE("a reply in another call's slot ends at the bar of that call") {
  const std::string text = written("html", tests::demo_report());
  const std::size_t arrow = text.find("<line class=\"arrow c0 bad\"");
  REQUIRE(arrow != std::string::npos);
  // The client's lane is at 100, the second call's bar 8 to its right and 5 wide; an arrow stops one unit before it.
  CHECK(has(text.substr(arrow, 120), "x2=\"112\""));
}

TEST_CASE("each step of a drawing can be reached by keyboard and says its time, text and place") {
  const std::string text = written("html", tests::demo_report());
  CHECK(has(text, "tabindex=\"0\" role=\"img\" aria-label=\"08:13:23.104 render_chart     id 1, gateway.log:1041\""));
  CHECK(has(text, "POST tools/call id=1 render_chart</text>"));
}

TEST_CASE("the overview has a row for all sessions and one a session, with its sums") {
  const std::string text = written("html", tests::demo_report());
  CHECK(count(text, "<div class=\"day-row\">") == 3);
  CHECK(has(text, "aria-label=\"44d1: 42 calls\""));
  CHECK(has(text, "Each bar is 15 min,"));
  model::Report untimed = tests::demo_report();
  untimed.activity = {};
  CHECK_FALSE(has(written("html", untimed), "Calls over time"));
}

TEST_CASE("times that people read are told in the zone asked for, those of programs in UTC") {
  model::ReportOptions options;
  options.zone = Zone::locate("Europe/Berlin").take();
  const model::Report report = tests::demo_report();
  CHECK(has(written("html", report, options), "<time datetime=\"2026-11-28T08:13:23.104000Z\">2026-11-28 09:13:23.104</time>"));
  CHECK(has(written("text", report, options), "09:13:23.104  > render_chart"));
  CHECK(has(written("text", report, options), "2026-11-28 01:00:04 to 2026-11-29 00:59:58 Europe/Berlin"));
  CHECK(has(written("md", report, options), "| Time (Europe/Berlin) |"));
  for (const char* machine : {"json", "jsonl", "csv", "sarif", "junit"}) CHECK(written(machine, report, options) == written(machine, report));
}

TEST_CASE("a hostile HTML report leaks no secret and brings no markup to life") {
  const std::string text = written("html", tests::fixed_hostile_report());
  CHECK_FALSE(has(text, "s3cr3t"));
  CHECK_FALSE(has(text, "<script"));
  CHECK_FALSE(has(text, "<img"));
  CHECK_FALSE(has(text, "\xe2\x80\xae"));
}
