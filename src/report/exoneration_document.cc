#include "report/exoneration_document.h"

#include <array>
#include <utility>

#include "report/csv_exoneration.h"
#include "report/escape.h"
#include "report/html_exoneration.h"
#include "report/json_exoneration.h"
#include "report/md_exoneration.h"
#include "report/redact.h"
#include "report/text_exoneration.h"

namespace mcpscan::report {
namespace {

std::string text_document(const ReportIndex& index, const model::Exoneration& proof, const model::ReportOptions& options) {
  Page page(options);
  const Wording wording(index, options.zone, [&](std::string_view raw) { return page.text(raw); }, [&](std::string_view raw) { return page.id(raw); });
  write_exoneration(page, proof, index, wording);
  return page.take();
}

std::string markdown_document(const ReportIndex& index, const model::Exoneration& proof, const model::ReportOptions& options) {
  const Wording wording(index, options.zone, [&](std::string_view raw) { return escape_markdown(shown_text(raw, options)); },
                        [&](std::string_view raw) { return escape_markdown(shown_id(raw, options)); });
  return markdown_exoneration(index, proof, wording);
}

std::string html_document(const ReportIndex& index, const model::Exoneration& proof, const model::ReportOptions& options) {
  const Wording wording(index, options.zone, [&](std::string_view raw) { return escape_html(shown_text(raw, options)); },
                        [&](std::string_view raw) { return escape_html(shown_id(raw, options)); });
  return html_exoneration(index, proof, wording);
}

using Writer = std::string (*)(const ReportIndex& index, const model::Exoneration& proof, const model::ReportOptions& options);
constexpr std::array<std::pair<std::string_view, Writer>, 5> kWriters{
    {{"text", &text_document}, {"md", &markdown_document}, {"html", &html_document}, {"csv", &csv_exoneration}, {"json", &json_exoneration}}};

Writer writer_of(std::string_view format) {
  for (const auto& [name, writer] : kWriters) {
    if (name == format) return writer;
  }
  return nullptr;
}

}  // namespace

bool carries_exoneration(std::string_view format) { return writer_of(format) != nullptr; }

std::string write_exoneration(std::string_view format, const model::Report& report, const model::Exoneration& proof, const model::ReportOptions& options) {
  const Writer writer = writer_of(format);
  return writer ? writer(ReportIndex(report), proof, options) : std::string();
}

void pseudonymise(model::Exoneration& proof, Pseudonyms& names) {
  const auto text = [&](std::string& value) { value = names.text(mask_secrets(value)); };
  text(proof.judged_at);
  for (model::Exoneration::Check& check : proof.checks) text(check.note);
  for (model::Exoneration::Refusal& refusal : proof.refusals) text(refusal.reason), refusal.finding = names.of(refusal.finding);
  for (std::string& limit : proof.limits) text(limit);
  for (model::Exoneration::Batch& batch : proof.batches) {
    batch.session = names.of(batch.session);
    for (std::string& call : batch.timed_out) text(call);
    text(batch.landed_in);
  }
}

}  // namespace mcpscan::report
