// summary --format html: one self-contained page for a mail or a browser: no script, no reference outside, light and dark, prints.
#include <fmt/format.h>

#include "report/escape.h"
#include "report/report_index.h"
#include "report/summary_format_registry.h"
#include "report/summary_view.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kRows = 100;

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--ink:#1c1f24;--soft:#5b6370;--line:#d9dde3;--paper:#fff;--bad:#b3261e;--warn:#8a5a00;--good:#1e6b37}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#a0a8b4;--line:#363c45;--paper:#15181c;--bad:#ff8a80;--warn:#ffc766;--good:#7fd89a}}"
    "body{margin:0 auto;padding:1rem;max-width:72rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin:1.6rem 0 .4rem}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:break-word}"
    "th{font-size:.75rem;color:var(--soft)}td.n,th.n{text-align:right;white-space:nowrap}"
    "article{border-left:4px solid var(--line);padding:.1rem 0 .1rem .8rem;margin:.8rem 0;overflow-wrap:anywhere}"
    "article p{margin:.2rem 0}article h2{margin:.1rem 0 .3rem}article.critical,article.high{border-color:var(--bad)}article.medium{border-color:var(--warn)}article.resolved{border-color:var(--good)}"
    ".state{font-size:.75rem;font-weight:600;letter-spacing:.04em;color:var(--soft)}"
    "@media print{body{max-width:none;padding:0}article{break-inside:avoid}}";

// SHA-256 of kStyle: the only style that the page may apply.
constexpr std::string_view kStyleHash = "sha256-EdAp1kIlJOQUx3o4zIVC8OPso6RPL3AwaSraj9HAVXA=";

std::string table_html(const ViewTable& table) {
  if (table.rows.empty()) return {};
  std::string out = fmt::format("<section><h2>{}</h2><div class=\"scroll\" tabindex=\"0\"><table><thead><tr>", table.title);
  for (const ViewColumn& column : table.columns) out += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"n\"" : "", column.title.empty() ? "number" : column.title);
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += fmt::format("<td{}>{}</td>", table.columns[i].number ? " class=\"n\"" : "", row[i]);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>";
  if (!table.more.empty()) out += fmt::format("<p>{}</p>", table.more);
  return out + "</section>\n";
}

std::string incident_html(const ViewIncident& view) {
  const bool over = view.incident->state == model::IncidentState::resolved;
  std::string out = fmt::format("<article class=\"{}\"><p class=\"state\">{} &middot; {} &middot; {}</p><h2>{}</h2>", over ? std::string_view("resolved") : model::to_string(view.incident->level), view.state,
                                view.level, view.id, view.title);
  for (const auto& [label, text] : view.lines) out += label.empty() ? fmt::format("<p>{}</p>", text) : fmt::format("<p><strong>{}</strong> {}</p>", label, text);
  return out + "</article>\n";
}

std::string list_html(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string out = fmt::format("<section><h2>{}</h2><ul>\n", title);
  for (const std::string& line : lines) out += fmt::format("<li>{}</li>\n", line);
  return out + "</ul></section>\n";
}

std::string write_html(const model::Summary& summary, const model::ReportOptions& options) {
  const SummaryView view = view_of(summary, [&](std::string_view raw) { return escape_html(shown_text(raw, options)); },
                                   [&](std::string_view raw) { return escape_html(shown_id(raw, options)); }, kRows);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{}'\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>MCP incidents: {}</title><style>{}</style></head>\n<body><main><h1>MCP incidents: {}</h1>\n",
      kStyleHash, view.title, kStyle, view.title);
  for (const std::string& line : view.lead) out += fmt::format("<p>{}</p>\n", line);
  for (const ViewIncident& incident : view.incidents) out += incident_html(incident);
  out += table_html(view.numbers);
  for (const ViewTable& table : view.tables) out += table_html(table);
  for (const CoverageBlock& block : view.not_judged) out += list_html(block.heading, block.rows);
  if (!view.more_evidence.empty()) out += fmt::format("<p><strong>{}</strong> {}</p>\n", kMoreEvidence, view.more_evidence);
  out += list_html("Problems of the inputs", view.problems);
  return out + "</main></body></html>\n";
}

}  // namespace

extern const model::SummaryFormatEntry kSummaryAsHtml;
const model::SummaryFormatEntry kSummaryAsHtml{"html", "html", "a self-contained page for a mail or a browser", &write_html};

}  // namespace mcpscan::report
