#include "report/text_tables.h"

#include <fmt/format.h>

namespace mcpscan::report {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kHanging = 4;
constexpr std::size_t kLevelCells = 15;  // "informational" and the gap behind it

using Kind = Table::Kind;

void write_more(Page& page, std::size_t shown, std::size_t all, std::string_view what) {
  if (shown >= all) return;
  page.line(fmt::format("{:{}}and {} more {}; -o FILE or --format json lists all", "", kIndent, thousands(all - shown), what), Style::dim);
}

void write_label(Page& page, const Labelled& line) { page.paragraph(0, std::string(line.label) + ' ', line.text, kIndent, Style::heading); }

}  // namespace

void write_lone_findings(Page& page, const ReportIndex& index, const Wording& wording) {
  const auto list = index.lone_findings();
  const std::size_t shown = page.rows(list.size());
  if (!list.empty()) page.blank(), page.line("Findings outside the incidents", Style::heading);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string label = padded(std::string(model::to_string(list[i]->level)), kLevelCells) + page.text(list[i]->rule) + "  ";
    page.paragraph(kIndent, label, wording.lone_finding(*list[i]), kIndent + kLevelCells, style_of(list[i]->level));
  }
  write_more(page, shown, list.size(), "findings");
  const std::uint64_t left_out = index.report().findings_left_out;
  if (left_out > 0) page.paragraph(kIndent, "", counted(left_out, "more finding was", "more findings were") + " counted, not listed", kHanging);
}

void write_sessions(Page& page, const ReportIndex& index, const Wording& wording) {
  Table table({{"SESSION", Kind::text, true},
               {"WORST"},
               {"REQUESTS", Kind::number},
               {"REPLIES", Kind::number},
               {"TOOL CALLS", Kind::number},
               {"KEYED BY", Kind::text, false, true},
               {"CLIENT", Kind::text, true, true},
               {"TIME (" + wording.zone_name() + ")", Kind::text, false, true}});
  const auto list = index.sessions();
  const std::size_t shown = page.rows(list.size());
  for (std::size_t i = 0; i < shown; ++i) table.add(wording.session_cells(*list[i]));
  page.table(counted(index.sessions_total(), "session"), table, kIndent);
  write_more(page, shown, list.size(), "sessions");
}

void write_tools(Page& page, const ReportIndex& index, const Wording& wording) {
  Table table({{"TOOL", Kind::text, true},
               {"CALLS", Kind::number},
               {"REPLIES", Kind::number},
               {"ERRORS", Kind::number},
               {"MEDIAN", Kind::number},
               {"P99", Kind::number},
               {"LONGEST", Kind::number}});
  const auto list = index.tools();
  const std::size_t shown = page.rows(list.size());
  for (std::size_t i = 0; i < shown; ++i) table.add(wording.tool_cells(*list[i]));
  page.table(counted(list.size(), "tool"), table, kIndent);
  write_more(page, shown, list.size(), "tools");
}

void write_input_problems(Page& page, const ReportIndex& index, const Wording& wording) {
  const std::vector<InputProblem> list = index.input_problems();
  const std::size_t shown = page.rows(list.size());
  if (!list.empty()) page.blank(), page.line("Problems of the inputs", Style::heading);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string text = list[i].anomaly == nullptr ? page.text(*list[i].error) : wording.anomaly(*list[i].anomaly);
    page.paragraph(kIndent, wording.place(list[i].source) + "  ", text, kHanging);
  }
  write_more(page, shown, list.size(), "problems");
}

void write_coverage(Page& page, const ReportIndex& index, const Wording& wording) {
  if (!index.speaks_mcp() || index.report().rules.empty()) return;
  page.blank();
  for (const CoverageBlock& block : wording.not_judged(page.names())) {
    page.line(block.heading, Style::heading);
    for (const std::string& row : block.rows) page.paragraph(kIndent, "", row, kHanging);
  }
  if (const Labelled more = wording.more_evidence(); !more.text.empty()) write_label(page, more);
  write_label(page, wording.everything_else(page.names()));
}

}  // namespace mcpscan::report
