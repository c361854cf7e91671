#include "report/html_exoneration.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/exoneration_words.h"
#include "report/html_page.h"
#include "report/layout.h"

namespace mcpscan::report {

using model::Exoneration;

namespace {

constexpr std::size_t kRows = 200;  // what is beyond stands in the JSON document

class ExonerationPage {
 public:
  ExonerationPage(const ReportIndex& index, const Exoneration& proof, const Wording& wording) : index_(index), wording_(wording), proof_(proof) {}

  std::string write() {
    const Labelled verdict = exoneration_verdict(proof_, wording_);
    const std::string version = wording_.safe(index_.report().version);
    const std::string headline = fmt::format("the {} is {}", model::to_string(proof_.party), proof_.cleared ? "cleared" : "not cleared");
    out_ = html_head(headline, version);
    out_ += fmt::format("<header>\n<p class=\"brand\">mcpscan: proof</p>\n<h1>{}</h1>\n<p class=\"verdict\">{}</p>\n</header>\n<main id=\"main\">\n", verdict.label, verdict.text);
    list("why-not", "Why not", proof_.refusals, [&](const Exoneration::Refusal& refusal) { return exoneration_refusal(refusal, index_, wording_); });
    table("checked", "Checked", "What was checked", {"#Held", "What"}, proof_.checks,
          [&](const Exoneration::Check& check) { return std::vector<std::string>{check_share(check), check_words(check, wording_)}; });
    batches();
    list("limits", "What limits this claim", proof_.limits, [&](const std::string& limit) { return wording_.safe(limit); });
    table("evidence", "Evidence", counted(index_.report().inputs.size(), "input"), {"Input", "What it is", "SHA-256"}, index_.report().inputs, [&](const model::InputRow& input) {
      return std::vector<std::string>{"<code>" + wording_.safe(input.path) + "</code>", wording_.input_facts(input), "<code>" + wording_.safe_id(input.sha256) + "</code>"};
    });
    list("notes", "Notes", index_.report().notes, [&](const std::string& note) { return wording_.safe(note); });
    return out_ + html_foot(version, wording_.safe(wording_.zone_name()));
  }

 private:
  void batches() {
    table("batches", "Batch by batch", batches_heading(proof_), {"Time", "#Size", "Slow call", "Connections", "Timed out", "Landed in", "Evidence"}, batches_to_show(proof_),
          [&](const Exoneration::Batch* batch) { return batch_cells(*batch, wording_); });
    table("sweep", "Sizes and forms", "The batches by size, slow call and connections", {"#Size", "Slow call", "Connections", "#Batches", "#Calls", "#Right", "#Own payload", "#Left", "#Wrong"}, proof_.sweep,
          [](const Exoneration::SweepRow& row) { return sweep_cells(row); });
    for (const std::string& text : how_to_read(proof_)) out_ += fmt::format("<p class=\"legend\">{}</p>\n", text);
  }

  void end_section(std::size_t all) {
    if (all > kRows) out_ += fmt::format("<p class=\"more\">and {} more</p>\n", thousands(all - kRows));
    out_ += "</section>\n";
  }

  template <typename Rows, typename Text>
  void list(std::string_view id, std::string_view heading, const Rows& rows, Text text_of) {
    if (rows.empty()) return;
    out_ += html_section(id, heading) + "<ul class=\"notes\">\n";
    for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) out_ += fmt::format("<li>{}</li>\n", text_of(rows[i]));
    out_ += "</ul>\n";
    end_section(rows.size());
  }

  template <typename Rows, typename Cells>
  void table(std::string_view id, std::string_view heading, const std::string& caption, const std::vector<std::string_view>& titles, const Rows& rows, Cells cells_of) {
    if (rows.empty()) return;
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) cells.push_back(cells_of(rows[i]));
    out_ += html_section(id, heading) + html_table(caption, titles, cells);
    end_section(rows.size());
  }

  const ReportIndex& index_;
  const Wording& wording_;
  const Exoneration& proof_;
  std::string out_;
};

}  // namespace

std::string html_exoneration(const ReportIndex& index, const Exoneration& proof, const Wording& wording) { return ExonerationPage(index, proof, wording).write(); }

}  // namespace mcpscan::report
