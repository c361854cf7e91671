#include "engine/first_divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/attribution.h"
#include "engine/hop_doings.h"
#include "engine/vantage_points.h"
#include "session/session_table.h"

namespace mcpscan::engine {

using model::Certainty;
using model::CloseReason;
using model::Fault;
using model::Finding;
using model::FindingCall;
using model::Level;
using model::Party;
using model::Vantage;
using session::Alignment;
using session::CallLedger;
using session::CallRecord;

namespace {

constexpr std::string_view kSwap = "reply-mismatch", kChannel = "wrong-channel-reply", kLost = "lost-reply", kLate = "late-reply", kReset = "connection-reset",
                           kEarlyEnd = "stream-closed-early", kOtherContent = "content-type";

enum class Seen : std::uint8_t { unseen, right, wrong };

bool speaks_of_replies(const BookedFinding& booked) {
  const std::string& category = booked.rule->category;
  const Finding& finding = booked.finding;
  if (finding.level == Level::informational || finding.fault.party == Party::network || booked.discriminator == kWaitsForClient) return false;
  if (finding.fault.party == Party::client) return finding.rule == kLate;  // its deadline was over, whoever held the reply back
  return category == "replies" || category == "channels" || finding.rule == "id-type-drift" || finding.rule == kReset || finding.rule == kOtherContent;
}

bool speaks_of_shared_ids(const BookedFinding& booked) {
  if (booked.finding.fault.party != Party::client) return false;
  return booked.finding.rule == "duplicate-request-id" || booked.cause_rule == "duplicate-request-id";
}

class Divergence {
 public:
  Divergence(VantagePath& path, const RuleSet& rules) : path_(path), rules_(rules), points_(path) {}

  void run() {
    if (path_.one_book) show_outermost_calls();
    for (std::size_t at = 0; at < points_.size(); ++at) {
      for (std::size_t inner = at + 1; inner < points_.size(); ++inner) {
        if (is_placed(at) && is_placed(inner)) find_exchanged_payloads(at, inner);
      }
    }
    for (std::size_t at = 0; at < points_.size(); ++at) {
      for (BookedFinding& booked : points_[at].witness.book->findings()) {
        if (path_.one_book && !points_[at].shows(booked)) continue;
        if (speaks_of_replies(booked) && !trace_unasked(points_, at, booked)) trace_reply(at, booked);
        if (speaks_of_shared_ids(booked)) trace_request(at, booked);
        trace_queue(points_, at, booked);
        trace_asking(points_, at, booked);
      }
    }
    for (std::size_t at = 0; at < points_.size(); ++at) {
      for (BookedFinding& booked : points_[at].witness.book->findings()) leave_out_answered_later(at, booked.finding);
      if (at > 0 && is_placed(at)) {
        tell_withheld(points_, at, rules_);
        tell_rewritten(points_, at, rules_);
      }
      for (BookedFinding& booked : points_[at].witness.book->findings()) {
        if (is_placed(at)) leave_out_cancels(points_, at, booked.finding);
        if (path_.one_book) leave_out_relayed(at, booked.finding);
      }
      for (BookedFinding& booked : points_[at].witness.book->findings()) leave_out_lost_otherwise(at, booked);
      points_[at].witness.book->drop([&](const BookedFinding& booked) { return booked.finding.count == 0 || told_outside(at, booked.finding); });
    }
  }

 private:
  // A reply is seen behind the proxy first, and blame is traced from the client inwards: of a call that the book knows at both hops the finding
  // names the one nearest to the client.
  void show_outermost_calls() {
    for (BookedFinding& booked : points_[0].witness.book->findings()) {
      for (auto& [place, call] : booked.relayed_calls) {
        FindingCall& named = booked.finding.calls[place];
        if (point_of(booked.finding, call) < point_of(booked.finding, named)) std::swap(named, call);
      }
    }
  }

