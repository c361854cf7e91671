#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <deque>
#include <sstream>

#include "base/limits.h"
#include "report/timeline_format_registry.h"
#include "report/timeline_rows.h"

using namespace mcpscan;
using nlohmann::json;

namespace {

Time at(std::int64_t ms) { return {1795856400000000 + ms * kMillisecond}; }  // 2026-11-28 09:00:00 UTC

// A timeline of one session, made by hand: what each step needs stays alive with it.
class Story {
 public:
  Story() {
    session_->label = "8c1f";
    session_->client_name = "desk-agent";
    input_.path = "gateway.log";
  }

  model::Call& call(const std::string& id, const std::string& tool, std::int64_t ms) {
    model::Call& made = calls_.emplace_back();
    made.id.type = model::IdType::integer;
    made.id.value = made.id.raw = id;
    made.method = "tools/call";
    made.target = tool;
    made.requested_at = at(ms);
    return made;
  }
  void add(model::EventKind kind, std::int64_t ms, const model::Call* call, model::ReplyVerdict verdict = model::ReplyVerdict::answer) {
    model::TimelineEvent event;
    event.kind = kind;
    event.at = at(ms);
    event.source = {0, model::PlaceKind::line, events_.size() + 1, 100 * events_.size()};
    event.session = session_.get();
    event.call = call;
    event.verdict = verdict;
    events_.push_back(event);
  }

  std::string written(std::string_view format, const report::TimelineFilter& filter = {}, const model::Report& report = {}) const {
    std::string out;
    for (const auto* entry : report::registered_timeline_formats()) {
      if (entry->name != format) continue;
      const auto writer = entry->make({}, [&](std::string_view text) { out += text; });
      report::TimelineRows rows(*writer, filter);
      rows.on_input(input_);
      for (const auto& event : events_) rows.on_event(0, event);
      rows.finish(report);
    }
    return out;
  }

  std::unique_ptr<model::Session> session_ = std::make_unique<model::Session>();
  model::InputRow input_;
  std::deque<model::Call> calls_;
  std::vector<model::TimelineEvent> events_;
};

// Two calls in flight at the same time, the first answered last; a third has no reply.
Story crossing() {
  Story story;
  model::Call& first = story.call("1", "render_chart", 0);
  model::Call& second = story.call("2", "fetch_rates", 100);
  model::Call& third = story.call("3", "fetch_rates", 2000);
  third.closed = model::CloseReason::stream_closed;
  story.add(model::EventKind::request, 0, &first);
  story.add(model::EventKind::request, 100, &second);
  story.add(model::EventKind::reply, 300, &second);
  story.add(model::EventKind::reply, 900, &first);
  story.add(model::EventKind::request, 2000, &third);
  story.add(model::EventKind::call_closed, 5000, &third);
  return story;
}

std::size_t count_lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }
bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("the text timeline has a line an event, with its clock, session, mark and place") {
  const std::string text = crossing().written("text");
  CHECK(has(text, "2026-11-28 UTC\n  S1  8c1f, client desk-agent\n  09:00:00.000  S1    > render_chart  id 1 "));
  CHECK(has(text, "  09:00:00.300  S1    < reply to fetch_rates  id 2, 200 ms"));
  CHECK(has(text, "  09:00:05.000  S1    x fetch_rates  id 3 has no reply after 3.0 s: stream closed"));
  CHECK(has(text, " gateway.log:6\n"));
}

TEST_CASE("a Chrome trace loads back: calls are spans that never cross on their track, findings are marks on the session") {
  model::Report report;
  model::Finding finding;
  finding.id = "f1";
  finding.rule = "lost-reply";
  finding.session = "8c1f";
  finding.first = finding.last = at(5000);
  report.findings.push_back(finding);
  const json trace = json::parse(crossing().written("perfetto", {}, report));
  std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> tracks;
  std::size_t marks = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") tracks[{event["pid"], event["tid"]}].emplace_back(event["ts"], event["ts"].get<std::int64_t>() + event["dur"].get<std::int64_t>());
    if (event.value("cat", "") != "finding") continue;
    ++marks;
    CHECK(event["pid"] == 1);
    CHECK(event["ts"] == at(5000).us);
  }
  CHECK(marks == 1);
  REQUIRE(tracks.size() == 2);
  std::size_t spans = 0;
  for (auto& [track, list] : tracks) {
    std::sort(list.begin(), list.end());
    for (std::size_t i = 0; i + 1 < list.size(); ++i) CHECK(list[i].second <= list[i + 1].first);
    spans += list.size();
  }
  CHECK(spans == 3);
  CHECK(trace["otherData"]["events_without_time"] == 0);
}

