#include "history/summarise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <tuple>

#include "base/version.h"
#include "history/day_traffic.h"

namespace mcpscan::history {

using model::Compared;
using model::IncidentState;
using model::Summary;
using model::SummaryIncident;
using model::SummaryList;
using model::SummaryRow;

namespace {

constexpr std::int64_t kWeek = 7;

// The three days that are compared: index 0 the day, 1 the day before, 2 the week before.
constexpr std::size_t kDays = 3;
using Days = std::array<DayTraffic, kDays>;

QuarterSpan span_of(const Zone& zone, std::int64_t day) { return {model::quarter_of(zone.day_start(day)), model::quarter_of(zone.day_start(day + 1)), false}; }
std::int64_t day_of_quarter(const Zone& zone, std::int64_t quarter) { return zone.day_of({quarter * model::kQuarter}); }

void set(Compared& to, std::size_t which, std::uint64_t value) {
  if (which == 0) to.day = value;
  else (which == 1 ? to.day_before : to.week_before) = value;
}
void add(Compared& to, std::size_t which, std::uint64_t value) {
  if (which == 0) to.day += value;
  else if (auto& other = which == 1 ? to.day_before : to.week_before; other) *other += value;
}

// As record.cc joins them.
std::vector<std::string> parties_of(std::string_view joined) {
  std::vector<std::string> parties;
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find(", "), joined.size());
    parties.emplace_back(joined.substr(0, end));
    joined.remove_prefix(std::min(end + 2, joined.size()));
  }
  return parties;
}

class Summarise {
 public:
  Summarise(SQLite::Database& database, const Zone& zone) : database_(database), zone_(zone) {}

  Summary day(std::optional<std::int64_t> wanted) {
    summary_.version = kVersion;
    summary_.zone = zone_.name();
    const auto newest = newest_quarter_before(model::kNoQuarter);
    summary_.has_day = newest || (wanted && !tells_no_times());
    summary_.day = !summary_.has_day ? 0 : wanted ? *wanted : day_of_quarter(zone_, *newest);
    span_ = span_of(zone_, summary_.day);
    span_.undated = true;
    summary_.from = zone_.day_start(summary_.day);
    summary_.to = zone_.day_start(summary_.day + 1);
    summary_.last_day = last_day_before();
    for (std::size_t which = 0; which < kDays; ++which) days_[which] = traffic_of(database_, which == 0 ? span_ : span_of(zone_, day_at(which)));
    summary_.has_evidence = days_[0].has_evidence;
    read_reach();
    summary_.undated = days_[0].undated;
    summary_.undated_faults = days_[0].undated_faults;
    summary_.compares_day = days_[1].has_evidence;
    summary_.compares_week = days_[2].has_evidence;
    names_ = session_names(database_);
    read_coverage();
    sum_up();
    incidents();
    offenders();
    problems();
    return std::move(summary_);
  }

 private:
  std::int64_t day_at(std::size_t which) const { return summary_.day - (which == 0 ? 0 : which == 1 ? 1 : kWeek); }
  bool compares(std::size_t which) const { return which == 0 || (which == 1 ? summary_.compares_day : summary_.compares_week); }

  std::optional<std::int64_t> newest_quarter_before(std::int64_t end) {
    SQLite::Statement query(database_, "SELECT quarter FROM traffic WHERE quarter < ? AND events > 0 ORDER BY quarter DESC LIMIT 1");
    query.bind(1, end);
    if (!query.executeStep()) return std::nullopt;
    return query.getColumn(0).getInt64();
  }
  void read_reach() {
    SQLite::Statement query(database_, "SELECT MIN(quarter), MAX(quarter) FROM traffic WHERE events > undated AND quarter >= ? AND quarter < ?");
    query.bind(1, span_.first);
    query.bind(2, span_.end);
    if (!query.executeStep() || query.getColumn(0).isNull()) return;
    summary_.evidence_from = {query.getColumn(0).getInt64() * model::kQuarter};
    summary_.evidence_to = {(query.getColumn(1).getInt64() + 1) * model::kQuarter};
  }
  // There is evidence, and nothing tells of any of it when it was.
  bool tells_no_times() {
    SQLite::Statement query(database_, "SELECT 1 FROM traffic WHERE quarter = ? AND events > 0 LIMIT 1");
    query.bind(1, model::kNoQuarter);
    return query.executeStep();
  }
  std::optional<std::int64_t> last_day_before() {
    const auto quarter = newest_quarter_before(span_.first);
    if (!quarter) return std::nullopt;
    return day_of_quarter(zone_, *quarter);
  }

