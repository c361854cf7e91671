// --format sarif: SARIF 2.1.0 (OASIS), for code scanning pages and editors. A finding is a result, its identity a partial
// fingerprint, an incident's picture the code flow of its root; what was not judged and what was wrong with the inputs are
// notifications of the invocation, so that no viewer takes silence for health.
// Levels: critical and high are errors, medium a warning, the rest notes; the word itself stands in the properties.
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "report/escape.h"
#include "report/json_rows.h"
#include "report/layout.h"
#include "report/wording.h"

namespace mcpscan::report {
namespace {

using Form = JsonWriter::Form;

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

std::string_view sarif_level(model::Level level) {
  switch (level) {
    case model::Level::critical:
    case model::Level::high: return "error";
    case model::Level::medium: return "warning";
    default: return "note";
  }
}

class Sarif {
 public:
  Sarif(const ReportIndex& index, const model::ReportOptions& options)
      : index_(index), report_(index.report()), options_(options), wording_(index, Zone(), [this](std::string_view raw) { return shown(raw); },
                                                                            [this](std::string_view raw) { return shown_id(raw, options_); }) {
    for (const model::RuleCoverage& rule : report_.rules) rule_index_.emplace(rule.rule, rule_index_.size());
    for (const model::Incident& incident : report_.incidents) {
      root_of_.emplace(incident.root, &incident);
      for (const std::string& finding : incident.findings) incident_of_.emplace(finding, &incident);
    }
  }
  Sarif(const Sarif&) = delete;
  Sarif& operator=(const Sarif&) = delete;

  std::string write() {
    json_.begin_object(Form::lines).key("$schema").text(kSchema).key("version").text("2.1.0");
    json_.key("runs").begin_list().begin_object(Form::lines);
    tool();
    invocation();
    json_.key("artifacts").begin_list(Form::lines);
    for (const model::InputRow& input : report_.inputs) artifact(input);
    json_.end_list();
    json_.key("results").begin_list(Form::lines);
    for (const model::Finding& finding : report_.findings) result(finding);
    json_.end_list();
    json_.key("columnKind").text("unicodeCodePoints");
    totals();
    json_.end_object().end_list().end_object();
    return json_.take() + '\n';
  }

 private:
  std::string shown(std::string_view raw) const { return shown_text(raw, options_); }

  void tool() {
    json_.key("tool").begin_object().key("driver").begin_object(Form::lines);
    json_.key("name").text("mcpscan");
    if (!report_.version.empty()) json_.key("version").text(report_.version);
    json_.key("rules").begin_list(Form::lines);
    for (const model::RuleCoverage& rule : report_.rules) {
      json_.begin_object().key("id").text(shown(rule.rule));
      if (!rule.title.empty()) message("shortDescription", shown(rule.title));
      json_.key("defaultConfiguration").begin_object().key("level").text(sarif_level(rule.level)).end_object().end_object();
    }
    json_.end_list().end_object().end_object();
  }

  // Section 3.11: in plain text a backslash, bracket or brace of the text itself must be told from a link or placeholder.
  void message(std::string_view key, const std::string& text) { json_.key(key).begin_object().key("text").text(escape_sarif_message(text)).end_object(); }

  void invocation() {
    json_.key("invocations").begin_list().begin_object(Form::lines);
    bool readable = report_.inputs.empty();
    for (const model::InputRow& input : report_.inputs) readable = readable || input.error.empty();
    json_.key("executionSuccessful").boolean(readable);
    json_.key("toolExecutionNotifications").begin_list(Form::lines);
    for (const InputProblem& problem : index_.input_problems()) {
      json_.begin_object().key("descriptor").begin_object().key("id").text(problem.anomaly == nullptr ? "input-unreadable" : "input-anomaly").end_object();
      json_.key("level").text(problem.anomaly == nullptr ? "error" : "warning");
      message("message", problem.anomaly == nullptr ? shown(*problem.error) : wording_.anomaly(*problem.anomaly));
      json_.key("locations").begin_list();
      location(problem.source, {});
      json_.end_list().end_object();
    }
    for (const model::RuleCoverage& rule : report_.rules) not_judged(rule);
    if (report_.findings_left_out > 0) note("findings-left-out", counted(report_.findings_left_out, "more finding was", "more findings were") + " counted, not listed.");
    for (const std::string& text : report_.notes) note("note", shown(text));
    json_.end_list().end_object().end_list();
  }

  void note(std::string_view id, const std::string& text) {
    json_.begin_object().key("descriptor").begin_object().key("id").text(id).end_object().key("level").text("note");
    message("message", text);
    json_.end_object();
  }

  void not_judged(const model::RuleCoverage& rule) {
    if (rule.state == model::RuleState::evaluated) return;
    json_.begin_object().key("descriptor").begin_object().key("id").text(rule.state == model::RuleState::partly ? "rule-judged-in-part" : "rule-not-judged").end_object();
    json_.key("associatedRule").begin_object().key("id").text(shown(rule.rule)).key("index").number(std::uint64_t{rule_index_[rule.rule]}).end_object();
    json_.key("level").text("note");
    const std::string why = shown(rule.why), enable = shown(rule.enable);
    message("message", why + (why.empty() || enable.empty() ? "" : "; ") + enable + (why.empty() && enable.empty() ? "no reason told" : ""));
    json_.end_object();
  }

  void artifact_location(std::uint32_t input) {
    json_.key("artifactLocation").begin_object();
    json_.key("uri").text(path_uri(input < report_.inputs.size() ? shown(report_.inputs[input].path) : std::string("unknown")));
    if (input < report_.inputs.size()) json_.key("index").number(std::uint64_t{input});
    json_.end_object();
  }

