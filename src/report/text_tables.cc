#include "report/text_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/text_overview.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kHanging = 4;

using Kind = Table::Kind;

void write_more(Page& page, std::size_t shown, std::size_t all, std::string_view what) {
  if (shown >= all) return;
  page.line(fmt::format("{:{}}and {} more {}; -o FILE or --format json lists all", "", kIndent, thousands(all - shown), what), Style::dim);
}

std::string finding_text(const Page& page, const ReportIndex& index, const model::Finding& finding) {
  std::string text = thousands(finding.count);
  if (!finding.session.empty()) text += " in session " + page.id(finding.session);
  if (!finding.detail.empty()) text += ": " + page.text(finding.detail);
  if (!finding.evidence.empty()) text += "  " + page.text(index.place(finding.evidence.front().source));
  const std::uint64_t more = finding.evidence_left_out + (finding.evidence.empty() ? 0 : finding.evidence.size() - 1);
  return more > 0 ? text + " and " + counted(more, "more place") : text;
}

std::string client_text(const Page& page, const model::SessionRow& row) {
  return page.text(row.client_version.empty() ? row.client_name : row.client_name + " " + row.client_version);
}

std::string session_period(const model::SessionRow& row, bool several_days) {
  if (!row.first.known()) return {};
  const auto clock = [&](Time at) { return format_rfc3339(at).substr(several_days ? 5 : 11, several_days ? 14 : 8); };
  std::string text = clock(row.first) + (row.last.known() ? " to " + clock(row.last) : std::string());
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::string level_word(model::Level level) { return level == model::Level::informational ? "-" : std::string(model::to_string(level)); }

void add_session(Table& table, const Page& page, const ReportIndex& index, const model::SessionRow& row) {
  const std::string name = row.id.empty() ? row.key : row.id;
  table.add({page.id(name), level_word(index.worst(row)), thousands(row.counts.requests), thousands(row.counts.replies),
             thousands(row.counts.tools_calls), std::string(model::to_string(row.keyed_by)), client_text(page, row),
             session_period(row, index.several_days())});
}

std::string duration(std::int64_t us) { return us < 0 ? "-" : format_duration(us); }

void add_tool(Table& table, const Page& page, const model::ToolRow& row) {
  table.add({page.text(row.tool), thousands(row.calls), thousands(row.replies), thousands(row.errors), duration(row.median_us), duration(row.p99_us),
             duration(row.longest_us)});
}

void write_anomaly(Page& page, const ReportIndex& index, const model::Anomaly& anomaly, std::uint32_t input) {
  model::SourceRef source = anomaly.source;
  source.input = input;
  std::string text = page.text(anomaly.text.empty() ? anomaly.kind : anomaly.text);
  text += anomaly.count > 1 ? fmt::format(" ({}, {}, the first here)", page.text(anomaly.kind), counted(anomaly.count, "time")) : fmt::format(" ({})", page.text(anomaly.kind));
  page.paragraph(kIndent, page.text(index.place(source)) + "  ", text, kHanging);
}

void write_group(Page& page, const CoverageGroup& group) {
  std::vector<std::string> rules;
  for (const std::string& rule : group.rules) rules.push_back(page.text(rule));
  std::string text = joined(rules, rules.size());
  if (!group.why.empty() && !group.enable.empty()) {
    text += fmt::format(" ({}; {})", page.text(group.why), page.text(group.enable));
  } else if (!group.why.empty() || !group.enable.empty()) {
    text += fmt::format(" ({})", page.text(group.why.empty() ? group.enable : group.why));
  }
  page.paragraph(0, group.state == model::RuleState::partly ? "Judged in part: " : "Not judged: ", text, kIndent, Style::heading);
}

}  // namespace

void write_lone_findings(Page& page, const ReportIndex& index) {
  const auto list = index.lone_findings();
  const std::size_t shown = page.rows(list.size());
  for (std::size_t i = 0; i < shown; ++i) {
    if (i == 0) page.blank(), page.line("Findings outside the incidents", Style::heading);
    const std::string label = fmt::format("{:13}  {}  ", model::to_string(list[i]->level), page.text(list[i]->rule));
    page.paragraph(kIndent, label, finding_text(page, index, *list[i]), kIndent + 15, style_of(list[i]->level));
  }
  write_more(page, shown, list.size(), "findings");
  if (index.report().findings_left_out > 0) page.paragraph(kIndent, "", counted(index.report().findings_left_out, "more finding was", "more findings were") + " counted, not kept", kHanging);
}

void write_sessions(Page& page, const ReportIndex& index) {
  Table table({{"SESSION", Kind::text, true},
               {"WORST"},
               {"REQUESTS", Kind::number},
               {"REPLIES", Kind::number},
               {"TOOL CALLS", Kind::number},
               {"KEYED BY", Kind::text, false, true},
               {"CLIENT", Kind::text, true, true},
               {"TIME (UTC)", Kind::text, false, true}});
  const auto list = index.sessions();
  const std::size_t shown = page.rows(list.size());
  for (std::size_t i = 0; i < shown; ++i) add_session(table, page, index, *list[i]);
  page.table(counted(index.sessions_total(), "session"), table, kIndent);
  write_more(page, shown, list.size(), "sessions");
}

void write_tools(Page& page, const ReportIndex& index) {
  Table table({{"TOOL", Kind::text, true},
               {"CALLS", Kind::number},
               {"REPLIES", Kind::number},
               {"ERRORS", Kind::number},
               {"MEDIAN", Kind::number},
               {"P99", Kind::number},
               {"LONGEST", Kind::number}});
  const auto list = index.tools();
  const std::size_t shown = page.rows(list.size());
  for (std::size_t i = 0; i < shown; ++i) add_tool(table, page, *list[i]);
  page.table(counted(list.size(), "tool"), table, kIndent);
  write_more(page, shown, list.size(), "tools");
}

void write_input_problems(Page& page, const ReportIndex& index) {
  if (index.anomalies_total() == 0) return;
  page.blank();
  page.line("Problems of the inputs", Style::heading);
  std::size_t left = index.anomalies_total();
  const std::size_t shown = page.rows(left);
  std::size_t written = 0;
  for (std::uint32_t i = 0; i < index.report().inputs.size(); ++i) {
    const model::InputRow& input = index.report().inputs[i];
    if (!input.error.empty() && written < shown) page.paragraph(kIndent, page.text(index.input_name(i)) + "  ", page.text(input.error), kHanging), ++written;
    for (const auto& [kind, anomaly] : input.anomalies.entries()) {
      if (written < shown) write_anomaly(page, index, anomaly, i), ++written;
    }
  }
  write_more(page, shown, left, "problems");
}

void write_coverage(Page& page, const ReportIndex& index) {
  if (!index.speaks_mcp() || index.report().rules.empty()) return;
  page.blank();
  for (const CoverageGroup& group : index.not_judged()) write_group(page, group);
  const auto judged = index.judged_rules();
  if (index.findings_total() == 0) {
    page.paragraph(0, "Checked: ", page.text(joined(judged, judged.size())) + ".", kIndent, Style::heading);
  } else {
    page.paragraph(0, "Everything else: ", counted(index.silent_rules(), "rule") + " evaluated, nothing found.", kIndent, Style::heading);
  }
}

}  // namespace mcpscan::report
