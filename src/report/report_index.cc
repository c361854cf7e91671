#include "report/report_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/layout.h"
#include "report/redact.h"
#include "report/utf8.h"

namespace mcpscan::report {
namespace {

// A path up to this long stands in every place as it was given, so that it can be opened by a click.
constexpr std::size_t kShortPath = 28;

void widen(Time at, Time& first, Time& last) {
  if (!at.known()) return;
  if (!first.known() || at < first) first = at;
  if (!last.known() || at > last) last = at;
}

// The last `parts` components of a path.
std::string_view tail_of(std::string_view path, std::size_t parts) {
  std::size_t at = path.size();
  for (; parts > 0 && at != std::string_view::npos && at > 0; --parts) at = path.rfind('/', at - 1);
  return at == std::string_view::npos || at == 0 ? path : path.substr(at + 1);
}

}  // namespace

ReportIndex::ReportIndex(const model::Report& report) : report_(&report) {
  for (const auto& finding : report.findings) {
    findings_.emplace(finding.id, &finding);
    auto& level = worst_[finding.session];
    level = std::max(level, finding.level);
  }
  for (const auto& incident : report.incidents) {
    in_incidents_.insert(incident.root);
    in_incidents_.insert(incident.findings.begin(), incident.findings.end());
  }
  name_inputs();
  span_times();
}

void ReportIndex::name_inputs() {
  std::map<std::string_view, std::size_t> seen;
  std::vector<std::size_t> parts(report_->inputs.size(), 1);
  const auto name = [&](std::size_t i) { return tail_of(report_->inputs[i].path, parts[i]); };
  // Names that clash grow by one folder until they differ or are whole; paths are short, so few rounds do.
  for (bool clash = true; clash;) {
    clash = false;
    seen.clear();
    for (std::size_t i = 0; i < parts.size(); ++i) ++seen[name(i)];
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (seen[name(i)] > 1 && name(i).size() < report_->inputs[i].path.size()) ++parts[i], clash = true;
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& path = report_->inputs[i].path;
    names_.emplace_back(path.size() <= kShortPath ? std::string_view(path) : name(i));
  }
}

void ReportIndex::span_times() {
  for (const auto& input : report_->inputs) widen(input.first, first_, last_), widen(input.last, first_, last_);
  for (const auto& session : report_->sessions) widen(session.first, first_, last_), widen(session.last, first_, last_);
  for (const auto& incident : report_->incidents) {
    for (const auto& line : incident.picture) widen(line.at, first_, last_);
  }
}

const model::Finding* ReportIndex::finding(std::string_view id) const {
  const auto found = findings_.find(id);
  return found == findings_.end() ? nullptr : found->second;
}

std::vector<const model::Incident*> ReportIndex::incidents() const {
  std::vector<const model::Incident*> list;
  for (const auto& incident : report_->incidents) list.push_back(&incident);
  std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->level > b->level; });
  return list;
}

std::vector<const model::Finding*> ReportIndex::lone_findings() const {
  std::vector<const model::Finding*> list;
  for (const auto& finding : report_->findings) {
    if (!in_incidents_.contains(finding.id)) list.push_back(&finding);
  }
  std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) {
    return std::tie(b->level, a->rule) < std::tie(a->level, b->rule);
  });
  return list;
}

std::vector<const model::SessionRow*> ReportIndex::sessions() const {
  std::vector<const model::SessionRow*> list;
  for (const auto& session : report_->sessions) list.push_back(&session);
  const auto rank = [this](const model::SessionRow* row) {
    const bool others = report_->sessions_left_out > 0 && row->key == kOthersKey;
    return std::tuple(others, -static_cast<int>(worst(*row)), ~(row->counts.tools_calls), ~(row->counts.requests));
  };
  std::stable_sort(list.begin(), list.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return list;
}

std::vector<const model::ToolRow*> ReportIndex::tools() const {
  std::vector<const model::ToolRow*> list;
  for (const auto& tool : report_->tools) list.push_back(&tool);
  std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return std::tie(b->calls, a->tool) < std::tie(a->calls, b->tool); });
  return list;
}

model::Level ReportIndex::worst(const model::SessionRow& session) const {
  const auto found = worst_.find(session.id.empty() ? session.key : session.id);
  return found == worst_.end() ? model::Level::informational : found->second;
}

