// --format md: for an issue tracker. The same sentences as the text report; pictures in fenced blocks; lists are capped,
// because trackers refuse long bodies (65,536 characters at GitHub).
#include <fmt/format.h>

#include "report/escape.h"
#include "report/text_incident.h"
#include "report/wording.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kRows = 30;
constexpr unsigned kPictureColumns = 100;

std::string upper_label(model::Level level) {
  std::string text(model::to_string(level));
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

class Markdown {
 public:
  Markdown(const ReportIndex& index, const model::ReportOptions& options)
      : index_(index), options_(options), wording_(index, options.zone, [this](std::string_view raw) { return safe(raw); },
                                                   [this](std::string_view raw) { return escape_markdown(shown_id(raw, options_)); }) {
    options_.colour = options_.terminal = false;
    options_.width = kPictureColumns;
  }
  Markdown(const Markdown&) = delete;
  Markdown& operator=(const Markdown&) = delete;

  std::string write() {
    head();
    for (const model::Incident* incident : index_.incidents()) write(*incident);
    list("Findings outside the incidents", index_.lone_findings(), [&](const model::Finding* finding) {
      return fmt::format("{} **{}** {}", model::to_string(finding->level), safe(finding->rule), wording_.lone_finding(*finding));
    });
    table("Sessions", fmt::format("| Session | Worst | Requests | Replies | Tool calls | Keyed by | Client | Time ({}) |\n|---|---|--:|--:|--:|---|---|---|\n", options_.zone.name()), index_.sessions(),
          [&](const model::SessionRow* row) { return wording_.session_cells(*row); });
    table("Tools", "| Tool | Calls | Replies | Errors | Median | P99 | Longest |\n|---|--:|--:|--:|--:|--:|--:|\n", index_.tools(),
          [&](const model::ToolRow* row) { return wording_.tool_cells(*row); });
    list("Problems of the inputs", index_.input_problems(), [&](const InputProblem& problem) {
      return wording_.place(problem.source) + ": " + (problem.anomaly == nullptr ? safe(*problem.error) : wording_.anomaly(*problem.anomaly));
    });
    coverage();
    return std::move(out_);
  }

 private:
  std::string safe(std::string_view raw) const { return escape_markdown(shown_text(raw, options_)); }
  void line(const std::string& text) { out_ += text + '\n'; }
  void labelled(std::string_view label, const std::string& text) {
    if (!text.empty()) line(fmt::format("\n**{}** {}", label, text));
  }

  void head() {
    const Labelled verdict = wording_.verdict();
    const auto incidents = index_.incidents();
    std::string title = verdict.label.empty() ? std::string("findings") : std::string(verdict.label);
    if (!incidents.empty()) title = counted(incidents.size(), "incident") + ", worst " + std::string(model::to_string(incidents[0]->level));
    line("# mcpscan: " + title);
    list({}, index_.report().inputs, [&](const model::InputRow& input) {
      const std::string books = wording_.books(input);
      return fmt::format("**{}** {}{}{}", safe(input.path), wording_.input_facts(input), books.empty() ? "" : "; ", books);
    });
    if (index_.speaks_mcp()) line('\n' + wording_.pairing() + '.');
    labelled(verdict.label, verdict.text);
    for (const std::string& note : index_.report().notes) labelled("Note:", safe(note));
  }

  void write(const model::Incident& incident) {
    line(fmt::format("\n## {}: {}\n", upper_label(incident.level), safe(incident.title)));
    line(fmt::format("**{}** {}", wording_.safe_id(incident.id), safe(incident.story)));
    labelled("Fault:", wording_.fault(incident.fault));
    Page page(options_);
    write_places(page, index_, wording_, incident);
    const std::string places = page.take();
    if (!places.empty()) line('\n' + fenced_markdown(places));
    for (const std::string& note : incident.notes) line("- " + safe(note));
    labelled("Touched:", wording_.reach(incident));
    labelled("Led to:", wording_.consequences(incident));
    for (const TallyOfRule& tally : wording_.tallies(incident)) write(tally);
    labelled("Fix:", safe(incident.fix));
    labelled("More:", wording_.more_command(incident));
  }

  void write(const TallyOfRule& tally) {
    line(fmt::format("\n| Count | Key of {} |\n|--:|---|", safe(tally.first)));
    const std::size_t shown = std::min(tally.second.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) line(fmt::format("| {} | {} |", thousands(tally.second[i].second), safe(tally.second[i].first)));
    more(shown, tally.second.size());
  }

  void more(std::size_t shown, std::size_t all) {
    if (shown < all) line(fmt::format("\nand {} more", thousands(all - shown)));
  }

  template <typename Rows, typename Text>
  void list(std::string_view heading, const Rows& rows, Text text_of) {
    if (rows.empty()) return;
    line(heading.empty() ? std::string() : fmt::format("\n## {}\n", heading));
    const std::size_t shown = std::min(rows.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) line("- " + text_of(rows[i]));
    more(shown, rows.size());
  }

  template <typename Rows, typename Cells>
  void table(std::string_view heading, std::string_view head, const Rows& rows, Cells cells_of) {
    if (rows.empty()) return;
    out_ += fmt::format("\n## {}\n\n{}", heading, head);
    const std::size_t shown = std::min(rows.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) line(fmt::format("| {} |", fmt::join(cells_of(rows[i]), " | ")));
    more(shown, rows.size());
  }

  void coverage() {
    if (!index_.speaks_mcp() || index_.report().rules.empty()) return;
    line("\n## What was judged");
    for (const CoverageBlock& block : wording_.not_judged(kAllNames)) {
      line(fmt::format("\n**{}**\n", block.heading));
      for (const std::string& row : block.rows) line("- " + row);
    }
    const Labelled more = wording_.more_evidence();
    labelled(more.label, more.text);
    const Labelled rest = wording_.everything_else(kAllNames);
    labelled(rest.label, rest.text);
  }

  const ReportIndex& index_;
  model::ReportOptions options_;
  Wording wording_;
  std::string out_;
};

void write_markdown(const model::Report& report, const model::ReportOptions& options, model::ReportFormatEntry::Out out) {
  const ReportIndex index(report);
  out(Markdown(index, options).write());
}

}  // namespace

extern const model::ReportFormatEntry kFormatMd;
const model::ReportFormatEntry kFormatMd{"md", "md", "for an issue tracker: Markdown with pictures in code blocks", &write_markdown};

}  // namespace mcpscan::report
