#include "pipeline/report_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/exoneration.h"
#include "engine/incidents.h"
#include "model/book_reasons.h"
#include "pipeline/chosen_findings.h"
#include "pipeline/proxy_words.h"
#include "pipeline/vantage_join.h"
#include "session/session_table.h"

namespace mcpscan::pipeline {

using model::Finding;
using model::Report;
using model::SessionCounts;
using model::SessionRow;

bool EventTee::shows_second_hop(const model::TimelineEvent& event) {
  const model::Session* const session = event.session;
  const bool nameless = session && (session->modern || session->stateless);
  if (!session || (!nameless && (session->id.empty() || session->server_endpoint.empty()))) return false;
  if (session->index < known_sessions_.size() && known_sessions_[session->index]) return false;
  if (nameless && (!event.exchange || event.exchange->server.empty())) return false;
  if (session->index >= known_sessions_.size()) known_sessions_.resize(session->index + 1);
  known_sessions_[session->index] = true;
  const std::string& server = nameless ? event.exchange->server : session->server_endpoint;
  if (first_server_.empty()) first_server_ = server;
  return first_server_ != server;
}

namespace {

void take_larger(SessionCounts& to, const SessionCounts& from) {
  to.requests = std::max(to.requests, from.requests);
  to.replies = std::max(to.replies, from.replies);
  to.notifications = std::max(to.notifications, from.notifications);
  to.tools_calls = std::max(to.tools_calls, from.tools_calls);
  to.server_requests = std::max(to.server_requests, from.server_requests);
}

void add(SessionCounts& to, const SessionCounts& from) {
  to.requests += from.requests;
  to.replies += from.replies;
  to.notifications += from.notifications;
  to.tools_calls += from.tools_calls;
  to.server_requests += from.server_requests;
}

void fill(std::string& to, const std::string& from) {
  if (to.empty()) to = from;
}

// The same session seen at another place: each message counts once, where more of them were seen.
void join(SessionRow& row, const SessionRow& other) {
  take_larger(row.counts, other.counts);
  row.paired = std::max(row.paired, other.paired);
  fill(row.client_name, other.client_name);
  fill(row.client_version, other.client_version);
  fill(row.server_name, other.server_name);
  fill(row.server_version, other.server_version);
  fill(row.protocol_version, other.protocol_version);
  if (row.transport == "unknown") row.transport = other.transport;
  if (other.first.known() && (!row.first.known() || other.first < row.first)) row.first = other.first;
  if (other.last.known() && (!row.last.known() || other.last > row.last)) row.last = other.last;
}

class SessionGathering {
 public:
  explicit SessionGathering(Report& report) : report_(report) {}

  void take(const Source& source, const SessionRow& row) {
    if (!row.id.empty()) {
      const auto [entry, fresh] = by_id_.emplace(session::normalise_session_id(row.id), report_.sessions.size());
      if (!fresh) return join_into(entry->second, row);
    }
    by_place_[{&source, label(row)}] = report_.sessions.size();
    report_.sessions.push_back(row);
    const std::size_t times = ++by_key_[row.key];
    if (times > 1) report_.sessions.back().key += fmt::format(" ({})", times);
  }

  // The same session under the name that it has elsewhere.
  void take_alias(const Source& source, const SessionRow& row, const SeenSession& outer) {
    const auto found = by_place_.find(outer);
    found == by_place_.end() ? take(source, row) : join_into(found->second, row);
  }

  static std::string label(const SessionRow& row) { return row.id.empty() ? row.key : row.id; }
  // True when some session was seen at two places.
  bool joined() const { return joined_; }

 private:
  void join_into(std::size_t index, const SessionRow& row) {
    join(report_.sessions[index], row);
    joined_ = true;
  }

