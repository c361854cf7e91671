#include "engine/exoneration.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "engine/accused_calls.h"
#include "engine/call_picture.h"
#include "model/rivals.h"
#include "session/call_batches.h"
#include "session/vantage_alignment.h"

namespace mcpscan::engine {

using model::Certainty;
using model::CloseReason;
using model::Exoneration;
using model::Finding;
using model::Level;
using model::Party;
using model::Vantage;
using session::Alignment;
using session::CallBatch;
using session::CallLedger;
using session::CallRecord;

namespace {

constexpr std::size_t kBatches = 2000;
constexpr std::size_t kRefusals = 50;
constexpr std::size_t kNamed = 3;        // calls named in one cell
constexpr unsigned kBadGateway = 502, kGatewayTimeout = 504;

std::string_view words(session::SlowCall slow) {
  switch (slow) {
    case session::SlowCall::first: return "first";
    case session::SlowCall::middle: return "middle";
    case session::SlowCall::last: return "last";
    case session::SlowCall::none: break;
  }
  return "none stands out";
}

std::string_view words(session::ConnectionMode mode) {
  switch (mode) {
    case session::ConnectionMode::pooled: return "several connections";
    case session::ConnectionMode::shared: return "one connection";
    case session::ConnectionMode::in_turn: return "one connection, in turn";
    case session::ConnectionMode::unknown: break;
  }
  return "not told";
}

std::string_view place_words(Vantage vantage) {
  switch (vantage) {
    case Vantage::client: return "the client's own record";
    case Vantage::client_wire: return "the wire at the client";
    case Vantage::gateway: return "the gateway's log";
    case Vantage::server_wire: return "the wire at the server";
    case Vantage::server: return "the server's own log";
    case Vantage::unknown: break;
  }
  return "a place that was not told";
}

std::string counted_calls(std::uint64_t count) { return fmt::format("{} {}", count, count == 1 ? "call" : "calls"); }

// Its client hung up, cancelled or gave up; nobody owes it a reply.
bool left_by_client(const CallRecord& record) {
  return !record.answered && (record.gave_up || record.closed == CloseReason::client_closed || record.closed == CloseReason::cancelled || record.closed == CloseReason::timed_out);
}
bool still_open(const CallRecord& record) {
  return !record.answered && (record.closed == CloseReason::evidence_ends || record.closed == CloseReason::open || record.closed == CloseReason::evidence_gap);
}

std::string named(const CallLedger& ledger, const CallRecord& record) {
  const session::CallName& name = ledger.name(record);
  const std::string what = call_name(name.method, name.target);
  return record.shown ? what : fmt::format("{} (id {})", what, ledger.call_of(record).id.raw);
}

class Advocate {
 public:
  Advocate(Party party, const std::vector<ExhibitGroup>& groups, const model::Report& report) : groups_(groups), report_(report) {
    proof_.party = party;
    look_for_accusations();
  }

  Exoneration plead() {
    for (const ExhibitGroup& group : groups_) hear(group);
    proof_.sessions = sessions_.size();
    proof_.judged_at = fmt::format("{}", fmt::join(places_, "; "));
    write_checks();
    look_for_gaps();
    write_sweep();
    if (proof_.calls == 0) refuse(nothing_to_judge(), {});
    proof_.cleared = proof_.refusals.empty();
    return std::move(proof_);
  }

 private:
  struct Tally {
    std::uint64_t calls = 0, right = 0, refused = 0, left = 0, open = 0, others = 0, unexplained = 0, wrong = 0;
    std::uint64_t on_wire = 0, own_stream = 0, comparable = 0, repeats_own = 0, payloads = 0, replies_on_get = 0;
    std::uint64_t joined = 0, same_payload = 0, altered = 0, restored = 0;
    std::uint64_t by_gateways_word = 0;  // refused by a status that gateways answer with
    std::uint64_t shown = 0, shown_right = 0, shown_without = 0;
  };

  // Where this group's evidence speaks of the hop: the exhibit that its work is judged by. Null: nowhere.
  const Exhibit* bench(const ExhibitGroup& group) const {
    const auto speaks = [](const Exhibit& exhibit) { return exhibit.vantage != Vantage::client && !exhibit.ledger->records().empty(); };
    const auto first = std::find_if(group.begin(), group.end(), speaks);
    if (first == group.end()) return nullptr;
    if (proof_.party != Party::server) return first->vantage <= Vantage::client_wire || proof_.party == Party::gateway ? &*first : nullptr;
    const auto wire = std::find_if(group.begin(), group.end(), [](const Exhibit& exhibit) { return exhibit.vantage == Vantage::server_wire; });
    return wire == group.end() ? &*first : &*wire;
  }

