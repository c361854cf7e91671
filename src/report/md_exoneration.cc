#include "report/md_exoneration.h"

#include <fmt/format.h>

#include "report/exoneration_words.h"
#include "report/layout.h"

namespace mcpscan::report {

using model::Exoneration;

namespace {

constexpr std::size_t kRows = 30;

class ExonerationPage {
 public:
  ExonerationPage(const ReportIndex& index, const Exoneration& proof, const Wording& wording) : index_(index), wording_(wording), proof_(proof) {}

  std::string write() {
    const Labelled verdict = exoneration_verdict(proof_, wording_);
    line(fmt::format("# mcpscan: the {} is {}\n\n**{}** {}", model::to_string(proof_.party), proof_.cleared ? "cleared" : "not cleared", verdict.label, verdict.text));
    list("Why not", proof_.refusals, [&](const Exoneration::Refusal& refusal) { return exoneration_refusal(refusal, index_, wording_); });
    list("Evidence", index_.report().inputs, [&](const model::InputRow& input) {
      return fmt::format("**{}** {}{}", wording_.safe(input.path), wording_.input_facts(input), input.sha256.empty() ? std::string() : "; sha256 `" + input.sha256 + '`');
    });
    list("Notes", index_.report().notes, [&](const std::string& note) { return wording_.safe(note); });
    list("Checked", proof_.checks, [&](const Exoneration::Check& check) { return fmt::format("**{}** {}", check_share(check), check_words(check, wording_)); });
    table(batches_heading(proof_), "| Time | Size | Slow call | Connections | Timed out | Landed in | Evidence |\n|---|--:|---|---|---|---|---|\n", batches_to_show(proof_),
          [&](const Exoneration::Batch* batch) { return batch_cells(*batch, wording_); });
    table("The batches by size, slow call and connections", "| Size | Slow call | Connections | Batches | Calls | Right | Own payload | Left | Wrong |\n|--:|---|---|--:|--:|--:|--:|--:|--:|\n",
          proof_.sweep, [](const Exoneration::SweepRow& row) { return sweep_cells(row); });
    for (const std::string& text : how_to_read(proof_)) line('\n' + text);
    list("What limits this claim", proof_.limits, [&](const std::string& limit) { return wording_.safe(limit); });
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }
  void more(std::size_t all) {
    if (all > kRows) line(fmt::format("\nand {} more", thousands(all - kRows)));
  }

  template <typename Rows, typename Text>
  void list(std::string_view heading, const Rows& rows, Text text_of) {
    if (rows.empty()) return;
    line(fmt::format("\n## {}\n", heading));
    for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) line("- " + text_of(rows[i]));
    more(rows.size());
  }

  template <typename Rows, typename Cells>
  void table(const std::string& heading, std::string_view head, const Rows& rows, Cells cells_of) {
    if (rows.empty()) return;
    out_ += fmt::format("\n## {}\n\n{}", heading, head);
    for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) line(fmt::format("| {} |", fmt::join(cells_of(rows[i]), " | ")));
    more(rows.size());
  }

  const ReportIndex& index_;
  const Wording& wording_;
  const Exoneration& proof_;
  std::string out_;
};

}  // namespace

std::string markdown_exoneration(const ReportIndex& index, const Exoneration& proof, const Wording& wording) { return ExonerationPage(index, proof, wording).write(); }

}  // namespace mcpscan::report
