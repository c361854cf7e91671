// --format csv: for a spreadsheet: one row a finding, then one an input and one a rule, told apart by the first column, so that
// a filter on it gives a plain table and the coverage cannot be lost. RFC 4180 with the line ends of Unix and a header line.
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "report/escape.h"
#include "report/wording.h"

namespace mcpscan::report {
namespace {

enum Column : std::size_t { kRecord, kId, kLevel, kRule, kIncident, kSession, kTools, kRpcIds, kCount, kFirst, kLast, kParty, kCertainty, kReason, kDetail, kCauseOf, kPlace, kPlaces, kText, kColumns };
constexpr std::array<std::string_view, kColumns> kTitles{"record", "id", "level", "rule", "incident", "session", "tools", "rpc_ids", "count", "first",
                                                         "last", "fault_party", "fault_certainty", "fault_reason", "detail", "consequence_of", "place", "places", "text"};
constexpr std::size_t kNamed = 20;  // tools and ids of a finding

using Row = std::array<std::string, kColumns>;

std::string moment(Time at) { return at.known() ? format_rfc3339(at) : std::string(); }

std::string named(const std::set<std::string>& words) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& word : words) {
    if (word.empty() || shown++ >= kNamed) continue;
    text += (text.empty() ? "" : " ") + word;
  }
  return shown > kNamed ? fmt::format("{} and {} more", text, shown - kNamed) : text;
}

class Csv {
 public:
  Csv(const ReportIndex& index, const model::ReportOptions& options) : index_(index), options_(options) {
    for (const model::Incident& incident : index.report().incidents) {
      for (const std::string& finding : incident.findings) incident_of_.emplace(finding, incident.id);
    }
  }

  std::string write() {
    append_csv_row(out_, kTitles);
    for (const model::Finding& finding : index_.report().findings) line(row_of(finding));
    if (index_.report().findings_left_out > 0) line(left_out());
    for (std::size_t i = 0; i < index_.report().inputs.size(); ++i) line(row_of(static_cast<std::uint32_t>(i)));
    for (const model::RuleCoverage& rule : index_.report().rules) line(row_of(rule));
    return std::move(out_);
  }

 private:
  std::string text(std::string_view raw) const { return shown_text(raw, options_); }

  void line(const Row& row) { append_csv_row(out_, row); }

  Row row_of(const model::Finding& finding) const {
    Row row;
    row[kRecord] = "finding";
    row[kId] = finding.id;
    row[kLevel] = model::to_string(finding.level);
    row[kRule] = text(finding.rule);
    if (const auto incident = incident_of_.find(finding.id); incident != incident_of_.end()) row[kIncident] = incident->second;
    row[kSession] = shown_id(finding.session, options_);
    std::set<std::string> tools, ids;
    for (const model::FindingCall& call : finding.calls) tools.insert(text(call.tool)), ids.insert(text(call.id.raw));
    row[kTools] = named(tools);
    row[kRpcIds] = named(ids);
    row[kCount] = std::to_string(finding.count);
    row[kFirst] = moment(finding.first);
    row[kLast] = moment(finding.last);
    row[kParty] = model::to_string(finding.fault.party);
    row[kCertainty] = model::to_string(finding.fault.certainty);
    row[kReason] = text(finding.fault.reason);
    row[kDetail] = text(finding.detail);
    row[kCauseOf] = finding.consequence_of;
    if (!finding.evidence.empty()) row[kPlace] = text(index_.place(finding.evidence[0].source)), row[kText] = text(finding.evidence[0].text);
    row[kPlaces] = std::to_string(finding.evidence.size() + finding.evidence_left_out);
    return row;
  }

  Row row_of(std::uint32_t input) const {
    const model::InputRow& read = index_.report().inputs[input];
    Row row;
    row[kRecord] = "input";
    row[kPlace] = text(read.path);
    row[kCount] = std::to_string(read.books.total);
    row[kFirst] = moment(read.first);
    row[kLast] = moment(read.last);
    row[kDetail] = text(read.error.empty() ? read.reader : read.error);
    for (const auto& [kind, anomaly] : read.anomalies.entries()) row[kText] += (row[kText].empty() ? "" : "; ") + text(anomaly.kind + ": " + anomaly.text);
    return row;
  }

  Row row_of(const model::RuleCoverage& rule) const {
    Row row;
    row[kRecord] = "rule";
    row[kRule] = text(rule.rule);
    row[kLevel] = model::to_string(rule.level);
    row[kDetail] = model::to_string(rule.state);
    row[kReason] = text(rule.why);
    row[kText] = text(rule.enable);
    return row;
  }

  Row left_out() const {
    Row row;
    row[kRecord] = "left-out";
    row[kCount] = std::to_string(index_.report().findings_left_out);
    row[kDetail] = "findings counted, not listed";
    return row;
  }

  const ReportIndex& index_;
  const model::ReportOptions& options_;
  std::map<std::string_view, std::string> incident_of_;
  std::string out_;
};

void write_csv(const model::Report& report, const model::ReportOptions& options, model::ReportFormatEntry::Out out) {
  const ReportIndex index(report);
  out(Csv(index, options).write());
}

}  // namespace

extern const model::ReportFormatEntry kFormatCsv;
const model::ReportFormatEntry kFormatCsv{"csv", "csv", "for a spreadsheet: one row a finding, input and rule", &write_csv};

}  // namespace mcpscan::report