  void hear(const ExhibitGroup& group) {
    const Exhibit* const judged = bench(group);
    if (!judged) return;
    places_.push_back(fmt::format("{} ({})", place_words(judged->vantage), judged->name));
    if (judged->vantage == Vantage::server) limit("the server's log is the server's own word; a capture of its wire would be a witness");
    note_counted_again(*judged);
    count_calls(*judged->ledger);
    for (const Exhibit& exhibit : group) {
      if (exhibit.vantage != Vantage::client && exhibit.vantage < judged->vantage) note_unseen(exhibit, *judged);
    }
    std::vector<const CallLedger*> records;
    for (const Exhibit& exhibit : group) {
      if (exhibit.vantage == Vantage::client) records.push_back(exhibit.ledger);
    }
    for (const CallLedger* record : records) compare_record(*record, *judged->ledger);
    if (proof_.party == Party::client && records.empty()) refuse(fmt::format("no record of the client's own was joined with {}: what it made of its replies cannot be seen (add its transcript)", judged->name), {});
    const Exhibit* const source = proof_.party == Party::gateway ? what_came_in(group, *judged) : nullptr;
    if (source) compare_hop(*judged->ledger, *source->ledger);
    list_batches(*judged->ledger, records);
  }

  // The nearest record behind the gateway, its wire rather than a log.
  static const Exhibit* what_came_in(const ExhibitGroup& group, const Exhibit& judged) {
    const Exhibit* nearest = nullptr;
    for (const Exhibit& exhibit : group) {
      if (exhibit.vantage == Vantage::server_wire) return &exhibit;
      if (!nearest && exhibit.vantage > judged.vantage) nearest = &exhibit;
    }
    return nearest;
  }

  // Nearer to the client more may have been sent than reached the place that is judged.
  void note_unseen(const Exhibit& outer, const Exhibit& judged) {
    const Alignment joined = session::align(*outer.ledger, *judged.ledger);
    const auto alone = static_cast<std::uint64_t>(std::count(joined.partner.begin(), joined.partner.end(), Alignment::kAlone));
    if (alone > 0) limit(fmt::format("{} that {} shows {} not in {}: what became of {} is not claimed", counted_calls(alone), outer.name, alone == 1 ? "is" : "are", judged.name, alone == 1 ? "it" : "them"));
  }

  // Inputs of one session that could not be laid beside each other are judged for themselves.
  void note_counted_again(const Exhibit& judged) {
    const auto& records = judged.ledger->records();
    const auto shown_before = [&](const CallRecord& record) {
      const std::string& session = judged.ledger->session(record);
      return session.find(' ') == std::string::npos && sessions_.contains(session);  // without an id two clients of one address have one name
    };
    const auto again = static_cast<std::uint64_t>(std::count_if(records.begin(), records.end(), shown_before));
    if (again > 0) limit(fmt::format("{} of {} {} in {} that another input shows as well, which could not be laid beside it: each input counts its own", counted_calls(again), judged.name, again == 1 ? "is" : "are", again == 1 ? "a session" : "sessions"));
  }

  void count_calls(const CallLedger& ledger) {
    proof_.calls += ledger.records().size();
    tally_.replies_on_get += ledger.replies_on_get();
    if (ledger.left_out() > 0) limit(fmt::format("{} further calls were judged by the rules but are not counted here: only the first {} are kept", ledger.left_out(), ledger.records().size()));
    for (const CallRecord& record : ledger.records()) {
      sessions_.insert(ledger.session(record));
      proof_.tools_calls += record.is_tool_call;
      stretch(record.requested);
      stretch(record.ended);
      count(ledger, record);
    }
  }

  void stretch(Time at) {
    if (!at.known()) return;
    if (!proof_.first.known() || at < proof_.first) proof_.first = at;
    if (!proof_.last.known() || at > proof_.last) proof_.last = at;
  }

