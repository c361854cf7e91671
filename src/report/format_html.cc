// --format html: one page in one file, to open, print and hand on. It needs no script and loads nothing: a strict content security
// policy allows its own style, by hash, and nothing else. Incidents first, each with its swim lanes; the same sentences as the
// text report. Lists are capped, with the number left out: the JSON report has all.
#include <fmt/format.h>
#include "report/escape.h"
#include "report/html_overview.h"
#include "report/html_page.h"
#include "report/html_picture.h"
#include "report/layout.h"
#include "report/wording.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kRows = 100;          // of a table
constexpr std::size_t kEvidence = 20;       // quoted records of a finding
constexpr std::size_t kQuote = 600;         // bytes of one of them

std::string delta(std::int64_t us) { return us == 0 ? "+0 ms" : (us > 0 ? "+" : "") + format_duration(us); }

// 15 min, where format_duration says 15 min 0 s.
std::string round_duration(std::int64_t us) {
  const std::string text = format_duration(us);
  const std::size_t end = text.rfind(" 0 ");
  return end == std::string::npos ? text : text.substr(0, end);
}

class Html {
 public:
  Html(const ReportIndex& index, const model::ReportOptions& options)
      : index_(index), options_(options), wording_(index, options.zone, [this](std::string_view raw) { return safe(raw); },
                                                   [this](std::string_view raw) { return escape_html(shown_id(raw, options_)); }) {}
  Html(const Html&) = delete;
  Html& operator=(const Html&) = delete;

  std::string write() {
    out_ = html_head(headline(), safe(index_.report().version));
    banner();
    contents();
    out_ += "<main id=\"main\">\n";
    overview();
    std::size_t number = 0;
    for (const model::Incident* incident : index_.incidents()) write(*incident, ++number);
    lone_findings();
    sessions();
    tools();
    coverage();
    inputs();
    out_ += html_foot(safe(index_.report().version), escape_html(options_.zone.name()));
    return std::move(out_);
  }

 private:
  std::string safe(std::string_view raw) const { return escape_html(shown_text(raw, options_)); }

  template <typename... Values>
  void put(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
  }

  std::string headline() const {
    const Labelled verdict = wording_.verdict();
    const auto incidents = index_.incidents();
    if (!incidents.empty()) return counted(incidents.size(), "incident") + ", worst " + std::string(model::to_string(incidents[0]->level));
    return verdict.label.empty() ? std::string("Findings, none of them an incident") : std::string(verdict.label);
  }

  void banner() {
    const Labelled verdict = wording_.verdict();
    put("<header>\n<p class=\"brand\">mcpscan report</p>\n<h1>{}</h1>\n", headline());
    if (!verdict.text.empty()) put("<p class=\"verdict\">{}</p>\n", verdict.text);
    const std::string when = wording_.period(index_.first(), index_.last());
    if (!when.empty()) put("<p class=\"when\">{}</p>\n", when);
    put("<ul class=\"figures\">\n");
    const std::uint64_t not_judged = index_.rules_not_judged();
    const model::Report& report = index_.report();
    figure("Incidents", thousands(report.incidents.size()), report.incidents.empty() ? "" : "loud");
    figure("Findings", thousands(index_.findings_total()), "");
    figure("Sessions", thousands(index_.sessions_total()), "");
    figure("Requests", thousands(report.requests), "");
    figure("Paired with a reply", report.requests == 0 ? "-" : percent(report.requests_with_reply, report.requests), "");
    figure("Rules not judged", thousands(not_judged), not_judged > 0 ? "warn" : "");
    put("</ul>\n</header>\n");
  }

  void figure(std::string_view name, const std::string& value, std::string_view kind) { put("<li class=\"figure {}\"><span>{}</span> <strong>{}</strong></li>\n", kind, name, value); }

  void contents() {
    const auto incidents = index_.incidents();
    if (incidents.empty()) return;
    put("<nav aria-label=\"Incidents\">\n<ol>\n");
    for (std::size_t i = 0; i < incidents.size(); ++i) {
      put("<li><a href=\"#i{}\"><span class=\"level {}\">{}</span> {}</a></li>\n", i + 1, model::to_string(incidents[i]->level), model::to_string(incidents[i]->level), safe(incidents[i]->title));
    }
    put("</ol>\n</nav>\n");
  }

  void overview() {
    const std::string chart = draw_activity(index_, wording_);
    if (chart.empty()) return;
    section("overview", "Calls over time");
    out_ += chart;
    put("<p class=\"legend\"><span class=\"key calls\">calls</span> <span class=\"key bad\">without their reply</span> <span class=\"key notice\">undelivered replies in the log</span> Each bar is {}, each row has its own scale.</p>\n</section>\n",
        round_duration(index_.report().activity.stretch_us));
  }

  void section(std::string_view id, std::string_view heading) { out_ += html_section(id, heading); }

  // --- one incident ---

