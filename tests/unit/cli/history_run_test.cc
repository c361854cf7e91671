#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/time.h"
#include "pipeline/run_recorder.h"
#include "pipeline/scan.h"
#include "unit/history/history_kit.h"

using namespace mcpscan;
using mcpscan::tests::Folder;

namespace {

std::string sample() { return mcpscan::tests::bytes_of(std::string(MCPSCAN_SOURCE_DIR) + "/samples/gateway.log"); }

void write(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

void append(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary | std::ios::app) << text; }

// A history in memory and the runs that it takes in.
class Runs {
 public:
  // Inputs that were read, in this run.
  std::size_t run(const std::vector<std::string>& inputs) {
    pipeline::ScanOptions options;
    options.inputs = inputs;
    options.threads = 1;
    if (!history_->begin().ok()) return SIZE_MAX;
    const Limits limits;
    pipeline::RunRecorder recorder(history_->known().take(), limits);
    auto result = pipeline::scan(options, knowledge(), limits, [](const std::string&, std::uint64_t) {}, nullptr, &recorder);
    const std::size_t read = result.report.inputs.size();
    bytes_read_ = 0;
    for (const auto& input : result.report.inputs) bytes_read_ += input.books.total;
    return history_->record(recorder.take(std::move(result.report), result.assembled)).ok() ? read : SIZE_MAX;
  }
  model::Summary summary() { return history_->summarise(Zone(), {}).take(); }
  std::uint64_t records_read() const { return bytes_read_; }

 private:
  static const pipeline::Knowledge& knowledge() {
    static const pipeline::Knowledge kKnowledge = pipeline::load_knowledge({}, {});
    return kKnowledge;
  }

  std::unique_ptr<history::History> history_ = mcpscan::tests::in_memory();
  std::uint64_t bytes_read_ = 0;
};

// What must not depend on how often, and at which places, the evidence was cut into runs.
struct Totals {
  explicit Totals(Runs& runs) {
    const auto summary = runs.summary();
    for (const auto* value : {&summary.requests, &summary.replies, &summary.unanswered, &summary.timeouts, &summary.errors, &summary.sessions, &summary.faults, &summary.incidents}) {
      numbers.push_back(value->day);
    }
    for (const auto& incident : summary.incident_list) incidents.push_back(incident.title + ' ' + incident.client + ' ' + std::to_string(incident.count.day));
    std::sort(incidents.begin(), incidents.end());
  }
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> incidents;
};

Totals whole_day() {
  const Folder folder;
  write(folder.file("gateway.log"), sample());
  Runs runs;
  runs.run({folder.file("gateway.log")});
  return Totals(runs);
}

std::size_t line_start(const std::string& text, std::size_t line) {
  std::size_t at = 0;
  for (; line > 1 && at != std::string::npos; --line) at = text.find('\n', at) + 1;
  return at;
}

// Calls of two tools whose replies look different, one after the other; then two at once, each with the other one's reply, which nothing but its
// look tells.
class SwapLog {
 public:
  std::string calm(std::size_t pairs) {
    std::string text;
    for (std::size_t i = 0; i < pairs; ++i) {
      text += call("search") + reply(id_, "hits");
      text += call("query") + reply(id_, "rows");
    }
    return text;
  }
  std::string swap() {
    const std::string calls = call("search") + call("query");
    return calls + reply(id_ - 1, "rows") + reply(id_, "hits");
  }

 private:
  std::string line(const std::string& message) {
    ++ticks_;
    return fmt::format("2026-11-28 08:{:02}:{:02},{:03} - proxy - DEBUG - mcp-session-id=0f2c4e1ab7d84c0f8a6be3d2c1f05a77 {}\n", ticks_ / 1200, ticks_ / 20 % 60, ticks_ % 20 * 50, message);
  }
  std::string call(std::string_view tool) {
    ++id_;
    return line(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{{"n":{}}}}}}})", id_, tool, id_ % 7));
  }
  std::string reply(int id, std::string_view member) {
    return line(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{{\"{}\": {}}}"}}]}}}})", id, member, id % 5));
  }
  int id_ = 0;
  unsigned ticks_ = 0;
};

}  // namespace

TEST_CASE("What earlier runs have learned of how replies look tells an exchange that the new part of a log could not tell by itself") {
  const Folder folder;
  const std::string path = folder.file("gateway.log"), alone = folder.file("alone.log");
  SwapLog log;
  write(path, log.calm(200));
  Runs runs;
  runs.run({path});
  CHECK(runs.summary().incidents.day == 0);
  const std::string news = log.swap() + log.calm(3);
  append(path, news);
  runs.run({path});
  REQUIRE(runs.summary().incident_list.size() == 1);
  CHECK(runs.summary().incident_list[0].rule == "reply-mismatch");
  write(alone, news);
  Runs fresh;
  fresh.run({alone});
  CHECK(fresh.summary().incidents.day == 0);
}

TEST_CASE("a day read in many runs, cut at records and within them, gives the numbers of the day read at once") {
  const Totals expected = whole_day();
  const std::string day = sample();
  for (const std::size_t stride : {251u, 640u}) {
    const Folder folder;
    const std::string path = folder.file("gateway.log");
    Runs runs;
    for (std::size_t line = stride, from = 0; from < day.size(); line += stride) {
      const std::size_t cut = line > 3143 ? day.size() : line_start(day, line) + (line % 2 == 0 ? 20 : 0);
      append(path, std::string_view(day).substr(from, cut - from));
      from = cut;
      REQUIRE(runs.run({path}) == 1);
    }
    const Totals seen(runs);
    CHECK(seen.numbers == expected.numbers);
    CHECK(seen.incidents == expected.incidents);
  }
}

