// Wording: the sentences and table cells of a report that all formats for people share, so that text, Markdown and what
// comes later say the same of the same facts. It claims no more than the evidence holds.
// Every text that comes from evidence goes through the format's own `safe` (bound, mask, escape) before it is put in; the
// words around it are plain ASCII without markup. Threads: read-only. Ownership: points to the index, which must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/coverage_groups.h"
#include "report/layout.h"
#include "report/local_time.h"
#include "report/report_index.h"

namespace mcpscan::report {

struct Labelled {
  std::string_view label;
  std::string text;
};

// "Not judged: 31 of 96 rules", and a row a reason.
struct CoverageBlock {
  std::string heading;
  std::vector<std::string> rows;
};

using Tally = std::vector<std::pair<std::string_view, std::uint64_t>>;  // key, count; most first
using TallyOfRule = std::pair<std::string_view, Tally>;

class Wording {
 public:
  using Safe = std::function<std::string(std::string_view)>;

  // `safe_id` is for session ids and other keys; see shown_id(). Times are told in `zone`.
  Wording(const ReportIndex& index, Zone zone, Safe safe, Safe safe_id)
      : index_(&index), coverage_(group_coverage(index.report().rules)), zone_(std::move(zone)), safe_(std::move(safe)), safe_id_(std::move(safe_id)) {}

  std::string safe(std::string_view raw) const { return safe_(raw); }
  std::string safe_id(std::string_view raw) const { return safe_id_(raw); }
  std::string place(const model::SourceRef& source) const { return safe_(index_->place(source)); }

  // --- times; they must be known ---
  const std::string& zone_name() const { return zone_.name(); }
  std::string clock(Time at) const { return local_clock(zone_, at); }
  std::string date(Time at) const { return local_date(zone_, at); }
  std::string period(Time first, Time last) const { return local_period(zone_, first, last); }
  // A mark on an axis that spans so many microseconds: with the date where it spans days, with seconds where minutes.
  std::string tick(Time at, std::int64_t span_us) const;
  // More than one day of the zone's calendar.
  bool several_days() const;

  // --- what was read ---
  std::string input_facts(const model::InputRow& input) const;
  // "3,000 used, 271 ignored (...)"; empty where every record was used.
  std::string books(const model::InputRow& input) const;
  std::string pairing() const;
  std::string anomaly(const model::Anomaly& anomaly) const;

  // --- what was found ---
  // Where no fault was found: what that is worth. An empty label where there are findings to speak for themselves.
  Labelled verdict() const;
  std::string fault(const model::Fault& fault) const;
  // Empty where the incident does not say.
  std::string reach(const model::Incident& incident) const;
  std::string consequences(const model::Incident& incident) const;
  std::vector<TallyOfRule> tallies(const model::Incident& incident) const;
  std::string more_command(const model::Incident& incident) const;
  std::string lone_finding(const model::Finding& finding) const;

  // --- rows ---
  // Session, worst, requests, replies, tool calls, keyed by, client, time.
  std::vector<std::string> session_cells(const model::SessionRow& row) const;
  // Tool, calls, replies, errors, median, p99, longest.
  std::vector<std::string> tool_cells(const model::ToolRow& row) const;

  // --- what the silence is worth; `most` names of rules a row ---
  // What could not be judged, then what could in part, by what was missing: a block each where there is something to tell.
  std::vector<CoverageBlock> not_judged(std::size_t most) const;
  // What several rows have in common of how to enable them; an empty text where they have nothing.
  Labelled more_evidence() const;
  Labelled everything_else(std::size_t most) const;

 private:
  std::string reasons(std::string_view what, const std::map<std::string, std::uint64_t>& counts) const;
  std::string checked() const;
  std::string replies() const;
  std::vector<std::string> reservations() const;
  Labelled nothing_found() const;
  Labelled no_mcp() const;
  std::string session_time(const model::SessionRow& row) const;
  std::vector<std::string> safe_words(const std::vector<std::string>& words) const;

  const ReportIndex* index_;
  CoverageGroups coverage_;
  Zone zone_;
  Safe safe_, safe_id_;
};

constexpr std::string_view kMoreEvidence = "More would be judged from these logs:";

// What not_judged() gives, of other lists than the report's; `of_rules`: how many rules there are in all, 0 where that is not known.
std::vector<CoverageBlock> coverage_blocks(const CoverageGroups& groups, std::size_t of_rules, std::size_t most, const Wording::Safe& safe);

}  // namespace mcpscan::report