  // Comparable where there is evidence of that day; else there is no number to compare with.
  Compared blank() const {
    Compared value;
    if (summary_.compares_day) value.day_before = 0;
    if (summary_.compares_week) value.week_before = 0;
    return value;
  }

  // --- traffic ---

  const SessionNames& names_of(const std::string& session) const {
    static const SessionNames kUnknown;
    const auto found = names_.find(session);
    return found == names_.end() ? kUnknown : found->second;
  }

  void add_row(SummaryRow& row, std::size_t which, const model::TrafficCounts& counts) const {
    add(row.requests, which, counts.requests);
    add(row.unanswered, which, counts.unanswered);
    add(row.timeouts, which, counts.timeouts);
    add(row.errors, which, counts.errors);
    if (which != 0) return;
    row.longest_us = std::max(row.longest_us, counts.replies > 0 ? counts.longest_us : -1);
  }

  // Rows by a name that a session or a row of traffic has; `name` is empty where it has none, and then there is no row.
  using Name = std::function<std::string(const std::string& session, const std::string& tool)>;
  SummaryList list_by(const Name& name, bool with_faults) const {
    std::map<std::string, SummaryRow> rows;
    std::map<std::string, std::pair<std::int64_t, std::uint64_t>> answered;
    const auto row_of = [&](const std::string& key) -> SummaryRow& {
      const auto [entry, fresh] = rows.try_emplace(key);
      if (fresh) entry->second.name = key, entry->second.requests = entry->second.unanswered = entry->second.timeouts = entry->second.errors = entry->second.faults = blank();
      return entry->second;
    };
    for (std::size_t which = 0; which < kDays; ++which) {
      for (const auto& traffic : days_[which].rows) {
        const std::string key = name(traffic.session, traffic.tool);
        if (key.empty()) continue;
        add_row(row_of(key), which, traffic.counts);
        if (which == 0) answered[key].first += traffic.counts.answered_us, answered[key].second += traffic.counts.replies;
      }
      if (!with_faults) continue;
      for (const auto& [session, faults] : days_[which].faults_of_session) {
        if (const std::string key = name(session, {}); !key.empty()) add(row_of(key).faults, which, faults);
      }
    }
    SummaryList list;
    for (auto& [key, row] : rows) {
      if (const auto& [us, replies] = answered[key]; replies > 0) row.mean_us = us / static_cast<std::int64_t>(replies);
      if (row.requests.day + row.faults.day > 0) list.rows.push_back(std::move(row));
    }
    return capped(std::move(list));
  }

  static SummaryList capped(SummaryList list) {
    constexpr std::size_t kMost = model::kSummaryRows;
    std::stable_sort(list.rows.begin(), list.rows.end(), [](const SummaryRow& a, const SummaryRow& b) {
      return std::tuple(b.faults.day, b.unanswered.day, b.requests.day) < std::tuple(a.faults.day, a.unanswered.day, a.requests.day);
    });
    if (list.rows.size() > kMost) list.left_out = list.rows.size() - kMost, list.rows.resize(kMost);
    return list;
  }

