#include <catch2/catch.hpp>

#include "unit/history/history_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::IncidentState;

namespace {

std::int64_t day(std::int64_t year, unsigned month, unsigned number) { return days_from_civil(year, month, number); }

model::Summary summary_of(history::History& history, std::optional<std::int64_t> wanted = {}, const char* zone = "UTC") {
  return history.summarise(Zone::locate(zone).take(), wanted).take();
}

}  // namespace

TEST_CASE("an incident is new, then ongoing, then resolved by a day whose evidence would show it, and may return") {
  const auto history = in_memory();
  MadeRun run;
  for (unsigned number = 1; number <= 6; ++number) run.requests(noon(2026, 11, number), 10);
  run.faults(noon(2026, 11, 1), 3).faults(noon(2026, 11, 2), 2).faults(noon(2026, 11, 5), 1);
  take_in(*history, run.run);
  const IncidentState expected[] = {IncidentState::fresh, IncidentState::ongoing, IncidentState::resolved, IncidentState::resolved, IncidentState::returned, IncidentState::resolved};
  for (unsigned number = 1; number <= 6; ++number) {
    const auto summary = summary_of(*history, day(2026, 11, number));
    if (number == 4) {
      CHECK(summary.incident_list.empty());
      continue;
    }
    REQUIRE(summary.incident_list.size() == 1);
    CHECK(summary.incident_list[0].state == expected[number - 1]);
  }
  CHECK(summary_of(*history).day == day(2026, 11, 6));
  CHECK(summary_of(*history, day(2026, 11, 2)).incident_list[0].count.day_before == 3);
}

TEST_CASE("an incident is not resolved by a day that could not show it: no evidence, none of its time of day, no call of its client, or its rule not judged") {
  const auto history = in_memory();
  MadeRun run;
  run.requests(noon(2026, 11, 1), 10).faults(noon(2026, 11, 1), 3);
  take_in(*history, run.run);
  CHECK(summary_of(*history, day(2026, 11, 2)).incident_list.at(0).state == IncidentState::unclear);
  MadeRun other("another");
  other.requests(noon(2026, 11, 2), 5);
  take_in(*history, other.run);
  CHECK(summary_of(*history, day(2026, 11, 2)).incident_list.at(0).state == IncidentState::unclear);
  MadeRun same;
  same.requests(noon(2026, 11, 2, 13), 5);
  take_in(*history, same.run);
  CHECK(summary_of(*history, day(2026, 11, 2)).incident_list.at(0).state == IncidentState::resolved);

  const auto early = in_memory();
  take_in(*early, run.run);
  MadeRun morning;
  morning.requests(noon(2026, 11, 2, 9), 5);
  take_in(*early, morning.run);
  const auto so_far = summary_of(*early, day(2026, 11, 2));
  CHECK(so_far.evidence_to.us - so_far.evidence_from.us == model::kQuarter);
  CHECK(so_far.incident_list.at(0).state == IncidentState::unclear);

  const auto blind = in_memory();
  take_in(*blind, run.run);
  same.run.report.rules[0].state = model::RuleState::not_evaluable;
  take_in(*blind, same.run);
  const auto summary = summary_of(*blind, day(2026, 11, 2));
  CHECK(summary.incident_list.at(0).state == IncidentState::unclear);
  REQUIRE(summary.not_judged.size() == 1);
  CHECK(summary.not_judged[0].rule == "lost-reply");
}

TEST_CASE("an incident's place is that of the finding which occurred last, whichever line number reads as the greatest word") {
  const auto history = in_memory();
  MadeRun made;
  model::Report& report = made.run.report;
  report.inputs.emplace_back().path = "gateway.log";
  model::Finding later = report.findings[0];
  later.id += ", of another session";
  later.session = "another";
  report.findings[0].evidence.push_back({{0, model::PlaceKind::line, 799, 0}, {}});
  later.evidence.push_back({{0, model::PlaceKind::line, 1927, 0}, {}});
  report.findings.push_back(later);
  report.incidents[0].findings.push_back(later.id);
  made.requests(noon(2026, 11, 1), 10).faults(noon(2026, 11, 1), 3);
  made.run.files[0].settled.occurrences.push_back({later.id, model::quarter_of(noon(2026, 11, 1, 14)), 2});
  take_in(*history, made.run);
  const auto summary = summary_of(*history);
  REQUIRE(summary.incident_list.size() == 1);
  CHECK(summary.incident_list[0].place == "gateway.log:1927");
}

