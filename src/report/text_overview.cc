#include "report/text_overview.h"

#include <fmt/format.h>

namespace mcpscan::report {
namespace {

constexpr std::size_t kIndent = 2;

// The books stand under the input: what was not used says why, so that the numbers add up under the reader's eyes.
void write_input(Page& page, const Wording& wording, const model::InputRow& input) {
  page.paragraph(0, page.text(input.path) + "  ", wording.input_facts(input), kIndent, Style::heading);
  const std::string books = wording.books(input);
  if (!books.empty()) page.paragraph(kIndent, "", books, kIndent * 2);
}

void write_inputs(Page& page, const Wording& wording, const model::Report& report) {
  const std::size_t shown = page.rows(report.inputs.size());
  for (std::size_t i = 0; i < shown; ++i) write_input(page, wording, report.inputs[i]);
  if (shown == report.inputs.size()) return;
  std::uint64_t records = 0;
  for (std::size_t i = shown; i < report.inputs.size(); ++i) records += report.inputs[i].books.total;
  page.line(fmt::format("and {} with {}", counted(report.inputs.size() - shown, "more input"), counted(records, "record")), Style::dim);
}

}  // namespace

void write_overview(Page& page, const ReportIndex& index, const Wording& wording) {
  write_inputs(page, wording, index.report());
  if (index.speaks_mcp()) page.paragraph(0, "", wording.pairing(), kIndent);
  for (const std::string& note : index.report().notes) page.paragraph(0, "Note: ", page.text(note), kIndent);
  const Labelled verdict = wording.verdict();
  if (verdict.label.empty()) return;
  page.blank();
  page.paragraph(0, std::string(verdict.label) + (verdict.text.empty() ? "" : "  "), verdict.text, kIndent, Style::heading);
}

}  // namespace mcpscan::report