  void sum_up() {
    for (Compared* value : {&summary_.requests, &summary_.replies, &summary_.errors, &summary_.timeouts, &summary_.unanswered, &summary_.sessions, &summary_.faults, &summary_.incidents}) *value = blank();
    for (std::size_t which = 0; which < kDays; ++which) {
      if (!compares(which)) continue;
      std::set<std::string> sessions;
      for (const auto& row : days_[which].rows) {
        add(summary_.requests, which, row.counts.requests);
        add(summary_.replies, which, row.counts.replies);
        add(summary_.errors, which, row.counts.errors);
        add(summary_.timeouts, which, row.counts.timeouts);
        add(summary_.unanswered, which, row.counts.unanswered);
        if (row.counts.requests > 0 && !row.session.empty()) sessions.insert(row.session);
      }
      set(summary_.sessions, which, sessions.size());
      for (const auto& [session, faults] : days_[which].faults_of_session) add(summary_.faults, which, faults);
    }
    summary_.clients = list_by([&](const std::string& session, const std::string&) { return names_of(session).client; }, true);
    summary_.servers = list_by([&](const std::string& session, const std::string&) { return names_of(session).server; }, true);
    summary_.tools = list_by([](const std::string&, const std::string& tool) { return tool; }, false);
    summary_.session_list = list_by([&](const std::string& session, const std::string&) { return session.empty() || names_of(session).shown.empty() ? session : names_of(session).shown; }, true);
  }

  // --- incidents ---

  // When a cause occurred: in the three days, at first, last, and last before the day.
  struct Occurred {
    std::array<std::uint64_t, kDays> count{};
    std::optional<std::int64_t> first, last, before;   // of those that tell their time
    std::uint64_t sessions = 0;
    std::string place;
  };

  static constexpr std::size_t kQuarterDigits = 15;  // before a place, so that the greatest is that of the latest quarter

  std::map<std::string, Occurred> occurrences() {
    SQLite::Statement query(database_, R"sql(
WITH parts AS (
  SELECT quarter, finding, source, SUM(count) c, SUM(undated) n FROM occurrences JOIN files ON files.id = occurrences.file
  WHERE quarter < ?1 OR quarter = ?7 GROUP BY quarter, finding, source),
seen AS (
  SELECT quarter, finding, MAX(c) c, MAX(n) n FROM parts
  WHERE n < c OR NOT EXISTS (SELECT 1 FROM parts o WHERE o.finding = parts.finding AND o.source <> parts.source AND o.n < o.c
                             AND o.quarter BETWEEN parts.quarter - 95 AND parts.quarter) GROUP BY quarter, finding)
SELECT cause, SUM(c * (quarter >= ?2)), SUM(c * (quarter >= ?3 AND quarter < ?4)), SUM(c * (quarter >= ?5 AND quarter < ?6)),
       MIN(CASE WHEN c > n THEN quarter END), MAX(CASE WHEN c > n THEN quarter END), MAX(CASE WHEN quarter < ?2 THEN quarter END), COUNT(DISTINCT CASE WHEN quarter >= ?2 AND session <> '' THEN session END),
       MAX(CASE place WHEN '' THEN NULL ELSE printf('%015d', min(quarter, 999999999999999)) || place END)
FROM seen JOIN findings ON findings.id = seen.finding WHERE root = 1 AND cause <> '' GROUP BY cause)sql");
    const QuarterSpan before = span_of(zone_, day_at(1)), week = span_of(zone_, day_at(2));
    int index = 0;
    for (const std::int64_t bound : {span_.end, span_.first, before.first, before.end, week.first, week.end, model::kNoQuarter}) query.bind(++index, bound);
    std::map<std::string, Occurred> causes;
    while (query.executeStep()) {
      Occurred& cause = causes[query.getColumn(0).getString()];
      for (std::size_t which = 0; which < kDays; ++which) cause.count[which] = static_cast<std::uint64_t>(query.getColumn(static_cast<int>(which) + 1).getInt64());
      int column = 4;
      for (auto* quarter : {&cause.first, &cause.last, &cause.before}) {
        if (const auto value = query.getColumn(column++); !value.isNull()) *quarter = value.getInt64();
      }
      cause.sessions = static_cast<std::uint64_t>(query.getColumn(7).getInt64());
      if (!query.getColumn(8).isNull()) cause.place = query.getColumn(8).getString().substr(kQuarterDigits);
    }
    return causes;
  }