TEST_CASE("jsonl keeps the JSON type of an id, and csv gives as many cells as its header has") {
  const Story story = crossing();
  std::istringstream lines(story.written("jsonl"));
  std::string line;
  REQUIRE(std::getline(lines, line));
  const json row = json::parse(line);
  CHECK(row["rpc_id"] == 1);
  CHECK(row["session"] == "8c1f");
  CHECK(row["at"] == "2026-11-28T09:00:00.000000Z");
  std::istringstream cells(story.written("csv"));
  for (std::size_t i = 0; std::getline(cells, line); ++i) CHECK(std::count(line.begin(), line.end(), ',') == 19 + (i == 0 ? 0 : has(line, ", ") ? 1 : 0));
}

TEST_CASE("a cell of the csv timeline cannot act as a formula, leave its row or hide text") {
  Story story;
  story.add(model::EventKind::request, 0, &story.call("7", "=HYPERLINK(\"http://x\",\"y\")\r\n\x1b[31m", 0));
  const std::string text = story.written("csv");
  CHECK(count_lines(text) == 2);
  CHECK(has(text, ",\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\\r\\n\\x1b[31m\","));
}

TEST_CASE("a timeline shows only what its session, tool, id and time ask for") {
  const Story story = crossing();
  report::TimelineFilter filter;
  filter.tool = "render_chart";
  CHECK(count_lines(story.written("jsonl", filter)) == 2);
  filter = {};
  filter.id = "3";
  CHECK(count_lines(story.written("jsonl", filter)) == 2);
  filter = {};
  filter.session = "8c1f";
  CHECK(count_lines(story.written("jsonl", filter)) == 6);
  filter.session = "other";
  CHECK(story.written("jsonl", filter).empty());
  filter = {};
  filter.since = at(300);
  filter.until = at(900);
  CHECK(count_lines(story.written("jsonl", filter)) == 2);
}

TEST_CASE("around an incident stands what happened near its calls, in its sessions") {
  model::Report report;
  model::Finding finding;
  finding.id = "f1";
  finding.session = "8c1f";
  finding.first = finding.last = at(5000);
  model::FindingCall call;
  call.requested_at = at(2000);
  finding.calls.push_back(call);
  report.findings.push_back(finding);
  model::Incident incident;
  incident.findings = {"f1"};
  report::TimelineFilter filter;
  look_around(report, incident, 50 * kMillisecond, filter);
  REQUIRE(filter.windows.size() == 2);
  CHECK(filter.windows[0] == std::pair(at(1950), at(2050)));
  CHECK(count_lines(crossing().written("jsonl", filter)) == 2);
  filter.sessions = {"another"};
  CHECK(crossing().written("jsonl", filter).empty());
}

TEST_CASE("beyond the bound of sessions a timeline goes on without short names") {
  Story story;
  const std::size_t most = Limits{}.sessions;
  std::string out;
  for (const auto* entry : report::registered_timeline_formats()) {
    if (entry->name != "text") continue;
    const auto writer = entry->make({}, [&](std::string_view text) { out = text; });
    report::TimelineRows rows(*writer, {});
    story.add(model::EventKind::session_started, 0, nullptr);
    for (std::uint32_t i = 0; i <= most; ++i) {
      story.session_->index = i;
      story.session_->label = std::to_string(i);
      rows.on_event(0, story.events_[0]);
    }
  }
  CHECK(has(out, "S  20000"));
}