  void count(const CallLedger& ledger, const CallRecord& record) {
    ++tally_.calls;
    tally_.payloads += record.has_payload();
    if (accused_.names(ledger.session(record), record)) {
      ++tally_.wrong;
    } else if (record.is_right()) {
      ++tally_.right;
      tally_.on_wire += record.on_wire;
      tally_.own_stream += record.on_wire;
    } else if (record.closed == CloseReason::refused) {
      ++tally_.refused;
      tally_.by_gateways_word += record.status >= kBadGateway && record.status <= kGatewayTimeout;
    } else if (left_by_client(record) || record.late) {
      ++tally_.left;
    } else if (others_.names(ledger.session(record), record)) {
      ++tally_.others;
    } else if (still_open(record)) {
      ++tally_.open;
    } else {
      ++tally_.unexplained;
    }
  }

  // What the client's record shows for each call, beside what its wire gave it.
  void compare_record(const CallLedger& record, const CallLedger& wire) {
    const Alignment joined = session::align(record, wire);
    for (std::size_t i = 0; i < joined.partner.size(); ++i) {
      const CallRecord& shown = record.records()[i];
      if (joined.partner[i] == Alignment::kAlone) {
        ++tally_.shown_without;
        continue;
      }
      ++tally_.shown;
      const CallRecord& own = wire.records()[joined.partner[i]];
      const bool too_late = own.answered && shown.replied.known() && own.replied.us > shown.replied.us + joined.offset_us;
      tally_.shown_right += session::same_payload(shown, own) || (shown.gave_up ? !own.answered || own.late || too_late : shown.content == 0);
    }
  }

  void compare_hop(const CallLedger& outer, const CallLedger& inner) {
    const Alignment joined = session::align(outer, inner);
    for (std::size_t i = 0; i < joined.partner.size(); ++i) {
      if (joined.partner[i] == Alignment::kAlone) continue;
      const CallRecord& before = outer.records()[i];
      const CallRecord& behind = inner.records()[joined.partner[i]];
      if (!before.has_payload() || !behind.has_payload()) continue;
      ++tally_.joined;
      session::same_payload(before, behind) ? ++tally_.same_payload : ++tally_.altered;
    }
    tally_.restored += joined.rewritten;
  }

  void list_batches(const CallLedger& ledger, const std::vector<const CallLedger*>& records) {
    ClientView view(records, ledger);
    for (const CallBatch& batch : session::batches_of(ledger)) {
      Exoneration::Batch row = describe(ledger, batch);
      view.tell(ledger, batch, row);
      tally_.repeats_own += row.repeats_own;
      for (const std::uint32_t call : batch.calls) tally_.comparable += session::tells_itself_apart(ledger, batch, ledger.records()[call]) && ledger.records()[call].answered;
      add_to_sweep(row);
      if (proof_.batches.size() < kBatches) {
        proof_.batches.push_back(std::move(row));
      } else {
        ++proof_.batches_left_out;
      }
    }
  }

  Exoneration::Batch describe(const CallLedger& ledger, const CallBatch& batch) const {
    const CallRecord& first = ledger.records()[batch.calls.front()];
    Exoneration::Batch row;
    row.at = first.requested;
    row.session = ledger.session(first);
    row.source = first.request_at;
    row.size = batch.calls.size();
    row.position = words(batch.slow);
    row.mode = words(batch.mode);
    for (const std::uint32_t call : batch.calls) {
      const CallRecord& record = ledger.records()[call];
      const bool wrong = accused_.names(row.session, record);
      row.wrong += wrong;
      row.right += !wrong && record.is_right();
      row.repeats_own += !wrong && record.is_right() && session::repeats_its_own(ledger, batch, record);
      row.left += !wrong && (left_by_client(record) || record.late);
    }
    return row;
  }

  // What the clients reported of the calls of a batch.
  class ClientView {
   public:
    ClientView(const std::vector<const CallLedger*>& records, const CallLedger& wire) {
      for (const CallLedger* record : records) {
        const Alignment joined = session::align(*record, wire);
        for (std::uint32_t i = 0; i < joined.partner.size(); ++i) {
          if (joined.partner[i] != Alignment::kAlone) shown_.emplace(joined.partner[i], &record->records()[i]);
        }
      }
    }