  void write(const model::Incident& incident, std::size_t number) {
    const std::string_view level = model::to_string(incident.level);
    put("<section class=\"incident {}\" id=\"i{}\" aria-labelledby=\"i{}-h\">\n<p class=\"tag\"><span class=\"level {}\">{}</span> <code>{}</code></p>\n<h2 id=\"i{}-h\">{}</h2>\n", level, number, number, level,
        level, wording_.safe_id(incident.id), number, safe(incident.title));
    if (!incident.story.empty()) put("<p class=\"story\">{}</p>\n", safe(incident.story));
    put("<p class=\"fault\"><strong>Fault:</strong> {}</p>\n", wording_.fault(incident.fault));
    picture(incident, number);
    notes(incident);
    put("<dl class=\"facts\">\n");
    fact("Touched", wording_.reach(incident));
    fact("Led to", wording_.consequences(incident));
    fact("Fix", safe(incident.fix));
    const std::string more = wording_.more_command(incident);
    if (!more.empty()) fact("More", "<code>" + more + "</code>");
    put("</dl>\n");
    for (const TallyOfRule& tally : wording_.tallies(incident)) write(tally);
    evidence(incident);
    put("</section>\n");
  }

  void fact(std::string_view name, const std::string& text) {
    if (!text.empty()) put("<dt>{}</dt><dd>{}</dd>\n", name, text);
  }

  void notes(const model::Incident& incident) {
    if (incident.notes.empty()) return;
    put("<ul class=\"notes\">\n");
    const std::size_t shown = std::min(incident.notes.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) put("<li>{}</li>\n", safe(incident.notes[i]));
    put("</ul>\n");
    more(shown, incident.notes.size());
  }

  void picture(const model::Incident& incident, std::size_t number) {
    if (incident.picture.empty()) return;
    put("<figure class=\"picture\">\n");
    out_ += draw_incident(index_, wording_, options_, incident, number);
    put("<figcaption>\n<ol class=\"steps\">\n");
    Time before;
    std::string date;
    for (const model::StoryLine& line : incident.picture) {
      step(line, before, date);
      before = line.at;
    }
    put("</ol>\n<p class=\"legend\"><span class=\"key seen\">where the evidence was taken</span> Point at a step, or move to it by Tab, for its place and record.</p>\n</figcaption>\n</figure>\n");
  }

  void step(const model::StoryLine& line, Time before, std::string& date) {
    const bool wrong = line.mark == '!' || line.mark == 'x' || (line.mark == '<' && line.slot.number > 0);
    put("<li class=\"{}\">", wrong ? "wrong" : line.mark == '>' ? "sent" : "came");
    if (line.at.known()) {
      const std::string today = wording_.date(line.at);
      const bool dated = wording_.several_days() && today != date;
      date = today;
      put("<time datetime=\"{}\">{}{}</time> ", format_rfc3339(line.at), dated ? today + " " : std::string(), wording_.clock(line.at));
      if (before.known()) put("<span class=\"delta\">{}</span> ", delta(line.at.us - before.us));
    }
    put("<span class=\"what\">{}</span>", safe(line.text));
    if (line.source.number > 0) put(" <code class=\"place\">{}</code>", wording_.place(line.source));
    put("</li>\n");
  }

