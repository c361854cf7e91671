// ReportIndex: what every format asks of a Report, answered once: which finding an id names, how a place is written,
// which findings stand alone, how bad each session is, what the evidence allows to be said.
// Not a second model: it points into the Report, which must outlive it. Threads: read-only after construction.
// Strings it returns are as read (hostile) unless said otherwise: mask (redact.h) and escape (escape.h) before showing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "model/finding.h"
#include "model/report_format.h"

namespace mcpscan::report {

// One thing that is wrong with an input: why it could not be read (anomaly is nullptr), or an anomaly of it.
struct InputProblem {
  model::SourceRef source;
  const std::string* error = nullptr;
  const model::Anomaly* anomaly = nullptr;
};

class ReportIndex {
 public:
  explicit ReportIndex(const model::Report& report);

  const model::Report& report() const { return *report_; }

  // nullptr: the report lists no such finding.
  const model::Finding* finding(std::string_view id) const;
  // Worst first; equal ones in the report's order.
  std::vector<const model::Incident*> incidents() const;
  // Findings of no incident, worst first, equal rules together.
  std::vector<const model::Finding*> lone_findings() const;
  // Worst first, then most calls; the row for the others last.
  std::vector<const model::SessionRow*> sessions() const;
  std::vector<const model::ToolRow*> tools() const;
  // Worst finding of the session; informational where it has none.
  model::Level worst(const model::SessionRow& session) const;

  // How an input is called: its path as given, or where that is long the shortest ending of it that no other input has.
  std::string input_name(std::uint32_t input) const;
  // gateway.log:1041, wire.pcap packet 7, session.har entry 3, gateway.log
  std::string place(const model::SourceRef& source) const;

  Time first() const { return first_; }
  Time last() const { return last_; }

  std::uint64_t sessions_total() const;
  std::uint64_t findings_total() const { return report_->findings.size() + report_->findings_left_out; }
  std::vector<InputProblem> input_problems() const;
  std::uint64_t anomalies_total() const { return input_problems().size(); }

  // Rules that could not be judged at all.
  std::uint64_t rules_not_judged() const;
  // Rules fully judged, by name, and those of them that found nothing.
  std::vector<std::string> judged_rules() const;
  std::uint64_t silent_rules() const;

  // No finding above informational.
  bool without_fault() const;
  // No finding at all, every input read to its end and understood, every rule judged, every request paired: only then
  // may the report say "clean" without a reservation.
  bool proves_clean() const;
  bool speaks_mcp() const;

 private:
  void name_inputs();
  void span_times();

  const model::Report* report_;
  std::map<std::string_view, const model::Finding*> findings_;
  std::set<std::string_view> in_incidents_;
  std::map<std::string_view, model::Level> worst_;
  std::vector<std::string> names_;
  Time first_, last_;
};

// The name of the row that stands for the sessions left out.
constexpr std::string_view kOthersKey = "(others)";

// Text as the report shows it: at most `bound` bytes, secrets masked unless options.raw. Not yet escaped.
std::string shown_text(std::string_view text, const model::ReportOptions& options, std::size_t bound = Limits{}.report_text_bytes);
// An id or key: one word is shown even where it has the shape of a token, anything else is text as above.
std::string shown_id(std::string_view id, const model::ReportOptions& options, std::size_t bound = Limits{}.report_text_bytes);

}  // namespace mcpscan::report