std::string ReportIndex::input_name(std::uint32_t input) const { return input < names_.size() ? names_[input] : "(unknown input)"; }

std::string ReportIndex::place(const model::SourceRef& source) const {
  const std::string name = input_name(source.input);
  if (source.number == 0) return name;
  switch (source.kind) {
    case model::PlaceKind::line: return fmt::format("{}:{}", name, source.number);
    case model::PlaceKind::packet: return fmt::format("{} packet {}", name, source.number);
    case model::PlaceKind::entry: return fmt::format("{} entry {}", name, source.number);
  }
  return name;
}

std::uint64_t ReportIndex::sessions_total() const {
  const bool others = report_->sessions_left_out > 0 && !report_->sessions.empty() && report_->sessions.back().key == kOthersKey;
  return report_->sessions.size() - (others ? 1 : 0) + report_->sessions_left_out;
}

std::vector<InputProblem> ReportIndex::input_problems() const {
  std::vector<InputProblem> list;
  for (std::uint32_t i = 0; i < report_->inputs.size(); ++i) {
    const model::InputRow& input = report_->inputs[i];
    if (!input.error.empty()) list.push_back({{i, model::PlaceKind::line, 0, 0}, &input.error, nullptr});
    for (const auto& [kind, anomaly] : input.anomalies.entries()) {
      list.push_back({anomaly.source, nullptr, &anomaly});
      list.back().source.input = i;
    }
  }
  return list;
}

std::uint64_t ReportIndex::rules_not_judged() const {
  return static_cast<std::uint64_t>(std::count_if(report_->rules.begin(), report_->rules.end(), [](const model::RuleCoverage& rule) { return rule.state == model::RuleState::not_evaluable; }));
}

std::vector<std::string> ReportIndex::judged_rules() const {
  std::vector<std::string> names;
  for (const auto& rule : report_->rules) {
    if (rule.state == model::RuleState::evaluated) names.push_back(rule.rule);
  }
  return names;
}

std::uint64_t ReportIndex::silent_rules() const {
  std::set<std::string_view> loud;
  for (const auto& finding : report_->findings) loud.insert(finding.rule);
  return static_cast<std::uint64_t>(std::count_if(report_->rules.begin(), report_->rules.end(), [&](const model::RuleCoverage& rule) {
    return rule.state == model::RuleState::evaluated && !loud.contains(rule.rule);
  }));
}

bool ReportIndex::without_fault() const {
  const auto calm = [](const auto& entry) { return entry.level == model::Level::informational; };
  return report_->findings_left_out == 0 && std::all_of(report_->findings.begin(), report_->findings.end(), calm) &&
         std::all_of(report_->incidents.begin(), report_->incidents.end(), calm);
}

bool ReportIndex::proves_clean() const {
  if (findings_total() > 0 || anomalies_total() > 0 || report_->requests == 0 || report_->requests_with_reply < report_->requests) return false;
  const auto judged = [](const model::RuleCoverage& rule) { return rule.state == model::RuleState::evaluated; };
  const auto understood = [](const model::InputRow& input) { return input.books.malformed.empty(); };
  return !report_->rules.empty() && std::all_of(report_->rules.begin(), report_->rules.end(), judged) &&
         std::all_of(report_->inputs.begin(), report_->inputs.end(), understood);
}

bool ReportIndex::speaks_mcp() const {
  const auto& t = report_->totals;
  return !report_->sessions.empty() || !report_->findings.empty() || report_->requests > 0 ||
         t.requests + t.replies + t.notifications + t.server_requests > 0;
}

std::string shown_text(std::string_view text, const model::ReportOptions& options, std::size_t bound) {
  const std::string_view head = utf8_prefix(text, bound);
  std::string shown = options.raw ? std::string(head) : mask_secrets(head);
  if (head.size() < text.size()) shown += fmt::format("… ({} bytes)", thousands(text.size()));
  return shown;
}

std::string shown_id(std::string_view id, const model::ReportOptions& options, std::size_t bound) {
  const bool one_word = std::none_of(id.begin(), id.end(), [](unsigned char c) { return c <= ' ' || c == ':' || c == '?' || c == '&'; });
  model::ReportOptions unmasked = options;
  unmasked.raw = options.raw || one_word;
  return shown_text(id, unmasked, bound);
}

}  // namespace mcpscan::report