TEST_CASE("days are those of the zone: compared across a change of the clock, and not with a day that has no evidence") {
  const auto history = in_memory();
  MadeRun run;
  // In Berlin 2026-10-25 has 25 hours: 2026-10-24 22:00 to 2026-10-25 23:00 UTC.
  run.requests(noon(2026, 10, 24, 21, 45), 7);    // the last quarter of the 24th
  run.requests(noon(2026, 10, 24, 22), 1);        // the first one of the 25th
  run.requests(noon(2026, 10, 25, 22, 45), 10);   // the last one of the 25th
  run.requests(noon(2026, 10, 25, 23), 100);      // the 26th
  run.requests(noon(2026, 10, 19, 12), 50);       // a week before the 26th
  take_in(*history, run.run);
  const auto summary = summary_of(*history, day(2026, 10, 25), "Europe/Berlin");
  CHECK(summary.to.us - summary.from.us == 25 * kHour);
  CHECK(summary.requests.day == 11);
  CHECK(summary.requests.day_before == 7);
  CHECK_FALSE(summary.requests.week_before.has_value());
  const auto next = summary_of(*history, day(2026, 10, 26), "Europe/Berlin");
  CHECK(next.requests.day == 100);
  CHECK(next.requests.day_before == 11);
  CHECK(next.requests.week_before == 50);
  const auto utc = summary_of(*history, day(2026, 10, 25));
  CHECK(utc.requests.day == 110);
  const auto behind_a_hole = summary_of(*history, day(2026, 10, 24), "Europe/Berlin");
  CHECK_FALSE(behind_a_hole.requests.day_before.has_value());
  CHECK(behind_a_hole.last_day == day(2026, 10, 19));
}

TEST_CASE("parts of one source add up; of two sources that show the same traffic the one that saw more counts") {
  const auto history = in_memory();
  MadeRun run;
  run.requests(noon(2026, 11, 1), 10).faults(noon(2026, 11, 1), 2);
  take_in(*history, run.run);
  take_in(*history, run.run);
  CHECK(summary_of(*history).requests.day == 20);
  CHECK(summary_of(*history).faults.day == 4);
  run.run.files[0].source = "/captures/wire.pcap";
  take_in(*history, run.run);
  CHECK(summary_of(*history).requests.day == 20);
  CHECK(summary_of(*history).faults.day == 4);
}

TEST_CASE("counts stand by client, server, tool and session, those with faults first, with who is at fault") {
  const auto history = in_memory();
  MadeRun quiet("quiet"), bad("bad");
  quiet.requests(noon(2026, 11, 1), 100, "list");
  bad.requests(noon(2026, 11, 1), 10, "render").faults(noon(2026, 11, 1), 4);
  take_in(*history, quiet.run);
  take_in(*history, bad.run);
  const auto summary = summary_of(*history);
  REQUIRE(summary.clients.rows.size() == 2);
  CHECK(summary.clients.rows[0].name == "bad");
  CHECK(summary.clients.rows[0].faults.day == 4);
  CHECK(summary.servers.rows.at(0).requests.day == 110);
  CHECK(summary.tools.rows.at(0).name == "list");
  CHECK(summary.session_list.rows.at(0).name == "session-of-bad");
  REQUIRE(summary.offenders.size() == 1);
  CHECK(summary.offenders[0].party == model::Party::server);
  CHECK(summary.offenders[0].faults == 4);
}

TEST_CASE("a history of thirty days and two hundred incidents is summed up with the right numbers") {
  const auto history = in_memory();
  for (unsigned number = 1; number <= 30; ++number) {
    model::RunRecord day_run;
    for (unsigned i = 0; i < 200; ++i) {
      MadeRun run("client-" + std::to_string(i));
      run.requests(noon(2026, 11, number), 10 + number);
      if ((i + number) % 2 == 0) run.faults(noon(2026, 11, number), i + 1);
      auto& report = run.run.report;
      day_run.files.push_back(run.run.files[0]);
      day_run.report.sessions.push_back(report.sessions[0]);
      day_run.report.findings.push_back(report.findings[0]);
      day_run.report.incidents.push_back(report.incidents[0]);
      day_run.report.rules = report.rules;
    }
    take_in(*history, day_run);
  }
  const auto summary = summary_of(*history);
  CHECK(summary.day == day(2026, 11, 30));
  CHECK(summary.requests.day == 200 * 40);
  CHECK(summary.requests.day_before == 200 * 39);
  CHECK(summary.requests.week_before == 200 * 33);
  CHECK(summary.incidents.day == 100);
  CHECK(summary.incident_list.size() == 200);
  CHECK(summary.clients.rows.at(0).name == "client-198");
}

TEST_CASE("a list longer than its bound says how many rows it leaves out") {
  const auto history = in_memory();
  MadeRun run;
  for (std::size_t i = 0; i < model::kSummaryRows + 5; ++i) run.requests(noon(2026, 11, 1), 1, "tool-" + std::to_string(i));
  take_in(*history, run.run);
  const auto summary = summary_of(*history);
  CHECK(summary.tools.rows.size() == model::kSummaryRows);
  CHECK(summary.tools.left_out == 5);
}

TEST_CASE("an empty history has no evidence of any day") {
  const auto summary = summary_of(*in_memory(), day(2026, 11, 1));
  CHECK_FALSE(summary.has_evidence);
  CHECK_FALSE(summary.last_day.has_value());
  CHECK(summary.incident_list.empty());
}
