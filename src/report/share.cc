#include "report/share.h"

#include <string>

#include "report/redact.h"
#include "report/report_index.h"

namespace mcpscan::report {
namespace {

constexpr std::string_view kIncidentPrefix = "inc-";

class Sharer {
 public:
  explicit Sharer(Pseudonyms& names) : names_(names) {}

  // Told first, so that no text is replaced before it is known what to look for.
  void learn(const model::Report& report) {
    for (const model::InputRow& input : report.inputs) names_.leave_out(std::string_view(input.path).substr(0, name_at(input.path)));
    for (const model::SessionRow& session : report.sessions) {
      names_.know(session.id);
      if (!session.id.empty() && session.key.find(' ') == std::string::npos) names_.know(session.key);
    }
    for (const model::Finding& finding : report.findings) {
      if (finding.session.find(' ') == std::string::npos) names_.know(finding.session);
    }
  }

  void learn(const model::Summary& summary) {
    for (const model::SummaryRow& session : summary.session_list.rows) {
      if (session.name.find(' ') == std::string::npos) names_.know(session.name);
    }
  }

  void share(model::Report& report) {
    for (model::InputRow& input : report.inputs) share(input);
    for (model::SessionRow& session : report.sessions) share(session);
    for (model::Finding& finding : report.findings) share(finding);
    for (model::Incident& incident : report.incidents) share(incident);
    for (model::RuleCoverage& rule : report.rules) text(rule.why), text(rule.enable);
    for (model::ActivityRow& row : report.activity.rows) label(row.session);
    texts(report.notes);
  }

  void share(model::Summary& summary) {
    for (model::SummaryIncident& incident : summary.incident_list) share(incident);
    share(summary.clients);
    share(summary.servers);
    for (model::SummaryRow& row : summary.session_list.rows) label(row.name);
    for (model::Offender& offender : summary.offenders) text(offender.name);
    for (model::RuleCoverage& rule : summary.not_judged) text(rule.why), text(rule.enable);
    for (model::SummaryProblem& problem : summary.problems) file(problem.input), text(problem.text);
  }

 private:
  void text(std::string& value) { value = names_.text(mask_secrets(value)); }
  void texts(std::vector<std::string>& values) {
    for (std::string& value : values) text(value);
  }
  void id(std::string& value) { value = names_.of(value); }

  // Of a path the file's name.
  void file(std::string& path) { path = names_.text(path.substr(name_at(path))); }
  static std::size_t name_at(std::string_view path) { return path.find_last_of('/') + 1; }
  void incident_id(std::string& value) {
    if (!value.starts_with(kIncidentPrefix)) return id(value);
    value = std::string(kIncidentPrefix) + names_.of(std::string_view(value).substr(kIncidentPrefix.size()));
  }

  void share(model::InputRow& input) {
    file(input.path);
    text(input.error);
    model::AnomalyLog anomalies;
    for (auto [kind, anomaly] : input.anomalies.entries()) {
      text(anomaly.text);
      anomalies.add(anomaly);
    }
    input.anomalies = std::move(anomalies);
  }

  // "client 10.2.3.4" is a sentence with an address in it; one word is an id.
  void label(std::string& value) {
    if (value == kOthersKey) return;
    value = value.find(' ') == std::string::npos ? names_.of(value) : names_.text(value);
  }

  void share(model::SummaryIncident& incident) {
    incident_id(incident.id);
    text(incident.title);
    text(incident.story);
    text(incident.client);
    share(incident.fault);
    file(incident.place);
  }

  void share(model::SummaryList& list) {
    for (model::SummaryRow& row : list.rows) text(row.name);
  }

  void share(model::SessionRow& session) {
    label(session.id);
    label(session.key);
  }

  void share(model::Fault& fault) {
    text(fault.reason);
    texts(fault.contributing);
  }

  void share(model::Finding& finding) {
    id(finding.id);
    id(finding.consequence_of);
    label(finding.session);
    text(finding.detail);
    share(finding.fault);
    for (model::Evidence& evidence : finding.evidence) text(evidence.text);
    std::map<std::string, std::uint64_t> tally;
    for (const auto& [key, count] : finding.tally) tally[names_.text(key)] += count;
    finding.tally = std::move(tally);
  }

  void share(model::Incident& incident) {
    incident_id(incident.id);
    id(incident.root);
    for (std::string& finding : incident.findings) id(finding);
    text(incident.title);
    text(incident.story);
    share(incident.fault);
    for (model::StoryLine& line : incident.picture) text(line.text);
    texts(incident.notes);
  }

  Pseudonyms& names_;
};

template <typename Document>
void pseudonymise_all(Document& document, Pseudonyms& names) {
  Sharer sharer(names);
  sharer.learn(document);
  Document draft = document;  // a name may stand in a text before the one that tells it is a name
  sharer.share(draft);
  sharer.share(document);
}

}  // namespace

void pseudonymise(model::Report& report, Pseudonyms& names) { pseudonymise_all(report, names); }
void pseudonymise(model::Summary& summary, Pseudonyms& names) { pseudonymise_all(summary, names); }

}  // namespace mcpscan::report
