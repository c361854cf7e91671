#include "report/text_exoneration.h"

#include <fmt/format.h>

#include "report/exoneration_words.h"

namespace mcpscan::report {

using model::Exoneration;
using Kind = Table::Kind;

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kHanging = 4;

template <typename Rows, typename Text>
void write_list(Page& page, std::string_view heading, const Rows& rows, Text text_of) {
  if (rows.empty()) return;
  page.blank();
  page.line(heading, Style::heading);
  const std::size_t shown = page.rows(rows.size());
  for (std::size_t i = 0; i < shown; ++i) page.paragraph(kIndent, "- ", text_of(rows[i]), kHanging);
  if (shown < rows.size()) page.line(fmt::format("{:{}}and {} more", "", kIndent, thousands(rows.size() - shown)), Style::dim);
}

void write_evidence(Page& page, const ReportIndex& index, const Wording& wording) {
  page.blank();
  page.line("Evidence", Style::heading);
  for (const model::InputRow& input : index.report().inputs) {
    page.paragraph(kIndent, page.text(input.path) + "  ", wording.input_facts(input), kHanging);
    if (!input.sha256.empty()) page.paragraph(kHanging, "sha256 ", page.id(input.sha256), kHanging);
  }
}

void write_checks(Page& page, const Exoneration& proof, const Wording& wording) {
  if (proof.checks.empty()) return;
  page.blank();
  page.line("Checked", Style::heading);
  std::size_t widest = 0;
  for (const auto& check : proof.checks) widest = std::max(widest, check_share(check).size());
  for (const auto& check : proof.checks) page.paragraph(kIndent, padded_left(check_share(check), widest) + "  ", check_words(check, wording), kIndent + widest + 2);
}

void write_batches(Page& page, const Exoneration& proof, const Wording& wording) {
  Table table({{"TIME"}, {"SIZE", Kind::number}, {"SLOW CALL", Kind::text, false, true}, {"CONNECTIONS", Kind::text, false, true}, {"TIMED OUT", Kind::text, true}, {"LANDED IN", Kind::text, true}, {"EVIDENCE"}});
  const auto list = batches_to_show(proof);
  const std::size_t shown = page.rows(list.size());
  for (std::size_t i = 0; i < shown; ++i) table.add(batch_cells(*list[i], wording));
  page.table(batches_heading(proof), table, kIndent);
  if (shown < list.size()) page.line(fmt::format("{:{}}and {} more, in the table below; -o FILE or --format json lists all", "", kIndent, thousands(list.size() - shown)), Style::dim);
}

void write_sweep(Page& page, const Exoneration& proof) {
  Table table({{"SIZE", Kind::number}, {"SLOW CALL"}, {"CONNECTIONS"}, {"BATCHES", Kind::number}, {"CALLS", Kind::number}, {"RIGHT", Kind::number}, {"OWN PAYLOAD", Kind::number}, {"LEFT", Kind::number}, {"WRONG", Kind::number}});
  for (const auto& row : proof.sweep) table.add(sweep_cells(row));
  page.table("The batches by size, slow call and connections", table, kIndent);
}

}  // namespace

void write_exoneration(Page& page, const Exoneration& proof, const ReportIndex& index, const Wording& wording) {
  const Labelled verdict = exoneration_verdict(proof, wording);
  page.paragraph(0, std::string(verdict.label) + "  ", verdict.text, kIndent, Style::heading);
  write_list(page, "Why not", proof.refusals, [&](const Exoneration::Refusal& refusal) { return exoneration_refusal(refusal, index, wording); });
  write_evidence(page, index, wording);
  for (const std::string& note : index.report().notes) page.paragraph(kIndent, "Note: ", page.text(note), kHanging);
  write_checks(page, proof, wording);
  write_batches(page, proof, wording);
  write_sweep(page, proof);
  const auto reading = how_to_read(proof);
  if (!reading.empty()) page.blank();
  for (const std::string& line : reading) page.paragraph(kIndent, "", line, kIndent);
  write_list(page, "What limits this claim", proof.limits, [&](const std::string& limit) { return page.text(limit); });
}

}  // namespace mcpscan::report
