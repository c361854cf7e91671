#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <sstream>

#include "pipeline/rows_tap.h"
#include "pipeline/scan.h"
#include "report/timeline_format_registry.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using nlohmann::json;

namespace {

struct Timeline {
  std::string text;
  model::Report report;
};

Timeline timeline_of(const pipeline::ScanOptions& options, std::string_view format, const Limits& limits = {}) {
  Timeline timeline;
  for (const auto* entry : report::registered_timeline_formats()) {
    if (entry->name != format) continue;
    const auto writer = entry->make({}, [&](std::string_view piece) { timeline.text += piece; });
    report::TimelineRows rows(*writer, {});
    pipeline::RowsTap tap(rows);
    timeline.report = pipeline::scan(options, pipeline::load_knowledge({}, {}), limits, [](const std::string&, std::uint64_t) {}, &tap).report;
    rows.finish(timeline.report);
  }
  return timeline;
}

Timeline timeline_of_sample(std::string_view format, unsigned threads) {
  pipeline::ScanOptions options;
  options.inputs = {std::string(MCPSCAN_SOURCE_DIR) + "/samples/gateway.log"};
  options.threads = threads;
  return timeline_of(options, format);
}

}  // namespace

TEST_CASE("the timeline of a day has a row for each request and reply that the report counts") {
  const Timeline timeline = timeline_of_sample("jsonl", 1);
  std::istringstream lines(timeline.text);
  std::map<std::string, std::uint64_t> rows;
  for (std::string line; std::getline(lines, line);) {
    const json row = json::parse(line);
    ++rows[row["type"] == "event" ? row["event"].get<std::string>() : row["type"].get<std::string>()];
  }
  CHECK(rows["request"] == timeline.report.totals.requests);
  CHECK(rows["finding"] == timeline.report.findings.size());
  CHECK(rows["incident"] == timeline.report.incidents.size());
}

TEST_CASE("the Chrome trace of a day loads back: a span for each call, and no two of a track cross") {
  const json trace = json::parse(timeline_of_sample("perfetto", 1).text);
  std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> tracks;
  std::size_t calls = 0, marks = 0;
  for (const json& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (event["ph"] == "X") tracks[{event["pid"], event["tid"]}].emplace_back(event["ts"], event["ts"].get<std::int64_t>() + event["dur"].get<std::int64_t>());
    calls += category == "call";
    marks += category == "finding";
  }
  CHECK(calls == 499);
  CHECK(marks > 73);
  for (auto& [track, spans] : tracks) {
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 0; i + 1 < spans.size(); ++i) CHECK(spans[i].second <= spans[i + 1].first);
  }
}

// Of the Trace Event Format's JSON Object Format: what each phase that is used must have.
TEST_CASE("Every event of a Chrome trace has what its phase asks for, and every process and track has a name, a process a better one once its client is told") {
  const json trace = json::parse(timeline_of_sample("perfetto", 1).text);
  CHECK(trace["displayTimeUnit"] == "ms");
  std::set<std::pair<int, int>> used, tracks;
  std::set<int> processes;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event.at("ph");
    const std::pair<int, int> track{event.at("pid"), event.at("tid")};
    CHECK(event.at("name").is_string());
    CHECK(event.at("args").is_object());
    if (phase == "M") {
      CHECK(event["args"].at("name").is_string());
      if (event["name"] == "process_name") processes.insert(track.first);
      else CHECK(tracks.insert(track).second);
      continue;
    }
    used.insert(track);
    CHECK(event.at("ts").is_number_integer());
    CHECK(event.at("cat").is_string());
    if (phase == "X") CHECK(event.at("dur").get<std::int64_t>() >= 0);
    else CHECK((phase == "i" && std::string("gpt").find(event.at("s").get<std::string>()) != std::string::npos));
  }
  for (const auto& track : used) {
    INFO(track.first << " " << track.second);
    CHECK(processes.contains(track.first));
    CHECK(tracks.contains(track));
  }
}

TEST_CASE("the timeline is the same for any number of threads") {
  for (const char* format : {"text", "csv", "jsonl", "perfetto"}) CHECK(timeline_of_sample(format, 1).text == timeline_of_sample(format, 4).text);
}

TEST_CASE("rows of Rich's without a time have that of the row before, however many blocks lie between") {
  const tests::ScratchFolder folder;
  std::string log = "[11/29/26 16:35:08] INFO     StreamableHTTP session manager started                     streamable_http_manager.py:110\n";
  for (int i = 0; i < 200; ++i) {
    log += "INFO:     10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200 OK\n";
    if (i % 40 == 39) log += "                    ERROR    No response message received before stream closed             streamable_http.py:480\n";
  }
  pipeline::ScanOptions options;
  options.inputs = {folder.write("server.log", log)};
  std::set<std::string> timelines;
  for (const std::size_t block : {std::size_t{512}, std::size_t{1} << 20}) {
    for (const unsigned threads : {1u, 8u}) {
      Limits limits;
      limits.block_bytes = block;
      options.threads = threads;
      timelines.insert(timeline_of(options, "csv", limits).text);
    }
  }
  REQUIRE(timelines.size() == 1);
  std::size_t rows = 0;
  for (std::size_t at = timelines.begin()->find("2026-11-29T16:35:08.000000Z,notice"); at != std::string::npos; at = timelines.begin()->find("2026-11-29T16:35:08.000000Z,notice", at + 1)) ++rows;
  CHECK(rows == 6);
}