  bool client_was_there(const std::string& client) const {
    if (client.empty()) return true;
    const auto& rows = summary_.clients.rows;
    return summary_.clients.left_out > 0 || std::any_of(rows.begin(), rows.end(), [&](const SummaryRow& row) { return row.name == client && row.requests.day > 0; });
  }

  // Whether this day's evidence has the time of day at which that quarter of an earlier day was.
  bool reaches(std::int64_t quarter) const {
    const Time at{quarter * model::kQuarter};
    const Time same{summary_.from.us + at.us - zone_.day_start(zone_.day_of(at)).us};
    return summary_.evidence_from.known() && summary_.evidence_from <= same && same < summary_.evidence_to;
  }

  // None: it neither happened on this day nor on the last one before that has evidence.
  std::optional<IncidentState> state_of(const Occurred& cause, const SummaryIncident& incident) const {
    const bool on_last_day = cause.before && summary_.last_day && day_of_quarter(zone_, *cause.before) == *summary_.last_day;
    if (cause.count[0] > 0) return !cause.before ? IncidentState::fresh : on_last_day ? IncidentState::ongoing : IncidentState::returned;
    if (!on_last_day) return std::nullopt;
    const bool would_show = summary_.has_evidence && reaches(*cause.before) && !blind_.contains(incident.rule) && client_was_there(incident.client);
    return would_show ? IncidentState::resolved : IncidentState::unclear;
  }

  SummaryIncident incident_from(SQLite::Statement& row) const {
    SummaryIncident incident;
    incident.id = row.getColumn(1).getString();
    incident.rule = row.getColumn(2).getString();
    incident.title = row.getColumn(3).getString();
    incident.story = row.getColumn(4).getString();
    incident.fix = row.getColumn(5).getString();
    incident.client = row.getColumn(6).getString();
    incident.level = static_cast<model::Level>(std::clamp(row.getColumn(7).getInt(), 0, 4));
    incident.fault.party = static_cast<model::Party>(std::clamp(row.getColumn(8).getInt(), 0, 4));
    incident.fault.certainty = static_cast<model::Certainty>(std::clamp(row.getColumn(9).getInt(), 0, 3));
    incident.fault.contributing = parties_of(row.getColumn(10).getString());
    incident.fault.reason = row.getColumn(11).getString();
    return incident;
  }

  void incidents() {
    const auto causes = occurrences();
    SQLite::Statement query(database_, "SELECT id, incident, rule, title, story, fix, client, level, party, certainty, contributing, reason FROM causes ORDER BY id");
    while (query.executeStep()) {
      const auto found = causes.find(query.getColumn(0).getString());
      if (found == causes.end()) continue;
      const Occurred& cause = found->second;
      SummaryIncident incident = incident_from(query);
      for (std::size_t which = 1; which < kDays; ++which) {
        if (compares(which) && cause.count[which] > 0) add(summary_.incidents, which, 1);
      }
      if (cause.count[0] > 0) add(summary_.incidents, 0, 1);
      const auto state = state_of(cause, incident);
      if (!state) continue;
      incident.state = *state;
      incident.count = blank();
      for (std::size_t which = 0; which < kDays; ++which) add(incident.count, which, cause.count[which]);
      if (cause.first) incident.first = {*cause.first * model::kQuarter}, incident.last = {*cause.last * model::kQuarter};
      incident.sessions = cause.sessions;
      incident.place = cause.place;
      summary_.incident_list.push_back(std::move(incident));
    }
    std::stable_sort(summary_.incident_list.begin(), summary_.incident_list.end(), [](const SummaryIncident& a, const SummaryIncident& b) {
      return std::tuple(a.state, b.level, b.count.day, a.id) < std::tuple(b.state, a.level, a.count.day, b.id);
    });
  }