  void write(const TallyOfRule& tally) {
    const std::size_t shown = std::min(tally.second.size(), kRows);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < shown; ++i) rows.push_back({thousands(tally.second[i].second), safe(tally.second[i].first)});
    table(fmt::format("{} by key", safe(tally.first)), {"#Count", "Key"}, rows);
    more(shown, tally.second.size());
  }

  void evidence(const model::Incident& incident) {
    std::size_t findings = 0;
    std::string inner;
    std::swap(inner, out_);
    for (const std::string& id : incident.findings) {
      const model::Finding* finding = index_.finding(id);
      if (finding == nullptr || ++findings > kRows) continue;
      write(*finding);
    }
    more(std::min(findings, kRows), findings);
    std::swap(inner, out_);
    if (findings > 0) put("<details>\n<summary>{} with their evidence</summary>\n{}</details>\n", counted(findings, "finding"), inner);
  }

  void write(const model::Finding& finding) {
    put("<h3><code>{}</code> <span class=\"level {}\">{}</span></h3>\n<p>{}</p>\n", safe(finding.rule), model::to_string(finding.level), model::to_string(finding.level), wording_.lone_finding(finding));
    const std::size_t shown = std::min(finding.evidence.size(), kEvidence);
    if (shown == 0) return;
    put("<ul class=\"evidence\">\n");
    for (std::size_t i = 0; i < shown; ++i) {
      put("<li><code class=\"place\">{}</code> <q>{}</q></li>\n", wording_.place(finding.evidence[i].source), escape_html(shown_text(finding.evidence[i].text, options_, kQuote)));
    }
    put("</ul>\n");
    more(shown, finding.evidence.size() + finding.evidence_left_out);
  }

  // --- tables ---

  void table(const std::string& caption, const std::vector<std::string_view>& titles, const std::vector<std::vector<std::string>>& rows) { out_ += html_table(caption, titles, rows); }

  void more(std::size_t shown, std::uint64_t all) {
    if (shown < all) put("<p class=\"more\">and {} more</p>\n", thousands(all - shown));
  }

  void lone_findings() {
    const auto findings = index_.lone_findings();
    if (findings.empty()) return;
    section("findings", "Findings outside the incidents");
    std::vector<std::vector<std::string>> rows;
    const std::size_t shown = std::min(findings.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string_view level = model::to_string(findings[i]->level);
      rows.push_back({fmt::format("<span class=\"level {}\">{}</span>", level, level), "<code>" + safe(findings[i]->rule) + "</code>", wording_.lone_finding(*findings[i])});
    }
    table("What was found and makes no incident", {"Level", "Rule", "What and where"}, rows);
    more(shown, findings.size() + index_.report().findings_left_out);
    put("</section>\n");
  }

  void sessions() {
    const auto list = index_.sessions();
    if (list.empty()) return;
    section("sessions", "Sessions");
    std::vector<std::vector<std::string>> rows;
    const std::size_t shown = std::min(list.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) {
      rows.push_back(wording_.session_cells(*list[i]));
      rows.back()[0] = "<code>" + rows.back()[0] + "</code>";
      if (rows.back()[1] != "-") rows.back()[1] = fmt::format("<span class=\"level {}\">{}</span>", rows.back()[1], rows.back()[1]);
    }
    table(counted(index_.sessions_total(), "session"), {"Session", "Worst", "#Requests", "#Replies", "#Tool calls", "Keyed by", "Client", "Time"}, rows);
    more(shown, list.size());
    put("</section>\n");
  }

  void tools() {
    const auto list = index_.tools();
    if (list.empty()) return;
    section("tools", "Tools and their latency");
    std::int64_t longest = 0;
    for (const model::ToolRow* tool : list) longest = std::max(longest, tool->longest_us);
    std::vector<std::vector<std::string>> rows;
    const std::size_t shown = std::min(list.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) {
      rows.push_back(wording_.tool_cells(*list[i]));
      rows.back()[0] = "<code>" + rows.back()[0] + "</code>";
      rows.back().push_back(draw_latency(*list[i], longest));
    }
    table(counted(list.size(), "tool"), {"Tool", "#Calls", "#Replies", "#Errors", "#Median", "#P99", "#Longest", "Median to P99"}, rows);
    more(shown, list.size());
    put("</section>\n");
  }

  // --- what the silence is worth ---

  void coverage() {
    if (!index_.speaks_mcp() || index_.report().rules.empty()) return;
    section("coverage", "What was judged");
    for (const CoverageBlock& block : wording_.not_judged(kAllNames)) {
      put("<h3>{}</h3>\n<ul class=\"notes\">\n", block.heading);
      for (const std::string& row : block.rows) put("<li>{}</li>\n", row);
      put("</ul>\n");
    }
    put("<dl class=\"facts\">\n");
    const Labelled more = wording_.more_evidence();
    fact(more.label, more.text);
    const Labelled rest = wording_.everything_else(kAllNames);
    fact(rest.label, rest.text);
    put("</dl>\n</section>\n");
  }

  void inputs() {
    section("inputs", "What was read");
    std::vector<std::vector<std::string>> rows;
    const std::size_t shown = std::min(index_.report().inputs.size(), kRows);
    for (std::size_t i = 0; i < shown; ++i) {
      const model::InputRow& input = index_.report().inputs[i];
      rows.push_back({"<code>" + safe(input.path) + "</code>", wording_.input_facts(input), wording_.books(input)});
    }
    table(counted(index_.report().inputs.size(), "input"), {"Input", "What it is", "Its records"}, rows);
    more(shown, index_.report().inputs.size());
    if (index_.speaks_mcp()) put("<p>{}.</p>\n", wording_.pairing());
    const auto problems = index_.input_problems();
    if (!problems.empty() || !index_.report().notes.empty()) put("<h3>What limits it</h3>\n<ul class=\"evidence\">\n");
    for (std::size_t i = 0; i < std::min(problems.size(), kRows); ++i) {
      put("<li><code class=\"place\">{}</code> {}</li>\n", wording_.place(problems[i].source), problems[i].anomaly == nullptr ? safe(*problems[i].error) : wording_.anomaly(*problems[i].anomaly));
    }
    for (const std::string& note : index_.report().notes) put("<li>{}</li>\n", safe(note));
    if (!problems.empty() || !index_.report().notes.empty()) put("</ul>\n");
    more(std::min(problems.size(), kRows), problems.size());
    put("</section>\n");
  }

  const ReportIndex& index_;
  model::ReportOptions options_;
  Wording wording_;
  std::string out_;
};

void write_html(const model::Report& report, const model::ReportOptions& options, model::ReportFormatEntry::Out out) {
  const ReportIndex index(report);
  out(Html(index, options).write());
}

}  // namespace

extern const model::ReportFormatEntry kFormatHtml;
const model::ReportFormatEntry kFormatHtml{"html", "html", "for a browser: one page with pictures, no script, printable", &write_html};

}  // namespace mcpscan::report