  Report& report_;
  std::map<std::string, std::size_t> by_id_, by_key_;
  std::map<SeenSession, std::size_t> by_place_;
  bool joined_ = false;
};

bool gather_sessions(const std::vector<std::unique_ptr<Source>>& sources, const SessionAliases& aliases, Report& report) {
  SessionGathering gathering(report);
  for (const bool aliased : {false, true}) {
    for (const auto& source : sources) {
      if (!aliased) report.sessions_left_out += source->tracker.rows_left_out();
      for (const SessionRow& row : source->tracker.rows()) {
        const auto alias = aliases.find({source.get(), SessionGathering::label(row)});
        if ((alias != aliases.end()) != aliased) continue;
        aliased ? gathering.take_alias(*source, row, alias->second) : gathering.take(*source, row);
      }
    }
  }
  for (const SessionRow& row : report.sessions) {
    add(report.totals, row.counts);
    report.requests_with_reply += row.paired;
  }
  report.requests = report.totals.requests;
  return gathering.joined();
}

// What a proxy passed on is in the table already, and a call takes as long as its client waits for it.
void leave_out_passed_on(const std::vector<Hops>& chains, session::ToolTable& tools) {
  std::map<std::string_view, model::LatencyHistogram> latencies;
  for (const Hops& chain : chains) {
    for (const session::CallLedger& hop : chain) {
      for (const session::CallRecord& call : hop.records()) {
        const std::string& name = hop.name(call).target;
        const auto tool = call.is_tool_call ? tools.find(name) : tools.end();
        if (tool == tools.end()) continue;
        if (&hop == &chain.front()) {
          if (call.answered && call.requested.known() && call.replied.known()) latencies[name].add(call.replied.us - call.requested.us);
          continue;
        }
        tool->second.calls -= std::min<std::uint64_t>(tool->second.calls, 1);
        tool->second.replies -= std::min<std::uint64_t>(tool->second.replies, call.answered ? 1 : 0);
        tool->second.errors -= std::min<std::uint64_t>(tool->second.errors, call.failed ? 1 : 0);
      }
    }
  }
  for (const auto& [name, latency] : latencies) tools.find(name)->second.latency = latency;
}

void gather_tools(const std::vector<std::unique_ptr<Source>>& sources, const JoinedVantages& vantages, bool joined, Report& report) {
  std::map<std::string, session::ToolStatistics> tools;
  for (const auto& source : sources) {
    std::optional<session::ToolTable> counted_once;
    if (const auto hops = vantages.hops.find(source.get()); hops != vantages.hops.end()) leave_out_passed_on(hops->second, counted_once.emplace(source->tracker.tools()));
    for (const auto& [name, statistics] : counted_once ? *counted_once : source->tracker.tools()) {
      session::ToolStatistics& tool = tools[name];
      if (joined && statistics.calls <= tool.calls) continue;
      if (!joined && tool.calls > 0) {
        tool.calls += statistics.calls;
        tool.replies += statistics.replies;
        tool.errors += statistics.errors;
        continue;
      }
      tool = statistics;
    }
  }
  for (const auto& [name, tool] : tools) {
    report.tools.push_back({name, tool.calls, tool.replies, tool.errors, tool.latency.quantile(0.5), tool.latency.quantile(0.99), tool.latency.longest()});
  }
  std::stable_sort(report.tools.begin(), report.tools.end(), [](const auto& a, const auto& b) { return a.calls > b.calls; });
}

engine::EvidenceLimits evidence_limits(const std::vector<std::unique_ptr<Source>>& sources, const engine::FindingBook& book) {
  engine::EvidenceLimits evidence;
  std::set<std::string> enable;
  for (const auto& source : sources) {
    evidence.capabilities |= source->tracker.capabilities() | (source->server_log ? model::kServerLog : 0u);
    evidence.unattributed_replies += source->tracker.unattributed_replies();
    evidence.cut_records += source->tracker.cut_records();
    evidence.aged_out_calls += source->tracker.aged_out_calls();
    evidence.untimed_replies += source->tracker.untimed_replies();
    evidence.shared_ids += source->tracker.shared_ids();
    evidence.untold_waits += source->tracker.untold_waits();
    evidence.retired_sessions += source->tracker.retired_sessions();
    evidence.ledgers_complete = evidence.ledgers_complete && source->tracker.ledgers_complete();
    if (!source->enable.empty()) enable.insert(source->enable);
  }
  evidence.enable = fmt::format("{}", fmt::join(enable, "; "));
  for (const auto& booked : book.findings()) evidence.found.insert(booked.finding.rule);
  evidence.gaps = evidence.found.contains("capture-gap");
  return evidence;
}

// A rule that was not asked judged nothing, whatever the evidence would have let it judge.
void mark_rules_not_asked(const std::vector<std::string>& asked, std::vector<model::RuleCoverage>& rules) {
  if (asked.empty()) return;
  for (model::RuleCoverage& rule : rules) {
    if (std::find(asked.begin(), asked.end(), rule.rule) != asked.end()) continue;
    rule.state = model::RuleState::not_evaluable;
    rule.why = "--rule names others";
    rule.enable = "leave --rule out";
  }
}

// The only session that the other inputs show, if it had begun by then; empty: none, or several.
std::string only_session_elsewhere(const std::vector<std::unique_ptr<Source>>& sources, const Source& but, Time by) {
  std::string label, id;
  for (const auto& source : sources) {
    if (source.get() == &but) continue;
    for (const SessionRow& row : source->tracker.rows()) {
      const bool too_late = by.known() && row.first.known() && row.first > by;
      if (row.id.empty() || row.keyed_by == model::SessionKeying::process || too_late) continue;
      const std::string other = session::normalise_session_id(row.id);
      if (!id.empty() && other != id) return {};
      id = other;
      label = row.id;
    }
  }
  return label;
}

// A client that was refused for its session may not say which that was, where another input shows which it can only have been.
void name_lost_sessions(const std::vector<std::unique_ptr<Source>>& sources) {
  constexpr std::string_view kRule = "session-lost";
  for (const auto& source : sources) {
    const auto& findings = source->engine.book().findings();
    const auto nameless = std::find_if(findings.begin(), findings.end(), [&](const auto& booked) { return booked.finding.rule == kRule && booked.finding.session.empty(); });
    if (nameless == findings.end()) continue;
    const std::string session = only_session_elsewhere(sources, *source, nameless->finding.first);
    if (!session.empty()) source->engine.book().give_session(kRule, session);
  }
}

// What a client's own log and its wire both show is one thing, as is what two records of one place do.
void name_as_on_the_wire(const std::vector<std::unique_ptr<Source>>& sources, const SessionAliases& aliases) {
  for (const auto& source : sources) {
    std::map<std::string, std::string> names;
    for (const auto& [own, wire] : aliases) {
      const bool one_place = source->vantage == model::Vantage::client || source->vantage == wire.source->vantage;
      if (own.source == source.get() && one_place) names.emplace(own.label, wire.label);
    }
    if (!names.empty()) source->engine.book().rename_sessions(names);
  }
}

// Of one rule, where a wire shows as much of it within the time of the lines: its finding, of the first session.
Finding* shown_on_wire(const Finding& lines, Source& wire) {
  constexpr std::int64_t kLineTimeUs = 2 * kSecond;  // lines tell whole seconds, and the end of what they are about
  Finding* first_of_rule = nullptr;
  std::uint64_t count = 0;
  Time first, last;
  for (auto& booked : wire.engine.book().findings()) {
    Finding& finding = booked.finding;
    if (finding.rule != lines.rule || finding.session.empty() || !finding.first.known()) continue;
    if (!first_of_rule) first_of_rule = &finding;
    count += finding.count;
    first = first.known() ? std::min(first, finding.first) : finding.first;
    last = last.known() ? std::max(last, finding.last) : finding.last;
  }
  const bool within = first_of_rule && lines.first.known() && first.us - kLineTimeUs <= lines.first.us && lines.last.us <= last.us + kLineTimeUs;
  return within && lines.count <= count ? first_of_rule : nullptr;
}

// Where a capture lies beside them, it shows what became of each.
void note_failed_exchanges(const std::vector<std::unique_ptr<Source>>& sources, Report& report) {
  const bool wire = std::any_of(sources.begin(), sources.end(), [](const auto& source) { return source->wire; });  // which shows what a log tells, too
  for (const auto& source : sources) {
    if (wire && !source->wire) continue;
    for (const std::string& note : source->failed.notes()) report.notes.push_back(report.inputs[source->inputs.front()].path + ": " + note);
  }
}

// An access log that names no sessions tells of the same exchanges as a capture beside it: each of them is one.
void tell_once_what_lines_tell(const std::vector<std::unique_ptr<Source>>& sources, const Limits& limits) {
  for (const auto& source : sources) {
    if (source->wire) continue;
    source->engine.book().drop([&](const engine::BookedFinding& booked) {
      if (!booked.finding.session.empty() || !booked.finding.calls.empty()) return false;
      for (const auto& other : sources) {
        Finding* const shown = other->wire ? shown_on_wire(booked.finding, *other) : nullptr;
        if (!shown) continue;
        for (const model::Evidence& place : booked.finding.evidence) {
          if (shown->evidence.size() < limits.report_evidence) shown->evidence.push_back(place);
          else ++shown->evidence_left_out;
        }
        return true;
      }
      return false;
    });
  }
}

engine::ExhibitGroup exhibits_of(const Hops& chain, const std::string& path) {
  engine::ExhibitGroup exhibits;
  for (const session::CallLedger& hop : chain) {
    const model::Vantage vantage = &hop == &chain.front() ? model::Vantage::client_wire : &hop == &chain.back() ? model::Vantage::server_wire : model::Vantage::gateway;
    exhibits.push_back({vantage, &hop, fmt::format("{}, to {}", path, hop.servers().front())});
  }
  return exhibits;
}

std::vector<engine::ExhibitGroup> exhibits_of(const JoinedVantages& vantages, const Report& report) {
  std::vector<engine::ExhibitGroup> groups;
  for (const auto& group : vantages.groups) {
    const auto hops = group.size() == 1 ? vantages.hops.find(group.front()) : vantages.hops.end();
    if (hops != vantages.hops.end()) {
      for (const Hops& chain : hops->second) groups.push_back(exhibits_of(chain, report.inputs[group.front()->inputs.front()].path));
      continue;
    }
    engine::ExhibitGroup& exhibits = groups.emplace_back();
    for (const Source* source : group) exhibits.push_back({source->vantage, &source->ledger, report.inputs[source->inputs.front()].path});
  }
  return groups;
}

// What the user left out may hold what speaks against the hop.
void tell_choice(const ReportRequest& request, const Report& report, model::Exoneration& proof) {
  std::vector<std::string> told;
  for (const model::InputRow& input : report.inputs) {
    const bool before = request.since.known() && input.first.known() && input.first < request.since, behind = request.until.known() && input.last.known() && input.last > request.until;
    if (before || behind) told.push_back(fmt::format("{} reaches from {} to {}: only the time chosen by --since and --until was looked at", input.path, format_rfc3339(input.first), format_rfc3339(input.last)));
    const auto filtered = input.books.ignored.find(model::kFiltered);
    if (filtered != input.books.ignored.end()) told.push_back(fmt::format("{} of the {} packets of {} were not looked at: --filter does not let them through", filtered->second, input.books.total, input.path));
  }
  proof.of_part = !told.empty();
  proof.limits.insert(proof.limits.begin(), told.begin(), told.end());
}

Assembled assembled_of(const std::vector<std::unique_ptr<Source>>& sources, const SessionAliases& aliases, const engine::FindingBook& book) {
  Assembled assembled;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const auto& [own, outer] : aliases) {
      if (own.source == sources[i].get()) assembled.names[i].emplace(own.label, outer.label);
    }
  }
  for (const auto& booked : book.findings()) {
    for (const auto& [quarter, count] : booked.quarters) assembled.occurrences.push_back({booked.finding.id, quarter, count});
  }
  return assembled;
}

}  // namespace