  std::size_t point_of(const Finding& finding, const FindingCall& call) const {
    std::size_t at = 0;
    while (at < points_.size() && points_[at].index.find(finding, call) == kAlone) ++at;
    return at;
  }

  bool is_placed(std::size_t at) const { return points_.is_placed(at); }
  const Alignment& alignment(std::size_t outer, std::size_t inner) const { return points_.alignment(outer, inner); }
  std::uint32_t outer_record(std::size_t outer, std::size_t at, std::uint32_t inner) const { return points_.outer_record(outer, at, inner); }

  // What `inner` shows of the record `outer` calls wrong under this rule.
  Seen seen_of(const std::string& rule, std::size_t outer, std::uint32_t record, std::size_t inner) const {
    const Alignment& joined = alignment(outer, inner);
    const std::uint32_t partner = joined.partner[record];
    if (partner == kAlone || !joined.sure[record]) return Seen::unseen;
    const CallRecord& there = points_[inner].record(partner);
    if (points_[inner].accuses(rule, partner)) return Seen::wrong;
    const CallRecord& here = points_[outer].record(record);
    if (rule == kLost && !there.answered) {
      if (!points_[inner].complete()) return Seen::unseen;
      return hung_up_between(here, there) ? Seen::right : Seen::wrong;
    }
    if (rule == kReset || (rule == kEarlyEnd && !there.answered)) return points_[inner].complete() && hung_up_between(here, there) ? Seen::right : Seen::unseen;
    if (!there.is_right()) return Seen::unseen;
    if (rule == kLate) return held_between(here, there) ? Seen::right : Seen::unseen;
    if (rule != kSwap) return Seen::right;
    if (!here.has_payload() || !there.has_payload()) return Seen::unseen;
    return session::same_payload(here, there) ? Seen::wrong : Seen::right;
  }

  // What came before the server could answer: the hop between ended the call towards its client and then hung up on the server. A wait
  // that was long there too is told as lost there.
  static bool hung_up_between(const CallRecord& here, const CallRecord& there) {
    const bool ended_here = here.closed == CloseReason::connection_reset || here.closed == CloseReason::stream_closed;
    return ended_here && there.closed == CloseReason::client_closed;
  }

  bool hung_up_before_reply(std::size_t outer, const Finding& finding, std::size_t inner) const {
    return std::any_of(finding.calls.begin(), finding.calls.end(), [&](const FindingCall& call) {
      const std::uint32_t record = points_[outer].index.find(finding, call);
      const std::uint32_t partner = record == kAlone ? kAlone : alignment(outer, inner).partner[record];
      return partner != kAlone && hung_up_between(points_[outer].record(record), points_[inner].record(partner));
    });
  }

  // Most of the time that the call took was spent between the two. That needs no common clock.
  static bool held_between(const CallRecord& here, const CallRecord& there) {
    if (!here.requested.known() || !here.replied.known() || !there.requested.known() || !there.replied.known()) return false;
    return here.replied.us - here.requested.us > 2 * (there.replied.us - there.requested.us);
  }

  // All calls of the finding that are joined agree; one that disagrees leaves it open. Those of a time that the inner point does not cover are
  // nothing to it.
  Seen seen_of(std::size_t outer, const Finding& finding, std::size_t inner) const {
    Seen all = Seen::unseen;
    bool any_record = false;
    for (const FindingCall& call : finding.calls) {
      const std::uint32_t record = points_[outer].index.find(finding, call);
      if (record == kAlone) continue;  // a reply's id that nobody asked with
      any_record = true;
      if (points_.is_uncovered(outer, record, inner)) continue;
      const Seen seen = seen_of(finding.rule, outer, record, inner);
      if (seen == Seen::unseen || (all != Seen::unseen && all != seen)) return Seen::unseen;
      all = seen;
    }
    return any_record ? all : session_seen(outer, finding, inner);
  }

