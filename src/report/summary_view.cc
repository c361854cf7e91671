#include "report/summary_view.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "report/fault_sentence.h"
#include "report/layout.h"

namespace mcpscan::report {

using model::Compared;
using model::IncidentState;
using model::Summary;
using model::SummaryIncident;
using model::SummaryList;
using model::SummaryRow;

namespace {

constexpr std::array<std::string_view, 7> kWeekdays{"Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"};  // of 1970-01-01 on

std::string capitals(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

// +12, -3, same; - where there is no evidence of the other day.
std::string change(std::uint64_t day, const std::optional<std::uint64_t>& other) {
  if (!other) return "-";
  if (day == *other) return "same";
  return (day > *other ? "+" : "-") + thousands(day > *other ? day - *other : *other - day);
}

std::string duration(std::int64_t us) { return us < 0 ? "-" : format_duration(us); }

std::string clock_in(const Zone& zone, Time at) {
  const CivilTime c = zone.civil(at);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", c.year, c.month, c.day, c.hour, c.minute);
}

class Writer {
 public:
  Writer(const Summary& summary, const Safe& safe, const Safe& safe_id, std::size_t most, std::size_t names) : summary_(summary), safe_(safe), safe_id_(safe_id), most_(most), names_(names) {
    if (auto zone = Zone::locate(summary.zone)) zone_ = zone.take();
  }

  SummaryView write() {
    const auto weekday = static_cast<std::size_t>((summary_.day % 7 + 7) % 7);
    view_.title = !summary_.has_day ? std::string("evidence without times") : fmt::format("{} {}, {}", kWeekdays[weekday], date_of_day(summary_.day), safe_(summary_.zone));
    lead();
    numbers();
    for (const SummaryIncident& incident : summary_.incident_list) view_.incidents.push_back(shown(incident));
    offenders();
    add_table("Clients", "client", summary_.clients, true, safe_);
    add_table("Servers", "server", summary_.servers, true, safe_);
    add_table("Tools", "tool", summary_.tools, false, safe_);
    add_table("Sessions", "session", summary_.session_list, true, safe_id_);
    not_judged();
    for (const auto& problem : summary_.problems) {
      const std::string times = problem.count > 1 ? fmt::format(" ({} times)", thousands(problem.count)) : std::string();
      view_.problems.push_back(fmt::format("{}: {}{}", safe_(problem.input), safe_(problem.text.empty() ? problem.kind : problem.text), times));
    }
    return std::move(view_);
  }

 private:
  void lead() {
    const std::int64_t hours = (summary_.to.us - summary_.from.us) / kHour;
    if (summary_.has_day && hours != 24) view_.lead.push_back(fmt::format("This day has {} hours: the clock was changed.", hours));
    if (!summary_.has_evidence) {
      view_.lead.push_back(summary_.has_day ? "There is no evidence of this day, so nothing can be said about it." : "There is no evidence, so there is nothing to sum up.");
      return;
    }
    if (!summary_.has_day) view_.lead.push_back("The evidence tells no times, so it is of no day: all of it is summed up, and compared with nothing.");
    else if (summary_.undated || summary_.undated_faults > 0) view_.lead.push_back(undated());
    std::map<IncidentState, std::uint64_t> states;
    for (const auto& incident : summary_.incident_list) ++states[incident.state];
    std::string text;
    for (const auto& [state, count] : states) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", thousands(count), model::to_string(state));
    const char* const none = summary_.has_day ? "No incident on this day, and none that ended with the last one." : "No incident.";
    view_.lead.push_back(text.empty() ? std::string(none) : counted(summary_.incident_list.size(), "incident") + ": " + text + ".");
    if (is_part_of_day()) view_.lead.push_back(fmt::format("The evidence of this day reaches from about {} to {}.", time_of_day(summary_.evidence_from), time_of_day(summary_.evidence_to)));
    if (summary_.has_day && !summary_.compares_day) view_.lead.push_back("There is no evidence of the day before: nothing is compared with it.");
  }

  // Traffic at night is thin: an hour without any says little.
  bool is_part_of_day() const {
    return summary_.has_day && summary_.evidence_from.known() && (summary_.evidence_from.us - summary_.from.us > kHour || summary_.to.us - summary_.evidence_to.us > kHour);
  }

  std::string time_of_day(Time at) const { return at < summary_.to ? clock_in(zone_, at).substr(std::string_view("2026-11-28 ").size()) : std::string("24:00"); }

  std::string undated() const {
    const std::string faults = summary_.undated_faults > 0 ? fmt::format(", with {},", counted(summary_.undated_faults, "occurrence of an incident", "occurrences of incidents")) : "";
    return fmt::format("Some of the evidence tells no times: it{} is counted here, on the last day that is known of it or on that of its reading.", faults);
  }

  void numbers() {
    ViewTable& table = view_.numbers;
    table.title = summary_.has_day ? "The day" : "All of it";
    table.columns = {{"", false}, {summary_.has_day ? date_of_day(summary_.day) : std::string("COUNT"), true}};
    if (summary_.has_day) table.columns.insert(table.columns.end(), {{"VS DAY BEFORE", true}, {"VS WEEK BEFORE", true}});
    if (!summary_.has_evidence) return;
    const auto add = [&](const char* name, const Compared& value) {
      auto& row = table.rows.emplace_back(std::vector<std::string>{name, thousands(value.day)});
      if (summary_.has_day) row.insert(row.end(), {change(value.day, value.day_before), change(value.day, value.week_before)});
    };
    add("incidents", summary_.incidents);
    add("occurrences of them", summary_.faults);
    add("requests", summary_.requests);
    add("replies", summary_.replies);
    add("unanswered", summary_.unanswered);
    add("given up", summary_.timeouts);
    add("errors", summary_.errors);
    add("sessions", summary_.sessions);
  }

  std::string when(const SummaryIncident& incident) const {
    if (!incident.first.known()) return "when it was is not told";
    const std::string first = clock_in(zone_, incident.first), last = clock_in(zone_, incident.last);
    switch (incident.state) {
      case IncidentState::fresh: return fmt::format("first seen about {}", first);
      case IncidentState::ongoing:
      case IncidentState::returned: return fmt::format("first seen about {}, last about {}", first, last);
      case IncidentState::resolved: return fmt::format("last seen about {}; not on this day, whose evidence would show it", last);
      case IncidentState::unclear: return fmt::format("last seen about {}; this day's evidence could not have shown it", last);
    }
    return {};
  }

  ViewIncident shown(const SummaryIncident& incident) const {
    ViewIncident view;
    view.incident = &incident;
    view.state = capitals(model::to_string(incident.state));
    view.level = capitals(model::to_string(incident.level));
    view.title = safe_(incident.title);
    view.id = safe_id_(incident.id);
    std::string count = counted(incident.count.day, "time");
    if (incident.count.day_before) count += fmt::format(", {} the day before", thousands(*incident.count.day_before));
    if (incident.count.week_before) count += fmt::format(", {} the week before", thousands(*incident.count.week_before));
    if (incident.sessions > 0) count += "; in " + counted(incident.sessions, "session");
    if (!incident.client.empty()) count += fmt::format(" of {}", safe_(incident.client));
    view.lines.emplace_back("", count);
    view.lines.emplace_back("", when(incident) + (incident.place.empty() ? std::string() : ", newest record read at " + safe_(incident.place)));
    view.lines.emplace_back("Fault:", fault_sentence(incident.fault, safe_));
    const bool goes_on = incident.count.day > 0;
    if (goes_on && !incident.fix.empty()) view.lines.emplace_back("Fix:", safe_(incident.fix));
    view.lines.emplace_back("More:", "mcpscan rules show " + safe_(incident.rule));
    return view;
  }

  static std::string how_sure(const model::Offender& offender) {
    const std::string most(model::to_string(offender.certainty));
    return offender.least_sure == offender.certainty ? most : fmt::format("{} to {}", most, model::to_string(offender.least_sure));
  }

  void offenders() {
    ViewTable table{"Who is at fault", {{"PARTY"}, {"NAME", false, true}, {"OCCURRENCES", true}, {"INCIDENTS", true}, {"HOW SURE"}}, {}, {}};
    for (const auto& offender : summary_.offenders) {
      table.rows.push_back({std::string(model::to_string(offender.party)), offender.name.empty() ? std::string("-") : safe_(offender.name), thousands(offender.faults),
                            thousands(offender.incidents), how_sure(offender)});
    }
    view_.tables.push_back(std::move(table));
  }

  void add_table(const char* title, const char* name, const SummaryList& list, bool with_faults, const Safe& safe) {
    ViewTable table;
    table.title = title;
    table.columns = {{capitals(name), false, true}, {"REQUESTS", true}};
    if (summary_.has_day) table.columns.insert(table.columns.end(), {{"VS DAY BEFORE", true, false, true}, {"VS WEEK BEFORE", true, false, true}});
    table.columns.insert(table.columns.end(), {{"UNANSWERED", true}, {"GIVEN UP", true}, {"ERRORS", true}});
    if (with_faults) table.columns.push_back({"FAULTS", true});
    table.columns.push_back({"MEAN", true, false, true});
    table.columns.push_back({"LONGEST", true, false, true});
    const std::size_t shown = std::min(list.rows.size(), most_);
    for (std::size_t i = 0; i < shown; ++i) {
      const SummaryRow& row = list.rows[i];
      std::vector<std::string> cells{safe(row.name), thousands(row.requests.day)};
      if (summary_.has_day) cells.insert(cells.end(), {change(row.requests.day, row.requests.day_before), change(row.requests.day, row.requests.week_before)});
      cells.insert(cells.end(), {thousands(row.unanswered.day), thousands(row.timeouts.day), thousands(row.errors.day)});
      if (with_faults) cells.push_back(thousands(row.faults.day));
      cells.push_back(duration(row.mean_us));
      cells.push_back(duration(row.longest_us));
      table.rows.push_back(std::move(cells));
    }
    const std::uint64_t left = list.rows.size() - shown + list.left_out;
    if (left > 0) table.more = fmt::format("and {} more", thousands(left));
    view_.tables.push_back(std::move(table));
  }

  void not_judged() {
    const CoverageGroups groups = group_coverage(summary_.not_judged);
    view_.not_judged = coverage_blocks(groups, 0, names_, safe_);
    if (!groups.shared_enable.empty()) view_.more_evidence = safe_(groups.shared_enable);
  }

  const Summary& summary_;
  const Safe& safe_;
  const Safe& safe_id_;
  std::size_t most_, names_;
  Zone zone_;
  SummaryView view_;
};

}  // namespace

std::string date_of_day(std::int64_t day) {
  const CivilTime c = civil_from_time({day * kDay});
  return fmt::format("{:04}-{:02}-{:02}", c.year, c.month, c.day);
}

SummaryView view_of(const Summary& summary, const Safe& safe, const Safe& safe_id, std::size_t most, std::size_t names) {
  return Writer(summary, safe, safe_id, most, names).write();
}

}  // namespace mcpscan::report