    void tell(const CallLedger& ledger, const CallBatch& batch, Exoneration::Batch& row) const {
      std::vector<std::string> landed;
      for (const std::uint32_t call : batch.calls) {
        const CallRecord& wire = ledger.records()[call];
        const auto found = shown_.find(call);
        const bool gave_up = found == shown_.end() ? wire.gave_up : found->second->gave_up;
        if (!gave_up) continue;
        if (row.timed_out.size() < kNamed) row.timed_out.push_back(named(ledger, wire));
        for (const std::uint32_t other : batch.calls) {
          const auto shown = shown_.find(other);
          if (other == call || shown == shown_.end() || !session::same_payload(*shown->second, wire)) continue;
          if (session::same_payload(ledger.records()[other], wire)) continue;  // the two are alike: it is its own as well
          landed.push_back(named(ledger, ledger.records()[other]));
        }
      }
      row.landed_in = fmt::format("{}", fmt::join(landed, ", "));
    }

   private:
    std::unordered_map<std::uint32_t, const CallRecord*> shown_;   // of the wire's calls
  };

  void add_to_sweep(const Exoneration::Batch& row) {
    Exoneration::SweepRow& cell = sweep_[{row.size, row.position, row.mode}];
    ++cell.batches;
    cell.calls += row.size;
    cell.right += row.right;
    cell.repeats_own += row.repeats_own;
    cell.left += row.left;
    cell.wrong += row.wrong;
  }

  void write_sweep() {
    for (auto& [key, cell] : sweep_) {
      std::tie(cell.size, cell.position, cell.mode) = key;
      proof_.sweep.push_back(cell);
    }
  }

  void write_checks() {
    const Tally& t = tally_;
    if (t.calls == 0) return;
    check("requests answered once, under their own id, or with a reason why not", t.calls - t.wrong - t.unexplained, t.calls,
          fmt::format("{} answered{}{}{}{}", t.right, t.refused > 0 ? fmt::format(", {} refused at HTTP level", t.refused) : "",
                      t.left > 0 ? fmt::format(", {} left by their own client before the reply or answered after that", t.left) : "",
                      t.others > 0 ? fmt::format(", {} went wrong at another hop", t.others) : "",
                      t.open > 0 ? fmt::format(", {} still open where the evidence ends", t.open) : ""));
    if (t.on_wire > 0) {
      check("replies on the stream of their own request", t.own_stream, t.right, {});
      check("replies kept off the standalone GET streams", t.right, t.right + t.replies_on_get, fmt::format("{} reply frames stood on one", t.replies_on_get));
    } else if (t.right > 0) {
      limit("on which stream a reply came is not in this evidence");
    }
    if (t.comparable > 0) check("payloads in batches that repeat what only their own call asked for", t.repeats_own, t.comparable,
                               t.repeats_own < t.comparable ? "the others repeat nothing, which is no fault" : std::string());
    if (t.comparable == 0 && t.right > 0) limit("no payload repeats its call's arguments: that each belongs to its call rests on ids and streams");
    if (t.payloads == 0 && t.right > 0) limit("the evidence holds no payloads");
    if (t.shown > 0) check("calls of the client's own record that show what its wire gave them", t.shown_right, t.shown, {});
    if (t.shown_without > 0) limit(fmt::format("{} of the client's record {} not in the other evidence", counted_calls(t.shown_without), t.shown_without == 1 ? "is" : "are"));
    if (t.joined > 0) check("payloads that left the gateway as they came into it", t.same_payload, t.joined, t.restored > 0 ? fmt::format("{} ids were rewritten and put back", t.restored) : std::string());
    if (t.unexplained > 0) refuse(fmt::format("{} got no reply, and nothing tells why", counted_calls(t.unexplained)), {});
    if (t.altered > 0 && proof_.party == Party::gateway) refuse(fmt::format("{} payloads left the gateway other than they came into it", t.altered), {});
    if (t.by_gateways_word > 0 && proof_.party == Party::gateway) refuse(fmt::format("502, 503 or 504, which gateways write, was the answer to {}: whether this one had to is not in this evidence", counted_calls(t.by_gateways_word)), {});
    if (proof_.party == Party::client && t.shown_right < t.shown) refuse(fmt::format("its record shows for {} something else than the wire gave", counted_calls(t.shown - t.shown_right)), {});
    if (t.open > 0) limit(fmt::format("{} {} still open where the evidence ends", counted_calls(t.open), t.open == 1 ? "was" : "were"));
    if (t.right == 0 && proof_.party != Party::client) refuse("no reply is in this evidence", {});
  }

