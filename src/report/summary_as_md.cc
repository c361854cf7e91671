// summary --format md: for an issue tracker or a chat: the same sentences and tables.
#include <fmt/format.h>

#include "report/escape.h"
#include "report/report_index.h"
#include "report/summary_format_registry.h"
#include "report/summary_view.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kRows = 30;

std::string table_text(const ViewTable& table) {
  if (table.rows.empty()) return {};
  std::string head = "|", rule = "|", out = fmt::format("\n## {}\n\n", table.title);
  for (const ViewColumn& column : table.columns) {
    head += fmt::format(" {} |", column.title);
    rule += column.number ? "--:|" : "---|";
  }
  out += head + '\n' + rule + '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (const std::string& cell : row) out += fmt::format(" {} |", cell);
    out += '\n';
  }
  return table.more.empty() ? out : out + '\n' + table.more + '\n';
}

std::string write_md(const model::Summary& summary, const model::ReportOptions& options) {
  const SummaryView view = view_of(summary, [&](std::string_view raw) { return escape_markdown(shown_text(raw, options)); },
                                   [&](std::string_view raw) { return escape_markdown(shown_id(raw, options)); }, kRows);
  std::string out = fmt::format("# MCP incidents: {}\n", view.title);
  for (const std::string& line : view.lead) out += fmt::format("\n{}\n", line);
  out += table_text(view.numbers);
  for (const ViewIncident& incident : view.incidents) {
    out += fmt::format("\n## {}: {} ({}, {})\n\n", incident.state, incident.title, incident.level, incident.id);
    for (const auto& [label, text] : incident.lines) out += label.empty() ? fmt::format("- {}\n", text) : fmt::format("- **{}** {}\n", label, text);
  }
  for (const ViewTable& table : view.tables) out += table_text(table);
  for (const CoverageBlock& block : view.not_judged) {
    out += fmt::format("\n## {}\n\n", block.heading);
    for (const std::string& row : block.rows) out += fmt::format("- {}\n", row);
  }
  if (!view.more_evidence.empty()) out += fmt::format("\n**{}** {}\n", kMoreEvidence, view.more_evidence);
  if (!view.problems.empty()) out += "\n## Problems of the inputs\n\n";
  for (const std::string& problem : view.problems) out += fmt::format("- {}\n", problem);
  return out;
}

}  // namespace

extern const model::SummaryFormatEntry kSummaryAsMd;
const model::SummaryFormatEntry kSummaryAsMd{"md", "md", "Markdown for an issue tracker or a chat", &write_md};

}  // namespace mcpscan::report