  void artifact(const model::InputRow& input) {
    json_.begin_object().key("location").begin_object().key("uri").text(path_uri(shown(input.path))).end_object();
    json_.key("length").number(std::uint64_t{input.bytes}).key("roles").begin_list().text("analysisTarget").end_list();
    if (!input.sha256.empty()) json_.key("hashes").begin_object().key("sha-256").text(input.sha256).end_object();
    message("description", wording_.input_facts(input));
    json_.end_object();
  }

  // A line is a region of the file; a packet or entry is named, and its offset tells the region where it is known.
  void location(const model::SourceRef& source, std::string_view text, std::string_view said = {}) {
    json_.begin_object().key("physicalLocation").begin_object();
    artifact_location(source.input);
    const bool line = source.kind == model::PlaceKind::line;
    if (source.number > 0 && (line || source.offset > 0)) {
      json_.key("region").begin_object().key(line ? "startLine" : "byteOffset").number(line ? source.number : source.offset);
      if (!text.empty()) json_.key("snippet").begin_object().key("text").text(shown(text)).end_object();
      json_.end_object();
    }
    json_.end_object();
    if (source.number > 0 && !line) {
      const std::string name = fmt::format("{} {}", source.kind == model::PlaceKind::packet ? "packet" : "entry", source.number);
      json_.key("logicalLocations").begin_list().begin_object().key("name").text(name).key("kind").text("object").end_object().end_list();
    }
    if (!said.empty()) message("message", shown(said));
    json_.end_object();
  }

  void result(const model::Finding& finding) {
    json_.begin_object().key("ruleId").text(shown(finding.rule));
    if (const auto rule = rule_index_.find(finding.rule); rule != rule_index_.end()) json_.key("ruleIndex").number(std::uint64_t{rule->second});
    json_.key("level").text(sarif_level(finding.level));
    message("message", sentence(finding));
    places("locations", finding, 0, 1);
    if (finding.evidence.size() > 1) places("relatedLocations", finding, 1, finding.evidence.size());
    json_.key("partialFingerprints").begin_object().key("mcpscanFinding/v1").text(finding.id).end_object();
    if (finding.count > 0) json_.key("occurrenceCount").number(finding.count);
    if (const auto root = root_of_.find(finding.id); root != root_of_.end() && !root->second->picture.empty()) flow(*root->second);
    properties(finding);
    json_.end_object();
  }

  std::string sentence(const model::Finding& finding) const {
    const auto root = root_of_.find(finding.id);
    std::string text = root != root_of_.end() ? shown(root->second->title) + ". " + shown(root->second->story) : shown(finding.rule) + ": " + wording_.lone_finding(finding);
    return text + " Fault: " + wording_.fault(finding.fault);
  }

  // Each place once, as SARIF asks (section 3.27.22): a call that begins where another ends is evidence of both.
  void places(std::string_view key, const model::Finding& finding, std::size_t from, std::size_t to) {
    json_.key(key).begin_list();
    if (finding.evidence.empty() && from == 0 && !report_.inputs.empty()) location({}, {});
    std::set<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::string_view>> told;
    for (std::size_t i = from; i < std::min(to, finding.evidence.size()); ++i) {
      const auto& [source, text] = finding.evidence[i];
      const bool fresh = told.emplace(source.input, source.number, source.kind == model::PlaceKind::line ? 0 : source.offset, text).second;
      if (fresh) location(source, text);
    }
    json_.end_list();
  }

  void flow(const model::Incident& incident) {
    json_.key("codeFlows").begin_list().begin_object().key("threadFlows").begin_list().begin_object().key("locations").begin_list(Form::lines);
    for (const model::StoryLine& line : incident.picture) {
      json_.begin_object().key("location");
      if (line.source.number > 0) {
        location(line.source, {}, line.text);
      } else {
        json_.begin_object();
        message("message", shown(line.text));
        json_.end_object();
      }
      if (line.at.known()) json_.key("executionTimeUtc").text(format_rfc3339(line.at));
      json_.end_object();
    }
    json_.end_list().end_object().end_list().end_object().end_list();
  }

  void properties(const model::Finding& finding) {
    json_.key("properties").begin_object();
    const auto member = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) json_.key(key).text(value);
    };
    member("level", model::to_string(finding.level));
    if (const auto incident = incident_of_.find(finding.id); incident != incident_of_.end()) member("incident", incident->second->id);
    member("session", shown_id(finding.session, options_));
    member("detail", shown(finding.detail));
    member("faultParty", model::to_string(finding.fault.party));
    member("faultCertainty", model::to_string(finding.fault.certainty));
    member("consequenceOf", finding.consequence_of);
    if (finding.first.known()) member("first", format_rfc3339(finding.first));
    if (finding.last.known()) member("last", format_rfc3339(finding.last));
    json_.end_object();
  }

  void totals() {
    JsonRows rows(json_, index_, options_);
    json_.key("properties").begin_object().key("totals").begin_object();
    rows.totals();
    json_.end_object().key("paired").begin_object();
    rows.paired();
    json_.end_object().end_object();
  }

  const ReportIndex& index_;
  const model::Report& report_;
  const model::ReportOptions& options_;
  Wording wording_;
  JsonWriter json_;
  std::map<std::string_view, std::size_t> rule_index_;
  std::map<std::string_view, const model::Incident*> root_of_, incident_of_;
};

void write_sarif(const model::Report& report, const model::ReportOptions& options, model::ReportFormatEntry::Out out) {
  const ReportIndex index(report);
  out(Sarif(index, options).write());
}

}  // namespace

extern const model::ReportFormatEntry kFormatSarif;
const model::ReportFormatEntry kFormatSarif{"sarif", "sarif", "for code scanning pages and editors: SARIF 2.1.0", &write_sarif};

}  // namespace mcpscan::report
