#include "history/retention.h"

#include <catch2/catch.hpp>

#include "unit/history/history_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using history::Access;
using history::History;

namespace {

std::int64_t rows(const std::string& path, const char* table) { return SQLite::Database(path).execAndGet(std::string("SELECT count(*) FROM ") + table).getInt64(); }

// A run of one day of its own client, kept for so many days.
void take_in_day(const std::string& path, const std::string& client, Time at, std::int64_t days, Time now = {}) {
  auto run = MadeRun(client).requests(at, 10).faults(at, 3);
  run.run.at = now;
  run.run.sources = {"/logs/" + client};
  run.run.shapes = {{"/logs/" + client, {7, 3, {}}}};
  run.run.sessions.emplace_back();
  run.run.sessions.back().source = run.run.sources[0];
  run.run.sessions.back().id = "session-of-" + client;
  const auto history = History::open(path, Access::write, 0).take();
  REQUIRE(history->begin().ok());
  REQUIRE(history->record(run.run, days).ok());
}

std::uint64_t requests_on(const std::string& path, Time day) { return History::open(path, Access::read, 0).take()->summarise(Zone(), Zone().day_of(day)).take().requests.day; }

}  // namespace

TEST_CASE("What is older than the days kept goes with all that belonged to it, what is younger stays, to the quarter") {
  const Folder folder;
  const std::string path = folder.file("h");
  take_in_day(path, "old", noon(2026, 11, 1), 10);
  take_in_day(path, "edge", noon(2026, 11, 2), 10);
  take_in_day(path, "young", noon(2026, 11, 12), 10);
  CHECK(requests_on(path, noon(2026, 11, 1)) == 0);
  CHECK(requests_on(path, noon(2026, 11, 2)) == 10);
  CHECK(requests_on(path, noon(2026, 11, 12)) == 10);
  for (const char* table : {"traffic", "occurrences", "findings", "causes", "runs", "coverage", "files", "sessions", "memories", "shapes"}) {
    INFO(table);
    CHECK(rows(path, table) == 2);
  }
}

TEST_CASE("A clock that is years ahead in some log empties no history, and a log of long ago is kept when it is read today") {
  const Folder folder;
  const std::string path = folder.file("h");
  take_in_day(path, "today", noon(2026, 11, 12), 10, noon(2026, 11, 12));
  take_in_day(path, "ahead", noon(2099, 1, 1), 10, noon(2026, 11, 13));
  CHECK(requests_on(path, noon(2026, 11, 12)) == 10);
  const std::string other = folder.file("other");
  take_in_day(other, "old", noon(2020, 1, 1), 10, noon(2026, 11, 12));
  CHECK(requests_on(other, noon(2020, 1, 1)) == 10);
}

TEST_CASE("An incident whose last occurrence was let go is new when it comes again; no limit lets nothing go") {
  const Folder folder;
  const std::string path = folder.file("h");
  take_in_day(path, "a", noon(2026, 1, 1), 0);
  take_in_day(path, "b", noon(2026, 11, 1), 0);
  CHECK(rows(path, "causes") == 2);
  take_in_day(path, "b", noon(2026, 11, 2), 10);
  CHECK(rows(path, "causes") == 1);
  take_in_day(path, "a", noon(2026, 11, 3), 10);
  const auto summary = History::open(path, Access::read, 0).take()->summarise(Zone(), {}).take();
  REQUIRE_FALSE(summary.incident_list.empty());
  CHECK(summary.incident_list[0].state == model::IncidentState::fresh);
}

TEST_CASE("Runs that saw nothing go as well when they are old, so that a cron job on a quiet host fills no disk") {
  const Folder folder;
  const std::string path = folder.file("h");
  take_in_day(path, "a", noon(2026, 11, 1), 0);
  MadeRun quiet("quiet");
  quiet.run.at = noon(2026, 11, 2);
  const auto history = History::open(path, Access::write, 0).take();
  REQUIRE(history->begin().ok());
  REQUIRE(history->record(quiet.run).ok());
  CHECK(rows(path, "runs") == 2);
  take_in_day(path, "b", noon(2026, 12, 1), 10, noon(2026, 12, 1));
  CHECK(rows(path, "runs") == 1);
  CHECK(rows(path, "coverage") == 1);
}
