#include "history/day_traffic.h"

namespace mcpscan::history {
namespace {

std::uint64_t count(const SQLite::Column& column) { return static_cast<std::uint64_t>(column.getInt64()); }

void bind(SQLite::Statement& query, QuarterSpan day) {
  query.bind(1, day.first);
  query.bind(2, day.end);
  query.bind(3, day.undated ? model::kNoQuarter : day.first);
}

// Parts of one source add up; of several sources the one that saw most of a session's tool counts. One without times, which stands on its last day
// as a whole, adds nothing to another that tells the times of the same within the day before.
constexpr const char* kTraffic = R"sql(
WITH parts AS (
  SELECT quarter, session, tool, source, SUM(events) e, SUM(requests) r, SUM(replies) p, SUM(errors) x, SUM(timeouts) t, SUM(unanswered) u,
         SUM(answered_us) a, MAX(longest_us) l, SUM(undated) n
  FROM traffic JOIN files ON files.id = traffic.file WHERE (quarter >= ? AND quarter < ?) OR quarter = ? GROUP BY quarter, session, tool, source),
seen AS (
  SELECT session, tool, MAX(e) e, MAX(r) r, MAX(p) p, MAX(x) x, MAX(t) t, MAX(u) u, MAX(a) a, MAX(l) l, MAX(n) n FROM parts
  WHERE n < e OR NOT EXISTS (SELECT 1 FROM parts o WHERE o.session = parts.session AND o.tool = parts.tool AND o.source <> parts.source AND o.n < o.e
                             AND o.quarter BETWEEN parts.quarter - 95 AND parts.quarter) GROUP BY quarter, session, tool)
SELECT session, tool, SUM(e), SUM(r), SUM(p), SUM(x), SUM(t), SUM(u), SUM(a), MAX(l), SUM(n) FROM seen GROUP BY session, tool ORDER BY session, tool)sql";

constexpr const char* kFaults = R"sql(
WITH parts AS (
  SELECT quarter, finding, source, SUM(count) c, SUM(undated) n FROM occurrences JOIN files ON files.id = occurrences.file
  WHERE (quarter >= ? AND quarter < ?) OR quarter = ? GROUP BY quarter, finding, source),
seen AS (
  SELECT finding, MAX(c) c, MAX(n) n FROM parts
  WHERE n < c OR NOT EXISTS (SELECT 1 FROM parts o WHERE o.finding = parts.finding AND o.source <> parts.source AND o.n < o.c
                             AND o.quarter BETWEEN parts.quarter - 95 AND parts.quarter) GROUP BY quarter, finding)
SELECT findings.session, SUM(c), SUM(n) FROM seen JOIN findings ON findings.id = seen.finding WHERE root = 1 GROUP BY findings.session)sql";

}  // namespace

std::map<std::string, SessionNames> session_names(SQLite::Database& database) {
  std::map<std::string, SessionNames> names;
  SQLite::Statement query(database, "SELECT key, shown, client, server FROM sessions");
  while (query.executeStep()) {
    names[query.getColumn(0).getString()] = {query.getColumn(1).getString(), query.getColumn(2).getString(), query.getColumn(3).getString()};
  }
  return names;
}

DayTraffic traffic_of(SQLite::Database& database, QuarterSpan day) {
  DayTraffic traffic;
  SQLite::Statement query(database, kTraffic);
  bind(query, day);
  while (query.executeStep()) {
    DayTraffic::Row& row = traffic.rows.emplace_back();
    row.session = query.getColumn(0).getString();
    row.tool = query.getColumn(1).getString();
    auto& c = row.counts;
    int index = 1;
    for (std::uint64_t* value : {&c.events, &c.requests, &c.replies, &c.errors, &c.timeouts, &c.unanswered}) *value = count(query.getColumn(++index));
    c.answered_us = query.getColumn(8).getInt64();
    c.longest_us = query.getColumn(9).getInt64();
    traffic.undated = traffic.undated || count(query.getColumn(10)) > 0;
    traffic.has_evidence = traffic.has_evidence || c.events > 0;
  }
  SQLite::Statement faults(database, kFaults);
  bind(faults, day);
  while (faults.executeStep()) {
    traffic.faults_of_session[faults.getColumn(0).getString()] = count(faults.getColumn(1));
    traffic.undated_faults += count(faults.getColumn(2));
  }
  return traffic;
}

}  // namespace mcpscan::history
