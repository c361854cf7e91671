#include "engine/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/data_file.h"
#include "base/date_text.h"
#include "engine/engine.h"

namespace mcpscan::engine {

using model::Finding;
using model::Incident;
using model::Report;

namespace {

const std::vector<std::string_view> kKeys{"levels", "suppress", "baseline"};
const std::vector<std::string_view> kSuppressionKeys{"rule", "session", "tool", "client", "reason", "until"};

// The moment after a day written as 2026-12-31 (UTC); unknown for anything else.
Time end_of_day(std::string_view text) {
  const auto day = read_date(text);
  return day ? Time{(*day + 1) * kDay} : Time{};
}

Time first_time(const Report& report) {
  Time first;
  for (const model::InputRow& input : report.inputs) {
    if (input.first.known() && (!first.known() || input.first < first)) first = input.first;
  }
  return first;
}

// What was taken away for one entry.
struct Taken {
  std::uint64_t findings = 0, occurrences = 0;
};

}  // namespace

Result<Tuning> Tuning::load(std::string_view yaml, std::string_view path, const RuleSet& rules) {
  auto file = DataFile::parse(yaml, path);
  if (!file) return file.error();
  const YamlNode& root = file->root();
  if (const Status keys = file->check_keys(root, kKeys); !keys.ok()) return keys.error();
  Tuning tuning;
  tuning.path_ = path;
  const auto unknown_rule = [&](const YamlNode& at) { return file->error(at, fmt::format("there is no rule '{}'", at.text()), did_you_mean(at.text(), rules.ids())); };
  if (root["levels"].is_defined() && !root["levels"].is_map()) return file->error(root["levels"], "'levels' must be a map of rules and levels");
  for (const YamlEntry& entry : root["levels"].entries()) {
    if (!rules.find(entry.key.text())) return unknown_rule(entry.key);
    const auto level = model::parse_level(entry.value.is_text() ? entry.value.text() : std::string());
    if (!level) return file->error(entry.value, "this is no level", "one of informational, low, medium, high, critical");
    tuning.levels_[entry.key.text()] = *level;
  }
  if (root["suppress"].is_defined() && !root["suppress"].is_list()) return file->error(root["suppress"], "'suppress' must be a list");
  for (const YamlNode& node : root["suppress"].items()) {
    if (!node.is_map()) return file->error(node, "a suppression is a map", "{rule: late-reply, tool: export, reason: why, until: 2026-12-31}");
    if (const Status keys = file->check_keys(node, kSuppressionKeys); !keys.ok()) return keys.error();
    Suppression& one = tuning.suppressions_.emplace_back();
    one.place = fmt::format("{}:{}", path, node.place().line + 1);
    for (const auto& [key, to] : {std::pair{"rule", &one.rule}, {"session", &one.session}, {"tool", &one.tool}, {"client", &one.client}, {"reason", &one.reason}}) {
      const auto text = file->text(node, key, key == std::string_view("rule") || key == std::string_view("reason"));
      if (!text) return text.error();
      *to = *text;
    }
    if (!rules.find(one.rule)) return unknown_rule(node["rule"]);
    if (one.reason.empty()) return file->error(node["reason"], "a suppression needs a reason");
    if (!node["until"].is_defined()) continue;
    one.until = end_of_day(node["until"].is_text() ? node["until"].text() : std::string());
    if (!one.until.known()) return file->error(node["until"], "'until' must be a day", "write 2026-12-31; the suppression holds to its end (UTC)");
  }
  const auto baseline = file->texts(root, "baseline");
  if (!baseline) return baseline.error();
  tuning.baseline_.insert(baseline->begin(), baseline->end());
  return tuning;
}

bool Tuning::covers(const Suppression& suppression, const Finding& finding, const Report& report) const {
  if (finding.rule != suppression.rule || (suppression.until.known() && finding.last.known() && finding.last >= suppression.until)) return false;
  if (!suppression.session.empty() && finding.session != suppression.session) return false;
  const auto of_tool = [&](const model::FindingCall& call) { return call.tool == suppression.tool; };
  if (!suppression.tool.empty() && (finding.calls.empty() || !std::all_of(finding.calls.begin(), finding.calls.end(), of_tool))) return false;
  if (suppression.client.empty()) return true;
  return std::any_of(report.sessions.begin(), report.sessions.end(), [&](const model::SessionRow& row) {
    return row.client_name == suppression.client && (row.id == finding.session || row.key == finding.session);
  });
}

void Tuning::change_levels(Report& report) const {
  if (levels_.empty()) return;
  for (Finding& finding : report.findings) {
    const auto level = levels_.find(finding.rule);
    if (level != levels_.end()) finding.level = level->second;
  }
  for (Incident& incident : report.incidents) {
    incident.level = model::Level::informational;
    for (const Finding& finding : report.findings) {
      if (std::find(incident.findings.begin(), incident.findings.end(), finding.id) != incident.findings.end()) incident.level = std::max(incident.level, finding.level);
    }
  }
  std::erase_if(report.incidents, [](const Incident& incident) { return incident.level == model::Level::informational; });
  std::stable_sort(report.incidents.begin(), report.incidents.end(), [](const Incident& a, const Incident& b) { return a.level > b.level; });
  std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) { return a.level > b.level; });
}

void Tuning::apply(Report& report) const {
  change_levels(report);
  std::map<std::string, std::string> gone;  // finding, and the entry that took it
  for (const Finding& finding : report.findings) {
    if (baseline_.contains(finding.id)) gone.emplace(finding.id, path_ + ": baseline");
    for (const Suppression& suppression : suppressions_) {
      if (covers(suppression, finding, report)) gone.emplace(finding.id, fmt::format("{}: {} ({})", suppression.place, suppression.rule, suppression.reason));
    }
  }
  // What follows from a cause goes with it: one root, one alarm.
  for (const Incident& incident : report.incidents) {
    const auto root = gone.find(incident.root);
    const std::string why = baseline_.contains(incident.id) ? path_ + ": baseline " + incident.id : root != gone.end() ? root->second : std::string();
    if (why.empty()) continue;
    for (const std::string& finding : incident.findings) gone.emplace(finding, why);
  }
  std::map<std::string, Taken> taken;
  std::erase_if(report.findings, [&](const Finding& finding) {
    const auto entry = gone.find(finding.id);
    if (entry == gone.end()) return false;
    Taken& sum = taken[entry->second];
    ++sum.findings;
    sum.occurrences += finding.count;
    return true;
  });
  for (Incident& incident : report.incidents) {
    std::erase_if(incident.findings, [&](const std::string& id) { return gone.contains(id); });
  }
  std::erase_if(report.incidents, [](const Incident& incident) { return incident.findings.empty(); });
  for (const auto& [entry, sum] : taken) {
    report.notes.push_back(fmt::format("suppressed by {}: {} finding{}, {} occurrence{}", entry, sum.findings, sum.findings == 1 ? "" : "s", sum.occurrences, sum.occurrences == 1 ? "" : "s"));
  }
  const Time first = first_time(report);
  for (const Suppression& suppression : suppressions_) {
    if (!suppression.until.known() || !first.known() || first < suppression.until) continue;
    report.notes.push_back(fmt::format("{}: the suppression of {} ended before this evidence begins; it was not applied", suppression.place, suppression.rule));
  }
}

}  // namespace mcpscan::engine
