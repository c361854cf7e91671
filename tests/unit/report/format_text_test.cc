#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "base/limits.h"
#include "report/utf8.h"
#include "support/hostile_report.h"
#include "support/written_report.h"

using namespace mcpscan;
using mcpscan::tests::written;

namespace {

constexpr Limits kLimits;

model::ReportOptions terminal(unsigned width) {
  model::ReportOptions options;
  options.width = width;
  options.terminal = true;
  return options;
}

std::string golden(const std::string& name, const std::string& actual) {
  const std::string path = MCPSCAN_SOURCE_DIR "/tests/golden/report/" + name;
  if (std::getenv("MCPSCAN_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << actual;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

std::string without_colour(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') i = text.find('m', i);
    else plain += text[i];
  }
  return plain;
}

}  // namespace

TEST_CASE("the incident of the design page reads well at 80 and at 120 columns") {
  for (const unsigned width : {80u, 120u}) {
    const std::string actual = written("text", tests::demo_report(), terminal(width));
    CHECK(actual == golden("incident_" + std::to_string(width) + ".txt", actual));
  }
}

TEST_CASE("a clean day is one sentence to forward, evidence without MCP says so") {
  const std::string clean = written("text", tests::clean_report(), terminal(80));
  CHECK(clean == golden("clean_80.txt", clean));
  const std::string foreign = written("text", tests::foreign_report(), terminal(80));
  CHECK(foreign == golden("without_mcp_80.txt", foreign));
}

TEST_CASE("clean is said only when every rule was judged, every input read and every request paired") {
  CHECK(has(written("text", tests::clean_report()), "CLEAN  1,200 tools/call in 2 sessions"));
  auto unjudged = tests::clean_report();
  unjudged.rules.push_back({"null-id", model::RuleState::not_evaluable, "this log carries no ids", {}});
  CHECK(has(written("text", unjudged), "NO FAULT FOUND"));
  CHECK(has(written("text", unjudged), "Not judged: 1 of 3 rules\n  this log carries no ids: null-id\n"));
  auto cut = tests::clean_report();
  cut.inputs[0].anomalies.add({"truncated-gzip", "read to byte 1,048,576", tests::demo_line(77), 1});
  CHECK(has(written("text", cut), "NO FAULT FOUND"));
  CHECK(has(written("text", cut), "gateway.log:77  read to byte 1,048,576 (truncated-gzip)"));
  auto unpaired = tests::clean_report();
  unpaired.requests_with_reply -= 1;
  CHECK(has(written("text", unpaired), "over 99 %"));
  CHECK_FALSE(has(written("text", unpaired), "CLEAN"));
}

TEST_CASE("an input that could not be read is never told as a clean or foreign one") {
  model::Report report;
  report.inputs.push_back({});
  report.inputs[0].path = "gone.log";
  report.inputs[0].error = "permission denied";
  const std::string text = written("text", report);
  CHECK(has(text, "gone.log  could not be read: permission denied"));
  CHECK(has(text, "NOTHING COULD BE READ"));
  CHECK_FALSE(has(text, "speaks MCP"));
  CHECK(written("text", model::Report()) == "No input was read.\n");
}

TEST_CASE("where no rule that was asked could judge, nothing at fault was looked for; where one could in part, that is said") {
  auto report = tests::demo_report();
  report.findings.clear(), report.incidents.clear();
  for (auto& rule : report.rules) rule.state = model::RuleState::not_evaluable;
  const std::string nothing = written("text", report, terminal(400));
  CHECK(has(without_colour(nothing), "NOTHING WAS JUDGED"));
  CHECK(has(nothing, "checked by no rule"));
  CHECK_FALSE(has(nothing, "nothing at fault was found"));
  report.rules[0].state = model::RuleState::partly;
  CHECK(has(written("text", report, terminal(400)), "checked in part by 1 rule"));
}

TEST_CASE("of inputs that hold nothing, or nothing of the time that was asked for, nothing else is said") {
  model::Report report;
  report.inputs.push_back(tests::demo_input());
  report.inputs[0].reader = "none";
  report.inputs[0].books = {};
  const std::string empty = written("text", report);
  CHECK(has(empty, "nothing to read in it"));
  CHECK(has(empty, "There was nothing to read."));
  report.inputs[0].reader = "log/general";
  report.inputs[0].books.ignore("out-of-window", 80);
  const std::string outside = written("text", report);
  CHECK(has(outside, "of which 80 lie outside of"));
  CHECK_FALSE(has(outside, "speaks MCP. "));
}

TEST_CASE("incidents stand worst first, whatever their order in the report") {
  auto report = tests::demo_report();
  model::Incident low;
  low.id = "inc-low";
  low.title = "A small thing";
  low.level = model::Level::low;
  report.incidents.insert(report.incidents.begin(), low);
  const std::string text = written("text", report);
  CHECK(text.find("CRITICAL") < text.find("LOW  A small thing"));
}

TEST_CASE("without a picture an incident shows the places of its root") {
  auto report = tests::demo_report();
  report.incidents[0].picture.clear();
  const std::string text = written("text", report);
  CHECK(has(text, "    gateway.log:1041  POST tools/call id=1 render_chart"));
  CHECK(has(text, "    and 80 more"));
}

TEST_CASE("the date stands before the first line of each day where the evidence spans days") {
  auto report = tests::demo_report();
  report.inputs[0].last = tests::demo_time(9, 0, 0, 0, 29);
  report.incidents[0].picture[4].at = tests::demo_time(0, 0, 1, 0, 29);
  const std::string text = written("text", report);
  CHECK(has(text, "    2026-11-28\n    08:13:23.104"));
  CHECK(has(text, "    2026-11-29\n    00:00:01.000"));
}

TEST_CASE("terminal_rows caps every long list on a terminal and tells how many are left out") {
  auto report = tests::demo_report();
  for (int i = 0; i < 40; ++i) {
    report.sessions.push_back(tests::demo_session("s" + std::to_string(i), {}));
    report.findings.push_back(tests::demo_note());
    report.findings.back().id = "f" + std::to_string(i);
    report.findings[1].tally["stream " + std::to_string(i + 2)] = 1;
  }
  const std::string capped = written("text", report, terminal(100)), whole = written("text", report);
  CHECK(has(capped, fmt::format("and {} more sessions", 42 - kLimits.terminal_rows)));
  CHECK(has(capped, "and 29 more findings"));
  CHECK(has(capped, "29 under 29 more keys"));
  CHECK_FALSE(has(whole, "more sessions"));
  CHECK(has(whole, "\n  s39 "));
}

TEST_CASE("terminal_text_bytes keeps one long text from filling the screen; a file gets more of it") {
  auto report = tests::demo_report();
  report.incidents[0].story = std::string(100000, '#');
  const auto letters = [&](const model::ReportOptions& options) {
    const std::string text = written("text", report, options);
    return std::count(text.begin(), text.end(), '#');
  };
  CHECK(letters(terminal(80)) == static_cast<std::ptrdiff_t>(kLimits.terminal_text_bytes));
  CHECK(letters({}) == static_cast<std::ptrdiff_t>(kLimits.report_text_bytes));
  CHECK(has(written("text", report, terminal(80)), "… (100,000 bytes)"));
}

TEST_CASE("the row of the other sessions stands last and is not counted as one") {
  auto report = tests::demo_report();
  report.sessions_left_out = 9000;
  report.sessions.push_back(tests::demo_session("(others)", {90000, 90000, 0, 90000, 0}));
  report.sessions.back().id.clear();
  report.sessions.back().key = "(others)";
  const std::string text = written("text", report);
  CHECK(has(text, "9,002 sessions, 499 requests"));
  CHECK(text.find("(others)") > text.find("  44d1 "));
}

TEST_CASE("inputs of one name are told apart in places, long paths by their shortest ending") {
  auto report = tests::demo_report();
  report.inputs.push_back(report.inputs[0]);
  report.inputs[0].path = "/srv/logs/production/eu-west/replica-1/gateway.log";
  report.inputs[1].path = "/srv/logs/production/eu-west/replica-2/gateway.log";
  const std::string text = written("text", report);
  CHECK(has(text, "replica-1/gateway.log:1041"));
  CHECK(has(text, "/srv/logs/production/eu-west/replica-1/gateway.log  3,271 lines"));
}

TEST_CASE("a place too wide for its column stands whole on a line of its own") {
  auto report = tests::demo_report();
  report.inputs[0].path = std::string(50, 'd') + ".log";
  CHECK(has(written("text", report, terminal(80)), "\n                    " + std::string(50, 'd') + ".log:1041\n"));
}

TEST_CASE("colour changes nothing but colour") {
  auto options = terminal(100);
  const std::string plain = written("text", tests::demo_report(), options);
  options.colour = true;
  const std::string coloured = written("text", tests::demo_report(), options);
  CHECK(has(coloured, "\x1b[1;31mCRITICAL\x1b[0m"));
  CHECK(without_colour(coloured) == plain);
}

TEST_CASE("a hostile report cannot act on the terminal, forge a line, leak a secret or burst the width") {
  for (const unsigned width : {0u, 80u, 120u, 200u, 100000u}) {
    const std::string text = written("text", tests::hostile_report(), terminal(width));
    const std::size_t most = std::clamp(width, 80u, 200u);
    for (const std::string& line : lines_of(text)) {
      CHECK(report::text_width(line) <= most);
      CHECK(std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; }));
      CHECK_FALSE(line.starts_with("CRITICAL  forged"));
    }
    CHECK_FALSE(has(text, "\xe2\x80\xae"));
    CHECK_FALSE(has(text, "s3cr3t"));
  }
}

TEST_CASE("what several rules would be enabled by alike is told once, not behind each of them") {
  model::Report report = tests::demo_report();
  const std::string loggers = "set DEBUG on mcp.server.streamable_http";
  report.rules = {{"one", model::RuleState::not_evaluable, "no channels", loggers + "; or: capture the wire"}, {"two", model::RuleState::not_evaluable, "no headers", loggers + "; or: export a HAR"}};
  const std::string text = written("text", report);
  CHECK(text.find("  no channels (capture the wire): one\n") != std::string::npos);
  CHECK(text.find("  no headers (export a HAR): two\n") != std::string::npos);
  CHECK(text.find("More would be judged from these logs: " + loggers) != std::string::npos);
  CHECK(text.find(loggers) == text.rfind(loggers));
}
