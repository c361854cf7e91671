// Summary: one day of a history, beside the day and the week before. And how it is written: one file a format,
// src/report/summary_as_<name>.cc, which defines `extern const SummaryFormatEntry kSummaryAs<Name>`.
// Plain data; src/history fills it. Strings are as read (hostile). Bounds: kSummaryRows rows a list; what is left out is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/zone.h"
#include "model/finding.h"
#include "model/report_format.h"
#include "model/run_record.h"

namespace mcpscan::model {

// A number of the day, and the same of the day and the week before; none where there is no evidence of those days.
struct Compared {
  std::uint64_t day = 0;
  std::optional<std::uint64_t> day_before, week_before;
};

constexpr std::size_t kSummaryRows = 1000;

enum class IncidentState : std::uint8_t {
  fresh,      // never seen before this day
  ongoing,    // seen on the last day before that has evidence
  returned,   // seen before, but not on the last day with evidence
  resolved,   // seen on the last day with evidence, and not on this one, whose evidence would have shown it
  unclear,    // the same, but this day's evidence would not have shown it
};
std::string_view to_string(IncidentState state);  // new, ongoing, returned, resolved, unclear

struct SummaryIncident {
  IncidentState state = IncidentState::fresh;
  std::string id, rule, title, story, fix, client;
  Level level = Level::informational;
  Fault fault;
  Compared count;
  std::uint64_t sessions = 0;               // of the day
  Time first, last;                         // quarters of the first and last occurrence in the history; unknown where none tells its time
  std::string place;                        // where the record stands that showed it last: path:line
};

struct SummaryRow {
  std::string name;
  Compared requests, unanswered, timeouts, errors, faults;  // faults: occurrences of incidents
  std::int64_t mean_us = -1, longest_us = -1;
};

struct SummaryList {
  std::vector<SummaryRow> rows;             // most faults first, then most requests
  std::uint64_t left_out = 0;
};

struct Offender {
  Party party = Party::unknown;
  std::string name;                         // of the client or server; empty: not told
  Certainty certainty = Certainty::undetermined;   // of the surest of them
  Certainty least_sure = Certainty::proven;        // of the one that is least so
  std::uint64_t faults = 0, incidents = 0;
};

struct SummaryProblem {
  std::string input, kind, text;
  std::uint64_t count = 0;
};

struct Summary {
  std::string version;
  std::string zone;
  std::int64_t day = 0;                     // days since 1970-01-01 of the zone's calendar
  bool has_day = true;                      // false: no evidence tells its time; all of it is summed up, `day`, `from` and `to` mean nothing
  Time from, to;                            // the day: [from, to)
  bool has_evidence = false;                // of this day
  Time evidence_from, evidence_to;          // quarters of the first and behind the last of it that tells its time; unknown where none does
  bool undated = false;                     // some of what is counted on this day tells no time
  std::uint64_t undated_faults = 0;         // of the occurrences
  std::optional<std::int64_t> last_day;     // the last day before with evidence
  bool compares_day = false, compares_week = false;  // there is evidence of the day, the week before
  Compared requests, replies, errors, timeouts, unanswered, sessions, faults, incidents;
  std::vector<SummaryIncident> incident_list;  // new first, then worst first
  SummaryList clients, servers, tools, session_list;
  std::vector<Offender> offenders;
  std::vector<RuleCoverage> not_judged;
  std::vector<SummaryProblem> problems;
  std::uint64_t runs = 0;                   // runs that read evidence of this day
};

struct SummaryFormatEntry {
  std::string_view name, ending, help;
  std::string (*write)(const Summary& summary, const ReportOptions& options);
};

}  // namespace mcpscan::model
