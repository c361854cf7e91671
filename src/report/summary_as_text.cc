// summary --format text: for a person, or the body of a mail. New incidents first; what could not be judged is never left out.
#include "base/limits.h"
#include "report/page.h"
#include "report/report_index.h"
#include "report/summary_format_registry.h"
#include "report/summary_view.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kIndent = 2, kHanging = 4;
constexpr std::size_t kRows = 50;

Table laid_out(const ViewTable& view) {
  std::vector<Table::Column> columns;
  for (const ViewColumn& column : view.columns) columns.push_back({column.title, column.number ? Table::Kind::number : Table::Kind::text, column.shrinks, column.optional});
  Table table(std::move(columns));
  for (const auto& row : view.rows) table.add(row);
  return table;
}

void write_table(Page& page, const ViewTable& view) {
  page.table(view.title, laid_out(view), kIndent);
  if (!view.more.empty()) page.paragraph(kIndent, "", view.more, kHanging);
}

void write_incident(Page& page, const ViewIncident& view) {
  page.blank();
  page.paragraph(0, view.state + "  " + view.level + "  ", view.title + "  " + view.id, kIndent, style_of(view.incident->level));
  for (const auto& [label, text] : view.lines) page.paragraph(kIndent, label.empty() ? std::string() : label + ' ', text, kHanging);
}

std::string write_text(const model::Summary& summary, const model::ReportOptions& options) {
  Page page(options);
  const std::size_t rows = options.terminal ? Limits{}.terminal_rows : kRows;
  const SummaryView view = view_of(summary, [&](std::string_view raw) { return page.text(raw); }, [&](std::string_view raw) { return page.id(raw); }, rows, page.names());
  page.line(view.title, Style::heading);
  for (const std::string& line : view.lead) page.paragraph(kIndent, "", line, kHanging);
  write_table(page, view.numbers);
  for (const ViewIncident& incident : view.incidents) write_incident(page, incident);
  for (const ViewTable& table : view.tables) write_table(page, table);
  if (!view.not_judged.empty()) page.blank();
  for (const CoverageBlock& block : view.not_judged) {
    page.line(block.heading, Style::heading);
    for (const std::string& row : block.rows) page.paragraph(kIndent, "", row, kHanging);
  }
  if (!view.more_evidence.empty()) page.paragraph(0, std::string(kMoreEvidence) + ' ', view.more_evidence, kIndent, Style::heading);
  if (!view.problems.empty()) page.blank(), page.line("Problems of the inputs", Style::heading);
  for (const std::string& problem : view.problems) page.paragraph(kIndent, "", problem, kHanging);
  return page.take();
}

}  // namespace

extern const model::SummaryFormatEntry kSummaryAsText;
const model::SummaryFormatEntry kSummaryAsText{"text", "txt", "for a person, or the body of a mail", &write_text};

}  // namespace mcpscan::report