  // A reply that belongs to no call: every call of its session was right behind, so it came from this side.
  Seen session_seen(std::size_t outer, const Finding& finding, std::size_t inner) const {
    const Alignment& joined = alignment(outer, inner);
    if (!points_[inner].complete() || points_[inner].witness.ledger->stray_replies() > 0) return Seen::unseen;
    const auto& told = points_[inner].witness.book->findings();
    const auto is_told = [&](const BookedFinding& other) { return other.finding.id == finding.id && (!path_.one_book || points_[inner].shows(other)); };
    if (std::any_of(told.begin(), told.end(), is_told)) return Seen::unseen;
    const std::string session = session::normalise_session_id(finding.session);
    std::size_t right = 0;
    for (std::uint32_t i = 0; i < joined.partner.size(); ++i) {
      if (session::normalise_session_id(points_[outer].witness.ledger->session(points_[outer].record(i))) != session) continue;
      if (joined.partner[i] == kAlone || !points_[inner].record(joined.partner[i]).is_right()) return Seen::unseen;
      ++right;
    }
    return right > 0 ? Seen::right : Seen::unseen;
  }

  // The same fault of the same calls, under the name that their session has nearer to the client; under one name the books merge it.
  bool told_outside(std::size_t at, const Finding& finding) const {
    if (finding.calls.empty() || finding.calls_left_out > 0) return false;
    for (std::size_t outer = 0; outer < at; ++outer) {
      const bool all = std::all_of(finding.calls.begin(), finding.calls.end(), [&](const FindingCall& call) {
        const std::uint32_t mine = points_[at].index.find(finding, call);
        const std::uint32_t theirs = mine == kAlone ? kAlone : outer_record(outer, at, mine);
        if (theirs == kAlone || !points_[outer].accuses(finding.rule, theirs)) return false;
        return session::normalise_session_id(points_[outer].witness.ledger->session(points_[outer].record(theirs))) != session::normalise_session_id(finding.session);
      });
      if (all) return true;
    }
    return false;
  }

  // One capture shows the call at both its hops, too far apart in time for the book to know it for one.
  void leave_out_relayed(std::size_t at, Finding& finding) const {
    if (finding.calls_left_out > 0 || finding.count != finding.calls.size()) return;
    std::unordered_set<std::uint32_t> outside;
    for (std::size_t outer = 0; outer < at; ++outer) {
      for (const FindingCall& call : finding.calls) {
        const std::uint32_t record = points_[outer].index.find(finding, call);
        if (record != kAlone && alignment(outer, at).partner[record] != kAlone) outside.insert(alignment(outer, at).partner[record]);
      }
    }
    finding.count -= std::erase_if(finding.calls, [&](const FindingCall& call) { return outside.contains(points_[at].index.find(finding, call)); });
  }

  // The client had left before the reply was ready, as a point behind shows: it was not lost on the way, and that the client left is told.
  void leave_out_answered_later(std::size_t at, Finding& finding) const {
    if (finding.rule != kLost || finding.calls_left_out > 0 || finding.count != finding.calls.size()) return;
    finding.count -= std::erase_if(finding.calls, [&](const FindingCall& call) {
      const std::uint32_t mine = points_[at].index.find(finding, call);
      if (mine == kAlone || !may_have_left(points_[at].record(mine))) return false;
      for (std::size_t inner = at + 1; inner < points_.size(); ++inner) {
        const Alignment& joined = alignment(at, inner);
        if (joined.partner[mine] == kAlone || !joined.sure[mine] || !joined.clock_known) continue;
        const CallRecord& there = points_[inner].record(joined.partner[mine]);
        const Time left = points_[at].record(mine).ended;
        if (!there.is_right() || !there.replied.known() || !left.known()) continue;
        if (there.replied.us - joined.offset_us - joined.spread_us > left.us + kSecond) return true;
      }
      return false;
    });
  }

  // As far as an access line can tell, too.
  static bool may_have_left(const CallRecord& record) {
    const bool by_line = record.closed == CloseReason::unseen || record.closed == CloseReason::refused;
    return record.ended.known() && (by_line || record.closed == CloseReason::client_closed || record.closed == CloseReason::timed_out);
  }