  void offenders() {
    std::map<std::pair<model::Party, std::string>, model::Offender> by_name;
    for (const SummaryIncident& incident : summary_.incident_list) {
      if (incident.count.day == 0 || incident.fault.party == model::Party::unknown) continue;
      const std::string name = incident.fault.party == model::Party::client ? incident.client : std::string();
      model::Offender& offender = by_name[{incident.fault.party, name}];
      offender.party = incident.fault.party;
      offender.name = name;
      offender.certainty = std::max(offender.certainty, incident.fault.certainty);
      offender.least_sure = std::min(offender.least_sure, incident.fault.certainty);
      offender.faults += incident.count.day;
      ++offender.incidents;
    }
    for (auto& [key, offender] : by_name) summary_.offenders.push_back(std::move(offender));
    std::stable_sort(summary_.offenders.begin(), summary_.offenders.end(), [](const auto& a, const auto& b) { return a.faults > b.faults; });
  }

  // --- what could not be judged ---

  // End and beginning of the day, and what is of none.
  void bind_day(SQLite::Statement& query) const {
    query.bind(1, span_.end);
    query.bind(2, span_.first);
    query.bind(3, model::kNoQuarter);
  }

  // A rule that every run of the day could judge is judged; one that some could not, in part.
  void read_coverage() {
    SQLite::Statement runs(database_, "SELECT COUNT(*) FROM runs WHERE (first_quarter < ? AND last_quarter >= ?) OR last_quarter = ?");
    bind_day(runs);
    if (runs.executeStep()) summary_.runs = static_cast<std::uint64_t>(runs.getColumn(0).getInt64());
    SQLite::Statement query(database_, R"sql(
SELECT rule, MIN(state), MAX(state), COUNT(*), SUM(state > 0), MAX(CASE WHEN state > 0 THEN why END), MAX(CASE WHEN state > 0 THEN enable END)
FROM coverage JOIN runs ON runs.id = coverage.run WHERE (first_quarter < ? AND last_quarter >= ?) OR last_quarter = ? GROUP BY rule HAVING MAX(state) > 0 ORDER BY rule)sql");
    bind_day(query);
    while (query.executeStep()) {
      model::RuleCoverage rule;
      rule.rule = query.getColumn(0).getString();
      const bool mixed = query.getColumn(1).getInt() != query.getColumn(2).getInt();
      rule.state = mixed || query.getColumn(2).getInt() == 1 ? model::RuleState::partly : model::RuleState::not_evaluable;
      rule.why = query.getColumn(5).getString();
      if (mixed) rule.why = fmt::format("in {} of {} runs: {}", query.getColumn(4).getInt64(), query.getColumn(3).getInt64(), rule.why);
      rule.enable = query.getColumn(6).getString();
      if (rule.state == model::RuleState::not_evaluable) blind_.insert(rule.rule);
      summary_.not_judged.push_back(std::move(rule));
    }
  }

  void problems() {
    SQLite::Statement query(database_, R"sql(
SELECT input, kind, MAX(problems.text), SUM(count) FROM problems JOIN runs ON runs.id = problems.run
WHERE (first_quarter < ? AND last_quarter >= ?) OR last_quarter = ? OR first_quarter IS NULL GROUP BY input, kind ORDER BY input, kind LIMIT ?)sql");
    bind_day(query);
    query.bind(4, static_cast<std::int64_t>(model::kSummaryRows));
    while (query.executeStep()) {
      summary_.problems.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(), query.getColumn(2).getString(), static_cast<std::uint64_t>(query.getColumn(3).getInt64())});
    }
  }

  SQLite::Database& database_;
  const Zone& zone_;
  Summary summary_;
  QuarterSpan span_;
  Days days_;
  std::map<std::string, SessionNames> names_;
  std::set<std::string> blind_;
};

}  // namespace

Summary summarise_day(SQLite::Database& database, const Zone& zone, std::optional<std::int64_t> day) { return Summarise(database, zone).day(day); }

}  // namespace mcpscan::history
