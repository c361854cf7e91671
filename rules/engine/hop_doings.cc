#include "engine/hop_doings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/attribution.h"
#include "session/session_table.h"

namespace mcpscan::engine {

using model::Certainty;
using model::CloseReason;
using model::Fault;
using model::Finding;
using model::FindingCall;
using model::Party;
using session::Alignment;
using session::CallLedger;
using session::CallRecord;

namespace {

constexpr std::string_view kLost = "lost-reply", kNotTaken = "reply-dropped-by-client", kVainCancel = "cancel-invalid-target", kQueue = "serialized-calls", kRewritten = "remapped-id";
// What is wrong with a request as it stands there; each is looked for at every point.
constexpr std::array<std::string_view, 6> kAskedWrong{"header-body-mismatch", "mrtr-violation", "bad-id-type", "unsafe-integer-id", "null-id", "illegal-batch"};
constexpr std::size_t kFewestRewritten = 3;   // calls, so that one odd id is no habit
constexpr std::int64_t kLongPassedUs = kSecond;  // before the client gave up: no race with its cancel
constexpr std::size_t kMostly = 4;            // times as many ids rewritten as kept

bool all_listed(const Finding& finding) { return finding.calls_left_out == 0 && finding.count == finding.calls.size(); }

// A reply that was in time at `at` and not at the point outside of it, as that point's record; its place among the points comes first.
std::pair<std::size_t, std::uint32_t> kept_before(const VantagePoints& points, std::size_t at, const Finding& finding, const FindingCall& call) {
  const std::uint32_t mine = points[at].index.find(finding, call);
  for (std::size_t outer = 0; outer < at && mine != kAlone; ++outer) {
    const std::uint32_t theirs = points.outer_record(outer, at, mine);
    if (theirs == kAlone || !points.is_placed(outer) || !points[outer].complete()) continue;
    const CallRecord& here = points[outer].record(theirs);
    if (!here.answered || here.late) return {outer, theirs};
  }
  return {at, kAlone};
}

// A client that hangs up, or cancels for a reason of its own, says nothing of a reply that had long passed behind the hop.
void find_kept(const VantagePoints& points, std::size_t outer, std::size_t at, std::vector<std::pair<std::size_t, std::uint32_t>>& kept) {
  const Alignment& joined = points.alignment(outer, at);
  for (std::uint32_t i = 0; i < joined.partner.size(); ++i) {
    if (joined.partner[i] == kAlone || !joined.sure[i]) continue;
    const CallRecord& here = points[outer].record(i);
    const CallRecord& there = points[at].record(joined.partner[i]);
    const bool gave_up = here.closed == CloseReason::cancelled || here.closed == CloseReason::client_closed || here.closed == CloseReason::timed_out;
    if (here.answered || !gave_up || !there.is_right() || !here.requested.known() || !there.requested.known()) continue;
    if (!here.ended.known() || !there.replied.known()) continue;
    if (here.ended.us - here.requested.us - (there.replied.us - there.requested.us) < kLongPassedUs) continue;
    if (std::find(kept.begin(), kept.end(), std::pair{outer, i}) == kept.end()) kept.emplace_back(outer, i);
  }
}

// Who waited for that reply waited for the hop.
void explain_waits(VantagePoint& point, std::uint32_t record) {
  for (BookedFinding& effect : point.witness.book->findings()) {
    const auto& calls = effect.finding.calls;
    const bool waited = effect.finding.rule == "client-timeout" && std::any_of(calls.begin(), calls.end(), [&](const FindingCall& call) { return point.index.find(effect.finding, call) == record; });
    if (waited) effect.cause_rule = kLost, effect.cause_id = point.record(record).id;
  }
}

void tell_kept(VantagePoints& points, std::size_t outer, std::size_t at, std::uint32_t i, const Rule& rule) {
  VantagePoint& point = points[outer];
  const CallRecord& here = point.record(i);
  const CallRecord& there = points[at].record(points.alignment(outer, at).partner[i]);
  if (here.answered || point.accuses(std::string(kLost), i)) return;
  model::FindingDraft draft;
  draft.detail = "timeout";
  draft.session = point.witness.ledger->session(here);
  draft.requestor = model::Direction::client_to_server;
  draft.call = point.witness.ledger->call_of(here);
  draft.at = here.ended;
  draft.fault = between(point.witness.vantage, points[at].witness.vantage);
  draft.fault.reason += ": its reply never came out";
  if (!point.complete() || !points[at].complete()) draft.fault.certainty = std::min(draft.fault.certainty, Certainty::strong);
  draft.evidence = {{here.request_at, {}}, {there.reply_at, {}}};
  draft.picture = {{there.replied, '<', fmt::format("the reply of {} (id {}) behind", draft.call->tool, draft.call->id.raw), there.reply_at}};
  explain_waits(point, i);
  point.witness.book->add(rule, std::move(draft));
}

bool tells(const VantagePoint& point, std::string_view rule) {
  const auto& all = point.witness.book->findings();
  return std::any_of(all.begin(), all.end(), [&](const BookedFinding& booked) { return booked.finding.rule == rule; });
}

// The point behind `at` whose server waits for its client in this call; size() of the points: none.
std::size_t waits_behind(const VantagePoints& points, std::size_t at, std::uint32_t record) {
  for (std::size_t inner = at + 1; inner < points.size() && record != kAlone; ++inner) {
    const std::uint32_t partner = points.alignment(at, inner).partner[record];
    const auto lost = partner == kAlone || !points.is_placed(inner) ? points[inner].lost_as.end() : points[inner].lost_as.find(partner);
    if (lost != points[inner].lost_as.end() && lost->second.ends_with(kWaitsForClient)) return inner;
  }
  return points.size();
}

bool has_ids(const CallRecord& a, const CallRecord& b) { return a.on_wire && b.on_wire && a.id_type != model::IdType::absent && b.id_type != model::IdType::absent; }

}  // namespace

void trace_queue(VantagePoints& points, std::size_t at, BookedFinding& booked) {
  for (std::size_t inner = at + 1; inner < points.size() && booked.finding.rule == kQueue; ++inner) {
    if (!points.is_placed(at) || !points.is_placed(inner)) continue;
    std::vector<const CallRecord*> behind_it;
    for (const FindingCall& call : booked.finding.calls) {
      const std::uint32_t record = points[at].index.find(booked.finding, call);
      const std::uint32_t partner = record == kAlone ? kAlone : points.alignment(at, inner).partner[record];
      if (partner != kAlone && points[inner].record(partner).requested.known()) behind_it.push_back(&points[inner].record(partner));
    }
    std::sort(behind_it.begin(), behind_it.end(), [](const CallRecord* a, const CallRecord* b) { return a->requested < b->requested; });
    const auto overlapping = std::adjacent_find(behind_it.begin(), behind_it.end(), [](const CallRecord* a, const CallRecord* b) { return !a->ended.known() || b->requested < a->ended; });
    if (behind_it.size() < 2 || overlapping != behind_it.end()) continue;
    Fault fault = between(points[at].witness.vantage, points[inner].witness.vantage);
    fault.reason = "calls that came to it at the same time went on one after the other";
    return set_fault(booked, std::move(fault), points[inner].complete());
  }
}

void tell_withheld(VantagePoints& points, std::size_t at, const RuleSet& rules) {
  const Rule* const rule = rules.find(kLost);
  std::vector<std::pair<std::size_t, std::uint32_t>> kept;
  for (BookedFinding& booked : points[at].witness.book->findings()) {
    Finding& finding = booked.finding;
    if (!rule || finding.rule != kNotTaken || !all_listed(finding)) continue;
    finding.count -= std::erase_if(finding.calls, [&](const FindingCall& call) {
      const auto before = kept_before(points, at, finding, call);
      if (before.second != kAlone) kept.push_back(before);
      return before.second != kAlone;
    });
  }
  for (std::size_t outer = 0; rule && outer < at; ++outer) {
    if (points.is_placed(outer) && points[outer].complete()) find_kept(points, outer, at, kept);
  }
  for (const auto& [outer, record] : kept) tell_kept(points, outer, at, record, *rule);
}

bool trace_unasked(VantagePoints& points, std::size_t at, BookedFinding& booked) {
  const Finding& finding = booked.finding;
  if (finding.rule != kLost || booked.discriminator == kWaitsForClient || !points.is_placed(at)) return false;
  std::vector<std::size_t> waits;
  std::vector<std::string> sessions;
  for (const FindingCall& call : finding.calls) {
    const std::uint32_t record = points[at].index.find(finding, call);
    waits.push_back(waits_behind(points, at, record));
    if (waits.back() == points.size()) continue;
    const VantagePoint& inner = points[waits.back()];
    sessions.push_back(inner.witness.ledger->session(inner.record(points.alignment(at, waits.back()).partner[record])));
  }
  if (sessions.empty() || waits.front() == points.size() || std::count(waits.begin(), waits.end(), waits.front()) != std::ssize(waits)) return !sessions.empty();
  VantagePoint& inner = points[waits.front()];
  Fault fault = between(points[at].witness.vantage, inner.witness.vantage);
  fault.reason = fmt::format("{}: what the server asks its client there got no answer, and never came out", fault.reason.substr(0, fault.reason.find(':')));
  const bool complete = points[at].complete() && inner.complete();
  for (BookedFinding& question : inner.witness.book->findings()) {
    const bool of_session = std::find(sessions.begin(), sessions.end(), question.finding.session) != sessions.end();
    if (of_session && question.finding.rule == kLost && question.requestor == model::Direction::server_to_client) set_fault(question, fault, complete);
  }
  set_fault(booked, std::move(fault), complete);
  return true;
}

void trace_asking(const VantagePoints& points, std::size_t at, BookedFinding& booked) {
  const Finding& finding = booked.finding;
  const bool of_request = std::find(kAskedWrong.begin(), kAskedWrong.end(), finding.rule) != kAskedWrong.end();
  if (!of_request || finding.fault.party != Party::client || !all_listed(finding)) return;
  for (std::size_t outer = at; points.is_placed(at) && outer-- > 0;) {
    if (!points.is_placed(outer)) continue;
    const bool right = std::all_of(finding.calls.begin(), finding.calls.end(), [&](const FindingCall& call) {
      const std::uint32_t mine = points[at].index.find(finding, call);
      const std::uint32_t theirs = mine == kAlone ? kAlone : points.outer_record(outer, at, mine);
      return theirs != kAlone && points.alignment(outer, at).sure[theirs] && !points[outer].accuses(finding.rule, theirs);
    });
    if (!right) continue;
    Fault fault = between(points[outer].witness.vantage, points[at].witness.vantage);
    fault.reason = "what it sent on is wrong, what it had got was not";
    return set_fault(booked, std::move(fault), points[outer].complete());
  }
}

void leave_out_cancels(const VantagePoints& points, std::size_t at, Finding& finding) {
  if (finding.rule != kVainCancel || !all_listed(finding)) return;
  finding.count -= std::erase_if(finding.calls, [&](const FindingCall& call) {
    const std::uint32_t mine = points[at].index.find(finding, call);
    for (std::size_t outer = 0; outer < at; ++outer) {
      if (!points.is_placed(outer) || points[outer].index.find(finding, call) != kAlone) continue;
      const std::uint32_t theirs = mine != kAlone ? points.outer_record(outer, at, mine) : points[outer].newest(finding.session, call);
      if (theirs != kAlone && !points[outer].accuses(std::string(kVainCancel), theirs)) return true;
    }
    return false;
  });
}

void tell_rewritten(VantagePoints& points, std::size_t at, const RuleSet& rules) {
  const Rule* const rule = rules.find(kRewritten);
  const std::size_t outer = at - 1;
  if (!rule || !points.is_placed(outer) || tells(points[outer], kRewritten) || tells(points[at], kRewritten)) return;
  const Alignment& joined = points.alignment(outer, at);
  const CallLedger& before = *points[outer].witness.ledger;
  std::vector<std::uint32_t> rewritten;
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < joined.partner.size(); ++i) {
    if (joined.partner[i] == kAlone || !has_ids(points[outer].record(i), points[at].record(joined.partner[i]))) continue;
    if (points[outer].record(i).id == points[at].record(joined.partner[i]).id) ++kept;
    else rewritten.push_back(i);
  }
  if (rewritten.size() < kFewestRewritten || kept * kMostly > rewritten.size()) return;
  for (const std::uint32_t i : rewritten) {
    const CallRecord& here = points[outer].record(i);
    const CallRecord& there = points[at].record(joined.partner[i]);
    model::FindingDraft draft;
    draft.session = before.session(here);
    draft.requestor = model::Direction::client_to_server;
    draft.call = points[at].witness.ledger->call_of(there);
    draft.at = there.requested;
    draft.fault = {Party::gateway, Certainty::proven, {}, fmt::format("id {} is {} behind it", before.call_of(here).id.raw, draft.call->id.raw)};
    draft.evidence = {{here.request_at, {}}, {there.request_at, {}}};
    points[outer].witness.book->add(*rule, std::move(draft));
  }
}

}  // namespace mcpscan::engine
