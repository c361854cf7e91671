#include "report/wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/book_reasons.h"
#include "report/fault_sentence.h"
#include "report/layout.h"

namespace mcpscan::report {
namespace {

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

template <typename Key>
std::vector<std::pair<Key, std::uint64_t>> most_first(const std::map<Key, std::uint64_t>& counts) {
  std::vector<std::pair<Key, std::uint64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return rows;
}

std::string duration(std::int64_t us) { return us < 0 ? "-" : format_duration(us); }

// "the evidence holds no HTTP headers (capture the wire): this-rule and that-rule"
std::string coverage_row(const CoverageGroup& group, std::size_t most, const Wording::Safe& safe) {
  std::vector<std::string> rules;
  for (const std::string& rule : group.rules) rules.push_back(safe(rule));
  std::string text = group.several ? std::string("several of these") : group.why.empty() ? std::string("no reason told") : safe(group.why);
  if (!group.enable.empty()) text += fmt::format(" ({})", safe(group.enable));
  return text + ": " + (rules.empty() ? std::string("only rules that lack other things as well") : joined(rules, most));
}

}  // namespace

// --- times ---

std::string Wording::tick(Time at, std::int64_t span_us) const {
  const std::string clock = local_short_clock(zone_, at);
  if (span_us <= 10 * kMinute) return clock;
  if (span_us <= 36 * kHour) return clock.substr(0, 5);
  return span_us <= 8 * kDay ? date(at).substr(5) + ' ' + clock.substr(0, 5) : date(at);
}

bool Wording::several_days() const { return index_->first().known() && zone_.day_of(index_->first()) != zone_.day_of(index_->last()); }

// --- what was read ---

std::string Wording::input_facts(const model::InputRow& input) const {
  if (!input.error.empty()) return "could not be read: " + safe_(input.error);
  if (input.reader == "none") return input.books.total == 0 ? "nothing to read in it" : record_words(input) + ", read already";
  std::string text = record_words(input);
  const std::string when = period(input.first, input.last);
  text += when.empty() ? ", no times" : ", " + when;
  return text + fmt::format(", {}, {}", input.reader.empty() ? "format not recognised" : safe_(input.reader), view_words(input.vantage));
}

std::string Wording::reasons(std::string_view what, const std::map<std::string, std::uint64_t>& counts) const {
  std::uint64_t sum = 0;
  std::string parts;
  for (const auto& [reason, count] : most_first(counts)) {
    sum += count;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", thousands(count), safe_(reason));
  }
  return sum == 0 ? std::string() : fmt::format(", {} {} ({})", thousands(sum), what, parts);
}

std::string Wording::books(const model::InputRow& input) const {
  const std::string rest = reasons("ignored", input.books.ignored) + reasons("malformed", input.books.malformed);
  return rest.empty() ? rest : thousands(input.books.used) + " used" + rest;
}

std::string Wording::pairing() const {
  const model::Report& report = index_->report();
  const std::string sessions = counted(index_->sessions_total(), "session");
  if (report.requests == 0) return sessions + ", no request seen";
  return fmt::format("{}, {}, {} paired ({})", sessions, counted(report.requests, "request"),
                     counted(report.requests_with_reply, "reply", "replies"), percent(report.requests_with_reply, report.requests));
}

std::string Wording::anomaly(const model::Anomaly& anomaly) const {
  const std::string kind = safe_(anomaly.kind);
  const std::string text = anomaly.text.empty() ? kind : safe_(anomaly.text);
  return anomaly.count > 1 ? fmt::format("{} ({}, {}, the first here)", text, kind, counted(anomaly.count, "time")) : fmt::format("{} ({})", text, kind);
}

// --- what was found ---

std::string Wording::checked() const {
  const model::Report& report = index_->report();
  std::string text = report.totals.tools_calls > 0 ? fmt::format("{} tools/call", thousands(report.totals.tools_calls)) : counted(report.requests, "request");
  text += fmt::format(" in {}", counted(index_->sessions_total(), "session"));
  const std::string when = period(index_->first(), index_->last());
  if (!when.empty()) text += fmt::format(" ({})", when);
  const bool one = (report.totals.tools_calls > 0 ? report.totals.tools_calls : report.requests) == 1;
  const std::size_t judged = index_->judged_rules().size();
  const auto partly = std::count_if(report.rules.begin(), report.rules.end(), [](const auto& rule) { return rule.state == model::RuleState::partly; });
  if (judged == 0 && partly > 0) return text + fmt::format(" {} checked in part by {}", one ? "was" : "were", counted(static_cast<std::uint64_t>(partly), "rule"));
  return text + fmt::format(" {} checked by {}", one ? "was" : "were", judged == 0 ? "no rule" : counted(judged, "rule"));
}

std::string Wording::replies() const {
  const model::Report& report = index_->report();
  if (report.requests == 0) return "no request was in it to be answered";
  if (report.requests_with_reply >= report.requests) return "every request got its reply";
  return fmt::format("{} of {} could be paired with a reply", thousands(report.requests_with_reply), counted(report.requests, "request"));
}

std::vector<std::string> Wording::reservations() const {
  std::vector<std::string> list;
  std::size_t rules = 0;
  for (const CoverageGroup& group : coverage_.rows) rules += group.rules.size();
  if (rules > 0) list.push_back(counted(rules, "rule was", "rules were") + " not or only partly judged");
  if (index_->anomalies_total() > 0) list.push_back(counted(index_->anomalies_total(), "problem") + " in the inputs");
  if (index_->findings_total() > 0) list.push_back(counted(index_->findings_total(), "informational finding"));
  return list;
}

Labelled Wording::nothing_found() const {
  const auto but = reservations();
  const auto& rules = index_->report().rules;
  if (!rules.empty() && index_->rules_not_judged() == rules.size()) {
    return {"NOTHING WAS JUDGED", fmt::format("{}: the evidence lacks what the rules that were asked need. What that is stands below.", checked())};
  }
  std::string text = fmt::format("{}: {}, and nothing at fault was found.", checked(), replies());
  if (!but.empty()) text += fmt::format(" Read it with what limits it, below: {}.", joined(but, but.size()));
  return {index_->proves_clean() ? "CLEAN" : "NO FAULT FOUND", text};
}

Labelled Wording::no_mcp() const {
  std::uint64_t records = 0, used = 0, readable = 0, outside = 0;
  for (const auto& input : index_->report().inputs) {
    const auto out = input.books.ignored.find(model::kOutOfWindow);
    if (out != input.books.ignored.end()) outside += out->second;
    records += input.books.total;
    used += input.books.used;
    if (input.error.empty()) ++readable;
  }
  if (readable == 0) return {"NOTHING COULD BE READ", "so nothing can be said about any traffic."};
  if (used > 0) {
    return {"No message of MCP was seen.",
            fmt::format("Used: {} of {} in {}: HTTP exchanges without their bodies, statements, or what a client noted of its calls; no request, reply or session of MCP is among them. "
                        "Give the capture, HAR or server's log of the same time as well: the rules lay them beside each other.{}",
                        thousands(used), counted(records, "record"), counted(readable, "input"), index_->findings_total() > 0 ? " What these tell by themselves stands below." : "")};
  }
  if (records == 0) return {"There was nothing to read.", fmt::format("{} held no record.", counted(readable, "input"))};
  if (outside > 0) {
    return {"Nothing of the time that was asked for.",
            fmt::format("Read: {} in {}, of which {} lie outside of --since and --until; nothing else among them speaks MCP.", counted(records, "record"), counted(readable, "input"),
                        thousands(outside))};
  }
  return {"Nothing here speaks MCP.",
          fmt::format("Read: {} in {}; no JSON-RPC message, no MCP session, no known log statement among them. "
                      "mcpscan formats explain FILE says which reader took a file and what it did not understand.",
                      counted(records, "record"), counted(readable, "input"))};
}

Labelled Wording::verdict() const {
  if (index_->report().inputs.empty()) return {"No input was read.", {}};
  if (!index_->speaks_mcp()) return no_mcp();
  if (!index_->without_fault()) return {};
  // What a client noted, say, where no message was seen: that nothing was found in none would sound like a result.
  const model::Report& report = index_->report();
  const bool used = std::any_of(report.inputs.begin(), report.inputs.end(), [](const auto& input) { return input.books.used > 0; });
  return used && report.requests == 0 && report.totals.replies == 0 && index_->sessions_total() == 0 ? no_mcp() : nothing_found();
}

std::string Wording::fault(const model::Fault& fault) const { return fault_sentence(fault, safe_); }

std::vector<std::string> Wording::safe_words(const std::vector<std::string>& words) const {
  std::vector<std::string> result;
  for (const std::string& word : words) result.push_back(safe_(word));
  return result;
}

std::string Wording::reach(const model::Incident& incident) const {
  if (incident.calls == 0 && incident.tools.empty()) return {};
  std::string text = counted(incident.calls, "call");
  if (incident.sessions > 0) text += " in " + counted(incident.sessions, "session");
  if (!incident.tools.empty()) text += fmt::format(", {} {}", incident.tools.size() == 1 ? "tool" : "tools", joined(safe_words(incident.tools), kWordsInLine));
  return text + ".";
}

// Of what the fault led to. The same fault of other sessions belongs to the incident as well, and is no consequence of the first.
std::string Wording::consequences(const model::Incident& incident) const {
  std::map<std::string_view, std::uint64_t> counts;
  for (const std::string& id : incident.findings) {
    const model::Finding* finding = index_->finding(id);
    if (finding != nullptr && !finding->consequence_of.empty()) counts[finding->rule] += finding->count;
  }
  std::vector<std::string> parts;
  for (const auto& [rule, count] : counts) parts.push_back(fmt::format("{} {}", thousands(count), safe_(rule)));
  return parts.empty() ? std::string() : joined(parts, parts.size()) + ".";
}

std::vector<TallyOfRule> Wording::tallies(const model::Incident& incident) const {
  std::map<std::string_view, std::map<std::string_view, std::uint64_t>> by_rule;
  for (const std::string& id : incident.findings) {
    const model::Finding* finding = index_->finding(id);
    if (finding == nullptr) continue;
    for (const auto& [key, count] : finding->tally) by_rule[finding->rule][key] += count;
  }
  std::vector<TallyOfRule> list;
  for (const auto& [rule, counts] : by_rule) list.emplace_back(rule, most_first(counts));
  return list;
}

std::string Wording::more_command(const model::Incident& incident) const {
  const model::Finding* root = index_->finding(incident.root);
  return root == nullptr ? std::string() : "mcpscan rules show " + safe_(root->rule);
}

std::string Wording::lone_finding(const model::Finding& finding) const {
  std::string text = thousands(finding.count);
  if (!finding.session.empty()) text += " in session " + safe_id_(finding.session);
  if (!finding.detail.empty()) text += ": " + safe_(finding.detail);
  if (!finding.evidence.empty()) text += "  " + place(finding.evidence.front().source);
  const std::uint64_t more = finding.evidence_left_out + (finding.evidence.empty() ? 0 : finding.evidence.size() - 1);
  return more > 0 ? text + " and " + counted(more, "more place") : text;
}

// --- rows ---

std::string Wording::session_time(const model::SessionRow& row) const {
  if (!row.first.known()) return {};
  const bool dated = several_days();
  const auto shown = [&](Time at) { return (dated ? date(at).substr(5) + ' ' : std::string()) + local_short_clock(zone_, at); };
  return row.last.known() ? shown(row.first) + " to " + shown(row.last) : shown(row.first);
}

std::vector<std::string> Wording::session_cells(const model::SessionRow& row) const {
  const model::Level worst = index_->worst(row);
  const std::string client = row.client_version.empty() ? row.client_name : row.client_name + ' ' + row.client_version;
  return {safe_id_(row.id.empty() ? row.key : row.id),
          worst == model::Level::informational ? "-" : std::string(model::to_string(worst)),
          thousands(row.counts.requests),
          thousands(row.counts.replies),
          thousands(row.counts.tools_calls),
          std::string(model::to_string(row.keyed_by)),
          safe_(client),
          session_time(row)};
}

std::vector<std::string> Wording::tool_cells(const model::ToolRow& row) const {
  return {row.tool.empty() ? "(not told)" : safe_(row.tool), thousands(row.calls),  thousands(row.replies),   thousands(row.errors),
          duration(row.median_us), duration(row.p99_us), duration(row.longest_us)};
}

// --- what the silence is worth ---

std::vector<CoverageBlock> coverage_blocks(const CoverageGroups& groups, std::size_t of_rules, std::size_t most, const Wording::Safe& safe) {
  std::vector<CoverageBlock> blocks;
  for (const model::RuleState state : {model::RuleState::not_evaluable, model::RuleState::partly}) {
    CoverageBlock block;
    std::size_t rules = 0;
    for (const CoverageGroup& group : groups.rows) {
      if (group.state != state) continue;
      rules += group.rules.size();
      block.rows.push_back(coverage_row(group, most, safe));
    }
    if (block.rows.empty()) continue;
    block.heading = state == model::RuleState::partly ? "Judged in part: " : "Not judged: ";
    block.heading += of_rules == 0 ? counted(rules, "rule") : fmt::format("{} of {}", thousands(rules), counted(of_rules, "rule"));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<CoverageBlock> Wording::not_judged(std::size_t most) const { return coverage_blocks(coverage_, index_->report().rules.size(), most, safe_); }

Labelled Wording::more_evidence() const { return {kMoreEvidence, safe_(coverage_.shared_enable)}; }

Labelled Wording::everything_else(std::size_t most) const {
  if (index_->findings_total() > 0) {
    return {"Everything else:", counted(index_->silent_rules(), "rule") + (index_->report().findings_left_out > 0 ? " evaluated, nothing listed." : " evaluated, nothing found.")};
  }
  std::vector<std::string> judged;
  for (const std::string& rule : index_->judged_rules()) judged.push_back(safe_(rule));
  return {"Checked:", joined(judged, most) + (judged.empty() ? "no rule." : ".")};
}

}  // namespace mcpscan::report