  // A proxy ends a stream that its server never used: the call is lost in one way before it and in another behind it, and is one call. One
  // that gives up on its server and refuses the call, says so towards its client: a refusal is an answer.
  void leave_out_lost_otherwise(std::size_t at, BookedFinding& booked) const {
    Finding& finding = booked.finding;
    if (finding.rule != kLost || finding.calls_left_out > 0 || finding.count != finding.calls.size()) return;
    finding.count -= std::erase_if(finding.calls, [&](const FindingCall& call) {
      const std::uint32_t mine = points_[at].index.find(finding, call);
      for (std::size_t outer = 0; outer < at && mine != kAlone; ++outer) {
        const std::uint32_t theirs = outer_record(outer, at, mine);
        if (theirs != kAlone && points_[outer].record(theirs).closed == CloseReason::refused) return true;
        const auto told = theirs == kAlone ? points_[outer].lost_as.end() : points_[outer].lost_as.find(theirs);
        if (told != points_[outer].lost_as.end() && told->second != loss_of(booked)) return true;
      }
      return false;
    });
  }

  // The inner point was not looked at when some of the finding's calls were made.
  bool misses_calls(std::size_t outer, const Finding& finding, std::size_t inner) const {
    return std::any_of(finding.calls.begin(), finding.calls.end(), [&](const FindingCall& call) {
      const std::uint32_t record = points_[outer].index.find(finding, call);
      return record != kAlone && points_.is_uncovered(outer, record, inner);
    });
  }

  // So there is a hop behind, of which nothing is known for these calls.
  bool is_missed_by_another(std::size_t at, const Finding& finding) const {
    for (std::size_t inner = at + 1; inner < points_.size(); ++inner) {
      if (is_placed(inner) && misses_calls(at, finding, inner)) return true;
    }
    return false;
  }

  // Inward from the point that shows it: while it is wrong there too, the fault lies deeper.
  void trace_reply(std::size_t at, BookedFinding& booked) {
    std::size_t wrong = at;
    for (std::size_t inner = at + 1; inner < points_.size(); ++inner) {
      const Seen seen = is_placed(inner) ? seen_of(at, booked.finding, inner) : Seen::unseen;
      if (seen == Seen::wrong) wrong = inner;
      if (seen != Seen::right) continue;
      const bool all = points_[inner].complete() && !misses_calls(at, booked.finding, inner);
      return set_fault(booked, between(points_[wrong].witness.vantage, points_[inner].witness.vantage), all);
    }
    if (booked.finding.fault.party == Party::client) return;  // a client's deadline is no one's behind it
    if (wrong == at) {
      const bool may_be_hops = points_[at].witness.vantage < Vantage::server_wire && is_placed(at) && is_missed_by_another(at, booked.finding);
      return may_be_hops ? set_fault(booked, behind(points_[at].witness.vantage), false) : void();
    }
    Fault fault = behind(points_[wrong].witness.vantage);
    if (booked.finding.rule == kLost && hung_up_before_reply(at, booked.finding, wrong)) {
      fault = {Party::server, Certainty::weak, {"gateway"}, "nothing had come of it when the hop before it gave up; whether it would have come cannot be seen"};
    }
    if (booked.finding.rule == kSwap || booked.finding.rule == kChannel) fault = attribute(picture_of(booked.finding, points_[wrong]));
    set_fault(booked, std::move(fault), points_[wrong].complete() && !misses_calls(at, booked.finding, wrong));
  }

  static MisroutePicture picture_of(const Finding& finding, const VantagePoint& innermost) {
    MisroutePicture picture;
    picture.client_wire = finding.rule == kChannel || finding.detail == "wrong-stream" ? Sight::crossed_stream : Sight::crossed_payload;
    if (innermost.witness.vantage >= Vantage::server_wire) picture.server_wire = picture.client_wire;
    if (innermost.witness.vantage == Vantage::server) picture.server = ServerRecord::crossed;
    picture.payload_attributed = finding.detail == "swap";
    return picture;
  }