std::optional<model::Exoneration> assemble_report(const std::vector<std::unique_ptr<Source>>& sources, engine::Engine* joint, const engine::RuleSet& rules, const ReportRequest& request, const Limits& limits,
                     Report& report, Assembled* assembled) {
  const JoinedVantages vantages = join_vantages(sources, rules, report);
  const bool joined = gather_sessions(sources, vantages.aliases, report);
  gather_tools(sources, vantages, joined, report);
  for (const auto& source : sources) source->activity.report(report.activity);
  note_failed_exchanges(sources, report);
  name_lost_sessions(sources);
  name_as_on_the_wire(sources, vantages.aliases);
  lay_proxy_words_beside(sources, limits);
  tell_once_what_lines_tell(sources, limits);
  engine::FindingBook book(limits);
  for (const auto& source : sources) book.merge(std::move(source->engine.book()));
  if (joint) book.merge(std::move(joint->book()));
  report.incidents = engine::assemble_incidents(book, report.sessions);
  report.rules = engine::judge_coverage(rules, evidence_limits(sources, book));
  mark_rules_not_asked(request.rules, report.rules);
  report.findings_left_out = book.left_out();
  if (assembled) *assembled = assembled_of(sources, vantages.aliases, book);
  for (auto& booked : book.findings()) report.findings.push_back(std::move(booked.finding));
  std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
    return std::make_tuple(-static_cast<int>(a.level), a.rule, a.first, a.id) < std::make_tuple(-static_cast<int>(b.level), b.rule, b.first, b.id);
  });
  std::optional<model::Exoneration> proof;
  if (request.exonerate != model::Party::unknown) {
    proof = engine::exonerate(request.exonerate, exhibits_of(vantages, report), report);
    tell_choice(request, report, *proof);
  }
  choose_findings(request, report);
  return proof;
}

}  // namespace mcpscan::pipeline