TEST_CASE("a rotated log goes on where it was left, and its new file is read from the beginning") {
  const Totals expected = whole_day();
  const std::string day = sample();
  const std::size_t first = line_start(day, 700), second = line_start(day, 1500);
  const Folder folder;
  const std::string live = folder.file("gateway.log"), old = folder.file("gateway.log.1");
  Runs runs;
  write(live, std::string_view(day).substr(0, first));
  runs.run({live});
  append(live, std::string_view(day).substr(first, second - first));
  std::filesystem::rename(live, old);
  write(live, std::string_view(day).substr(second));
  CHECK(runs.run({live, old}) == 2);
  CHECK(Totals(runs).numbers == expected.numbers);
  CHECK(Totals(runs).incidents == expected.incidents);
}

TEST_CASE("what was read is not read again, wherever the file lies by now") {
  const Folder folder;
  const std::string path = folder.file("gateway.log"), day = sample();
  write(path, day);
  Runs runs;
  REQUIRE(runs.run({path}) == 1);
  const Totals before(runs);
  CHECK(runs.run({path}) == 0);
  std::filesystem::rename(path, folder.file("gateway.log.1"));
  CHECK(runs.run({folder.file("gateway.log.1")}) == 0);
  std::filesystem::copy_file(folder.file("gateway.log.1"), folder.file("kept.log"));
  CHECK(runs.run({folder.file("kept.log")}) == 0);
  CHECK(Totals(runs).numbers == before.numbers);
}

TEST_CASE("a log that was truncated and began anew is new evidence; what it held before stays counted") {
  const std::string day = sample();
  const std::size_t half = line_start(day, 1500);
  const Folder folder;
  const std::string path = folder.file("gateway.log");
  Runs runs;
  write(path, std::string_view(day).substr(0, half));
  runs.run({path});
  const std::uint64_t before = runs.summary().requests.day;
  write(path, std::string_view(day).substr(half));
  CHECK(runs.run({path}) == 1);
  CHECK(before > 0);
  CHECK(runs.summary().requests.day == whole_day().numbers[0]);
}

TEST_CASE("beyond the bound of rows a quarter's traffic folds into one, and no call is lost") {
  pipeline::TrafficLog log(2);
  model::Session session;
  session.label = "8c1f";
  model::Call call;
  call.method = "tools/call";
  model::TimelineEvent event;
  event.kind = model::EventKind::request;
  event.at = {1795856400000000};
  event.session = &session;
  event.call = &call;
  for (const char* tool : {"a", "b", "c", "d"}) {
    call.target = tool;
    log.on_event(0, event);
  }
  const auto rows = log.take();
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].row.session == "(others)");
  CHECK(rows[2].row.counts.requests == 2);
}

TEST_CASE("what tells no time counts: on the last day that is known of its run, and where none is, on no day but in the summary") {
  const Folder folder;
  std::string undated;
  for (const char* message : {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1}}})", R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"b","arguments":{"x":2}}})",
                              R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"2"}]}})"}) {
    undated += message + std::string("\n");
  }
  write(folder.file("undated.log"), undated);
  Runs alone;
  alone.run({folder.file("undated.log")});
  const auto summary = alone.summary();
  CHECK_FALSE(summary.has_day);
  CHECK(summary.has_evidence);
  CHECK(summary.requests.day == 2);
  CHECK(summary.replies.day == 1);
  REQUIRE(summary.incident_list.size() == 1);
  CHECK(summary.incident_list[0].count.day == 1);
  CHECK_FALSE(summary.incident_list[0].first.known());

  write(folder.file("swaps.log"), SwapLog().calm(3));
  Runs beside;
  beside.run({folder.file("swaps.log"), folder.file("undated.log")});
  const auto dated = beside.summary();
  CHECK(dated.has_day);
  CHECK(dated.day == days_from_civil(2026, 11, 28));
  CHECK(dated.requests.day == 8);
  CHECK(dated.undated);
  CHECK(dated.undated_faults == 1);
}

TEST_CASE("a session that a proxy passes on counts at the hop that shows most of its calls; another session's calls are untouched") {
  const auto placed = [](const char* session, const char* server, std::int64_t quarter, std::uint64_t requests, std::int64_t answered_us) {
    pipeline::PlacedTraffic traffic{{quarter, session, "echo", {}}, server};
    traffic.row.counts.requests = requests;
    traffic.row.counts.answered_us = answered_us;
    return traffic;
  };
  const char* const kSession = "8c1f2a3b00000000000000000000000f";
  const pipeline::ReportedNames names{{"behind", kSession}};
  const char* const back = GENERATE("8C1F2A3B-0000-0000-0000-00000000000F", "behind");  // under its own name, and under one that only the bridge's server knows
  // Over the border of two quarters: what the one hop shows in the first, the other may show in the second.
  const std::vector<pipeline::PlacedTraffic> rows{placed(kSession, "a:1", 10, 6, 600), placed(back, "b:2", 10, 5, 200), placed(back, "b:2", 11, 1, 100), placed("other", "b:2", 10, 3, 9)};
  pipeline::CountedOnce once(names);
  once.look_at(rows);
  const auto kept = once.rows_of(rows);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].session == kSession);
  CHECK(kept[0].counts.answered_us == 600);
  CHECK(kept[1].session == "other");
}

TEST_CASE("what the report has left out of a finding is not counted either") {
  std::vector<model::OccurrenceRow> rows{{"f", 1, 3}, {"f", 2, 3}, {"g", 1, 2}};
  std::map<std::string, std::uint64_t> counted;
  pipeline::count_no_more({{"f", 4}}, counted, rows);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].count == 1);
  CHECK(rows[2].count == 2);
  CHECK(counted["f"] == 4);
}