  // Inward means towards the client here: requests come from there.
  void trace_request(std::size_t at, BookedFinding& booked) {
    for (std::size_t outer = at; is_placed(at) && outer-- > 0;) {
      if (is_placed(outer) && sent_again_between(outer, at, booked.finding)) {
        return set_fault(booked, {Party::gateway, Certainty::proven, {}, "it sent a request on more often than it had got it"}, points_[outer].complete());
      }
      const Seen seen = distinct_at(outer, at, booked.finding);
      if (seen != Seen::right) continue;
      MisroutePicture picture;
      picture.client_wire = Sight::shared_id;
      picture.ids_collide_behind = true;
      return set_fault(booked, attribute(picture), points_[outer].complete());
    }
    for (const ClientLog& client : path_.clients) {
      if (distinct(*client.ledger, client.to_point[at], at, booked.finding) != Seen::right) continue;
      MisroutePicture picture;
      picture.client_wire = Sight::shared_id;
      picture.ids_collide_behind = true;
      return set_fault(booked, attribute(picture), !client.ledger->saw_gap() && client.ledger->left_out() == 0);
    }
  }

  std::size_t sightings(std::size_t point, std::string_view session, const CallRecord& like) const {
    const CallLedger& ledger = *points_[point].witness.ledger;
    return static_cast<std::size_t>(std::count_if(ledger.records().begin(), ledger.records().end(), [&](const CallRecord& record) {
      return record.id_type == like.id_type && record.id == like.id && record.asked == like.asked && session::normalise_session_id(ledger.session(record)) == session;
    }));
  }

  // The very request that stands several times at `at` stands fewer times, but does, at `outer`.
  bool sent_again_between(std::size_t outer, std::size_t at, const Finding& finding) const {
    const std::string session = session::normalise_session_id(finding.session);
    bool any = false;
    for (const FindingCall& call : finding.calls) {
      const std::uint32_t record = points_[at].index.find(finding, call);
      if (record == kAlone) continue;
      const std::size_t before = sightings(outer, session, points_[at].record(record));
      if (before == 0 || before >= sightings(at, session, points_[at].record(record))) return false;
      any = true;
    }
    return any;
  }

  // Whether the calls that share an id at `at` had ids of their own at `outer`.
  Seen distinct_at(std::size_t outer, std::size_t at, const Finding& finding) const {
    return distinct(*points_[outer].witness.ledger, alignment(outer, at), at, finding);
  }

  Seen distinct(const CallLedger& outer, const Alignment& joined, std::size_t at, const Finding& finding) const {
    std::unordered_map<std::uint32_t, std::uint32_t> outer_of;
    for (std::uint32_t i = 0; i < joined.partner.size(); ++i) {
      if (joined.partner[i] != kAlone && joined.sure[i]) outer_of.emplace(joined.partner[i], i);
    }
    bool any = false;
    for (const FindingCall& call : finding.calls) {
      const auto found = outer_of.find(points_[at].index.find(finding, call));
      if (found == outer_of.end()) continue;
      if (outer.records()[found->second].collided) return Seen::wrong;
      any = true;
    }
    return any ? Seen::right : Seen::unseen;
  }

  // Payloads that stand under one call behind a hop and under another one before it: exchanged in between, whatever they look like.
  void find_exchanged_payloads(std::size_t outer, std::size_t inner) {
    const Rule* const rule = rules_.find(kSwap);
    const Alignment& joined = alignment(outer, inner);
    if (!rule) return;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> behind_by_payload;
    for (std::uint32_t i = 0; i < joined.partner.size(); ++i) {
      if (joined.partner[i] == kAlone || !joined.sure[i]) continue;
      const CallRecord& there = points_[inner].record(joined.partner[i]);
      for (const std::uint64_t digest : {there.reply, there.content, there.structured}) {
        std::vector<std::uint32_t>& given = behind_by_payload[digest];
        if (digest != 0 && (given.empty() || given.back() != i)) given.push_back(i);
      }
    }
    for (std::uint32_t i = 0; i < joined.partner.size(); ++i) {
      const std::uint32_t owner = joined.partner[i] == kAlone || !joined.sure[i] ? kAlone : owner_of(outer, inner, i, behind_by_payload);
      if (owner != kAlone && !points_[outer].accuses(std::string(kSwap), i)) tell_exchanged(*rule, outer, inner, i, owner);
    }
  }

