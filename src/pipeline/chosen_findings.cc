#include "pipeline/chosen_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "base/data_file.h"
#include "model/session_id.h"

namespace mcpscan::pipeline {

using model::Finding;
using model::Report;
using model::SessionRow;

namespace {

bool wanted(const Finding& finding, const ReportRequest& asked, const std::vector<SessionRow>& sessions) {
  if (finding.level < asked.min_level) return false;
  if (!asked.session.empty() && !model::names_session(asked.session, finding.session)) return false;
  const auto& calls = finding.calls;
  if (!asked.tool.empty() && std::none_of(calls.begin(), calls.end(), [&](const auto& call) { return call.tool == asked.tool; })) return false;
  if (asked.client.empty()) return true;
  return std::any_of(sessions.begin(), sessions.end(), [&](const SessionRow& row) {
    return row.client_name == asked.client && (row.id == finding.session || row.key == finding.session);
  });
}

// "did you mean ...", where one of them is near; empty: none is.
std::string nearest(const std::string& word, const std::set<std::string_view>& known) {
  const std::string hint = did_you_mean(word, {known.begin(), known.end()});
  return hint.starts_with("did you mean") ? hint : std::string();
}

std::string none_of(const char* kind, const std::string& word, const std::set<std::string_view>& known) {
  const std::string hint = nearest(word, known);
  return fmt::format("nothing here is of a {} '{}'{}{}", kind, word, hint.empty() ? "" : ": ", hint);
}

void note_what_is_not_there(const ReportRequest& asked, Report& report) {
  std::set<std::string_view> tools, clients;
  for (const model::ToolRow& tool : report.tools) tools.insert(tool.tool);
  for (const Finding& finding : report.findings) {
    for (const auto& call : finding.calls) tools.insert(call.tool);
  }
  for (const SessionRow& row : report.sessions) clients.insert(row.client_name);
  if (!asked.tool.empty() && !tools.contains(asked.tool)) report.notes.push_back(none_of("tool", asked.tool, tools));
  if (!asked.client.empty() && !clients.contains(asked.client)) report.notes.push_back(none_of("client", asked.client, clients));
}

}  // namespace

void choose_findings(const ReportRequest& asked, Report& report) {
  note_what_is_not_there(asked, report);
  std::set<std::string> kept;
  for (const Finding& finding : report.findings) {
    if (wanted(finding, asked, report.sessions)) kept.insert(finding.id);
  }
  std::erase_if(report.incidents, [&](const model::Incident& incident) {
    return std::none_of(incident.findings.begin(), incident.findings.end(), [&](const std::string& id) { return kept.contains(id); });
  });
  for (model::Incident& incident : report.incidents) {
    kept.insert(incident.root);
    std::erase_if(incident.findings, [&](const std::string& id) { return !kept.contains(id); });
  }
  model::Level worst = model::Level::informational;
  std::set<std::string> of_rules;
  const std::uint64_t gone = std::erase_if(report.findings, [&](const Finding& finding) {
    if (kept.contains(finding.id)) return false;
    worst = std::max(worst, finding.level);
    if (finding.level > model::Level::informational) of_rules.insert(finding.rule);
    return true;
  });
  if (gone == 0) return;
  for (model::RuleCoverage& rule : report.rules) {
    if (!of_rules.contains(rule.rule) || rule.state != model::RuleState::evaluated) continue;
    rule.state = model::RuleState::partly;
    rule.why = "findings are not shown, since others were chosen";
    rule.enable = "leave --session, --tool, --client and --min-level out";
  }
  if (worst > model::Level::informational) report.findings_left_out += gone;
  report.notes.push_back(fmt::format("not shown, since others were chosen: {} finding{}, the worst of level {}", gone, gone == 1 ? "" : "s", model::to_string(worst)));
}

Status session_there(const std::string& session, const std::vector<std::unique_ptr<Source>>& sources) {
  if (session.empty()) return {};
  std::set<std::string_view> known;
  for (const auto& source : sources) {
    if (source->tracker.rows_left_out() > 0) return {};  // it may be one of those
    for (const SessionRow& row : source->tracker.rows()) {
      const std::string_view label = row.id.empty() ? row.key : row.id;
      if (model::names_session(session, label)) return {};
      known.insert(label);
    }
  }
  return Error{ErrorCode::not_found, fmt::format("this evidence has no session '{}'", session), "--session", nearest(session, known)};
}

}  // namespace mcpscan::pipeline
