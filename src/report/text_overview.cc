#include "report/text_overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/utf8.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kIndent = 2;

std::string date_of(Time at) { return format_rfc3339(at).substr(0, 10); }
std::string clock_of(Time at) { return format_rfc3339(at).substr(11, 8); }

std::string_view view_words(model::Vantage vantage) {
  switch (vantage) {
    case model::Vantage::client: return "client's view";
    case model::Vantage::client_wire: return "wire at the client";
    case model::Vantage::gateway: return "gateway's view";
    case model::Vantage::server_wire: return "wire at the server";
    case model::Vantage::server: return "server's view";
    case model::Vantage::unknown: break;
  }
  return "viewpoint unknown";
}

std::string record_words(const model::InputRow& input) {
  const std::string word = input.place_word.empty() ? std::string("record") : input.place_word;
  return counted(input.books.total, word, word == "entry" ? "entries" : std::string_view());
}

std::string book_words(const Page& page, std::string_view what, const std::map<std::string, std::uint64_t>& reasons) {
  std::vector<std::pair<std::string, std::uint64_t>> rows(reasons.begin(), reasons.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::uint64_t sum = 0;
  std::string parts;
  for (const auto& [reason, count] : rows) {
    sum += count;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", thousands(count), page.text(reason));
  }
  return sum == 0 ? std::string() : fmt::format(", {} {} ({})", thousands(sum), what, parts);
}

std::string input_facts(const Page& page, const model::InputRow& input) {
  if (!input.error.empty()) return "could not be read: " + page.text(input.error);
  std::string text = record_words(input);
  text += input.first.known() ? ", " + period(input.first, input.last) : ", no times";
  text += fmt::format(", {}, {}", input.reader.empty() ? "format not recognised" : page.text(input.reader), view_words(input.vantage));
  return text;
}

// The books: what was not used says why, so that the numbers add up under the reader's eyes.
void write_input(Page& page, const model::InputRow& input) {
  page.paragraph(0, page.text(input.path) + "  ", input_facts(page, input), kIndent, Style::heading);
  const std::string books = book_words(page, "ignored", input.books.ignored) + book_words(page, "malformed", input.books.malformed);
  if (!books.empty()) page.paragraph(kIndent, "", fmt::format("{} used{}", thousands(input.books.used), books), kIndent * 2);
}

void write_inputs(Page& page, const model::Report& report) {
  const std::size_t shown = page.rows(report.inputs.size());
  for (std::size_t i = 0; i < shown; ++i) write_input(page, report.inputs[i]);
  if (shown == report.inputs.size()) return;
  std::uint64_t records = 0;
  for (std::size_t i = shown; i < report.inputs.size(); ++i) records += report.inputs[i].books.total;
  page.line(fmt::format("and {} with {}", counted(report.inputs.size() - shown, "more input"), counted(records, "record")), Style::dim);
}

std::string pairing(const model::Report& report) {
  if (report.requests == 0) return "no request seen";
  return fmt::format("{}, {} paired ({})", counted(report.requests, "request"),
                     counted(report.requests_with_reply, "reply", "replies"), percent(report.requests_with_reply, report.requests));
}

std::string what_was_checked(const ReportIndex& index) {
  const model::Report& report = index.report();
  std::string text = report.totals.tools_calls > 0 ? fmt::format("{} tools/call", thousands(report.totals.tools_calls)) : counted(report.requests, "request");
  text += fmt::format(" in {}", counted(index.sessions_total(), "session"));
  const std::string when = period(index.first(), index.last());
  if (!when.empty()) text += fmt::format(" ({})", when);
  const std::size_t rules = index.judged_rules().size();
  return text + fmt::format(" {} checked by {}", report.totals.tools_calls == 1 ? "was" : "were", counted(rules, "rule"));
}

std::string replies_sentence(const model::Report& report) {
  if (report.requests == 0) return "no request was in it to be answered";
  if (report.requests_with_reply == report.requests) return "every request got its reply";
  return fmt::format("{} of {} could be paired with a reply", thousands(report.requests_with_reply), counted(report.requests, "request"));
}

std::vector<std::string> reservations(const ReportIndex& index) {
  std::vector<std::string> list;
  std::size_t rules = 0;
  for (const auto& group : index.not_judged()) rules += group.rules.size();
  if (rules > 0) list.push_back(fmt::format("{} not or only partly judged", counted(rules, "rule was", "rules were")));
  if (index.anomalies_total() > 0) list.push_back(counted(index.anomalies_total(), "problem") + " in the inputs");
  if (index.findings_total() > 0) list.push_back(counted(index.findings_total(), "informational finding"));
  return list;
}

void write_nothing_found(Page& page, const ReportIndex& index) {
  const auto but = reservations(index);
  std::string text = fmt::format("{}: {}, and nothing at fault was found.", what_was_checked(index), replies_sentence(index.report()));
  if (!but.empty()) text += fmt::format(" Read it with what limits it, below: {}.", joined(but, but.size()));
  page.blank();
  page.paragraph(0, index.proves_clean() ? "CLEAN  " : "NO FAULT FOUND  ", text, kIndent, Style::heading);
}

void write_no_mcp(Page& page, const ReportIndex& index) {
  std::uint64_t records = 0, readable = 0;
  for (const auto& input : index.report().inputs) {
    records += input.books.total;
    if (input.error.empty()) ++readable;
  }
  page.blank();
  if (readable == 0) return page.paragraph(0, "NOTHING COULD BE READ  ", "so nothing can be said about any traffic.", kIndent, Style::heading);
  page.paragraph(0, "Nothing here speaks MCP.  ",
                 fmt::format("Read: {} in {}; no JSON-RPC message, no MCP session, no known log statement among them. "
                             "mcpscan formats explain FILE says which reader took a file and what it did not understand.",
                             counted(records, "record"), counted(readable, "input")),
                 kIndent, Style::heading);
}

}  // namespace

std::string period(Time first, Time last) {
  if (!first.known() || !last.known()) return {};
  const std::string from = fmt::format("{} {}", date_of(first), clock_of(first));
  if (date_of(first) == date_of(last)) {
    return clock_of(first) == clock_of(last) ? from + " UTC" : fmt::format("{} to {} UTC", from, clock_of(last));
  }
  return fmt::format("{} to {} {} UTC", from, date_of(last), clock_of(last));
}

void write_overview(Page& page, const ReportIndex& index) {
  write_inputs(page, index.report());
  if (!index.speaks_mcp()) return;
  page.paragraph(0, "", fmt::format("{}, {}", counted(index.sessions_total(), "session"), pairing(index.report())), kIndent);
  for (const std::string& note : index.report().notes) page.paragraph(0, "Note: ", page.text(note), kIndent);
}

void write_verdict(Page& page, const ReportIndex& index) {
  if (index.report().inputs.empty()) return page.line("No input was read.");
  if (!index.speaks_mcp()) return write_no_mcp(page, index);
  if (index.without_fault()) write_nothing_found(page, index);
}

}  // namespace mcpscan::report