  // In flight under one id at this point, which its client gave them: nothing there tells which of the two a reply is for.
  static bool of_one_id(const CallRecord& a, const CallRecord& b) {
    return (a.collided || b.collided) && a.session == b.session && a.id_type == b.id_type && a.id == b.id;
  }

  std::uint32_t owner_of(std::size_t outer, std::size_t inner, std::uint32_t i, const std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>& behind_by_payload) const {
    const Alignment& joined = alignment(outer, inner);
    const CallRecord& here = points_[outer].record(i);
    const CallRecord& there = points_[inner].record(joined.partner[i]);
    if (!here.has_payload() || !there.has_payload() || session::same_payload(here, there)) return kAlone;
    for (const std::uint64_t digest : {here.reply, here.content, here.structured}) {
      const auto found = digest == 0 ? behind_by_payload.end() : behind_by_payload.find(digest);
      if (found == behind_by_payload.end() || found->second.size() != 1) continue;  // said more than once: it proves nothing
      const std::uint32_t owner = found->second[0];
      const CallRecord& other = points_[outer].record(owner);
      if (owner != i && overlap(here, other) && !of_one_id(here, other) && session::same_payload(here, points_[inner].record(joined.partner[owner]))) return owner;
    }
    return kAlone;
  }

  static bool overlap(const CallRecord& a, const CallRecord& b) {
    const auto begins_in = [](const CallRecord& one, const CallRecord& other) { return !other.ended.known() || !one.requested.known() || one.requested <= other.ended; };
    return begins_in(a, b) && begins_in(b, a);
  }

  void tell_exchanged(const Rule& rule, std::size_t outer, std::size_t inner, std::uint32_t i, std::uint32_t owner) {
    const CallLedger& ledger = *points_[outer].witness.ledger;
    const CallRecord& record = points_[outer].record(i);
    const CallRecord& behind_record = points_[inner].record(alignment(outer, inner).partner[owner]);
    const FindingCall call = ledger.call_of(record), other = ledger.call_of(points_[outer].record(owner));
    model::FindingDraft draft;
    draft.detail = "swap";
    draft.session = ledger.session(record);
    draft.requestor = model::Direction::client_to_server;
    draft.call = call;
    draft.at = record.replied;
    draft.fault = between(points_[outer].witness.vantage, points_[inner].witness.vantage);
    draft.fault.reason += fmt::format(": the payload of {} (id {}) stands under {} (id {})", other.tool, other.id.raw, call.tool, call.id.raw);
    draft.evidence = {{record.request_at, {}}, {record.reply_at, {}}, {behind_record.reply_at, {}}};
    draft.picture = {{behind_record.replied, '<', fmt::format("the reply of {} (id {}) behind", other.tool, other.id.raw), behind_record.reply_at, other.tool, behind_record.request_at},
                     {record.replied, '<', fmt::format("the same payload, as the answer to {} (id {})", call.tool, call.id.raw), record.reply_at, other.tool, points_[outer].record(owner).request_at,
                      record.request_at}};
    points_[outer].accused[std::string(kSwap)].insert(i);
    points_[outer].witness.book->add(rule, std::move(draft));
  }

  VantagePath& path_;
  const RuleSet& rules_;
  VantagePoints points_;
};

}  // namespace

void name_first_divergence(VantagePath& path, const RuleSet& rules) {
  if (path.points.size() > 1 || !path.clients.empty()) Divergence(path, rules).run();
}

}  // namespace mcpscan::engine