  void check(std::string what, std::uint64_t held, std::uint64_t of, std::string note) { proof_.checks.push_back({std::move(what), held, of, std::move(note)}); }
  void limit(std::string text) {
    if (std::find(proof_.limits.begin(), proof_.limits.end(), text) == proof_.limits.end()) proof_.limits.push_back(std::move(text));
  }
  void refuse(std::string reason, std::string finding) {
    if (proof_.refusals.size() < kRefusals) proof_.refusals.push_back({std::move(reason), std::move(finding)});
  }

  std::string nothing_to_judge() const {
    if (proof_.party == Party::client) return "no wire at the client is in this evidence: what it was given cannot be compared with what it showed";
    return "no JSON-RPC call with an id is in this evidence: there is nothing to judge it by";
  }

  // Every finding either names somebody else for sure, or stands in the way.
  void look_for_accusations() {
    const std::string me(model::to_string(proof_.party));
    for (const Finding& finding : report_.findings) {
      if (finding.level == Level::informational) continue;
      const model::Fault& fault = finding.fault;
      // Where nobody is named, the others are who it may have been.
      const bool helped = fault.party != Party::unknown && std::find(fault.contributing.begin(), fault.contributing.end(), me) != fault.contributing.end();
      const std::string what = fmt::format("{} x{}{}", finding.rule, finding.count, finding.detail.empty() ? "" : " (" + finding.detail + ")");
      const bool balancer = proof_.party == Party::gateway && fault.party == Party::network;
      const bool clears = fault.party != proof_.party && !balancer && !helped && fault.party != Party::unknown && (fault.certainty >= Certainty::strong || waited_too_short(finding));
      (clears ? others_ : accused_).add(finding);
      if ((fault.party == proof_.party || helped) && model::names_rivals(fault)) {
        refuse(fmt::format("{} names the {} or the {} ({})", what, model::to_string(fault.party), fmt::join(fault.contributing, " or the "), model::to_string(fault.certainty)), finding.id);
      } else if (fault.party == proof_.party) {
        refuse(fmt::format("{} names the {} ({})", what, me, model::to_string(fault.certainty)), finding.id);
      } else if (helped) {
        refuse(fmt::format("{} names the {} as having let it happen", what, me), finding.id);
      } else if (waited_too_short(finding)) {
        limit(fmt::format("{}: how long replies took is not judged here", what));
      } else if (fault.party == Party::unknown || fault.certainty < Certainty::strong) {
        refuse(fmt::format("{} leaves open whose fault it is", what), finding.id);
      } else if (!clears) {
        refuse(fmt::format("{} names the network, and a gateway may be what it means", what), finding.id);
      }
    }
  }

  // The client's patience ran out; that says nothing about whose reply went where.
  static bool waited_too_short(const Finding& finding) { return finding.fault.party == Party::client && (finding.rule == "late-reply" || finding.rule == "client-timeout"); }

  void look_for_gaps() {
    std::uint64_t gaps = 0;
    for (const Finding& finding : report_.findings) gaps += finding.rule == "capture-gap" ? finding.count : 0;
    if (gaps > 0) limit(fmt::format("the evidence has {} {}: what they hide is not claimed", gaps, gaps == 1 ? "gap" : "gaps"));
    for (const model::InputRow& input : report_.inputs) {
      if (!input.error.empty()) limit(fmt::format("{} could not be read", input.path));
    }
    std::vector<std::string> unjudged;
    for (const model::RuleCoverage& rule : report_.rules) {
      if (rule.state == model::RuleState::not_evaluable) unjudged.push_back(rule.rule);
    }
    if (!unjudged.empty()) limit(fmt::format("this evidence cannot show what {} would judge", fmt::join(unjudged, ", ")));
    if (report_.findings_left_out > 0) refuse(fmt::format("{} findings were too many to be kept", report_.findings_left_out), {});
  }

  const std::vector<ExhibitGroup>& groups_;
  const model::Report& report_;
  AccusedCalls accused_, others_;   // by findings that stand in the way, and by those that name another hop
  Exoneration proof_;
  Tally tally_;
  std::set<std::string> sessions_;
  std::vector<std::string> places_;
  std::map<std::tuple<std::uint64_t, std::string, std::string>, Exoneration::SweepRow> sweep_;
};

}  // namespace

Exoneration exonerate(Party party, const std::vector<ExhibitGroup>& groups, const model::Report& report) { return Advocate(party, groups, report).plead(); }

}  // namespace mcpscan::engine
