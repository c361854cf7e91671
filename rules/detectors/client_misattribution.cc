// The client's own record laid beside the wire: a call shown as timed out whose reply was on the wire, and a payload shown under another
// call than the one that the wire gave it to. Calls are matched by tool and arguments, payloads by their digest (session/vantage_alignment.h).
// Of several wires the outermost one that has the call counts: what is crossed there already is not the client's doing. Only a wire
// at the client can prove it; behind a gateway, or from a server's log, it stays undetermined. A payload that the wire gave to several calls
// proves nothing, nor does one that it gave to the same call asked again. Without any wire the record is held against itself (engine/shown_swaps.h).
// Source: protocol notes part C, H1 H2 H4; engine/attribution.h for the table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "engine/attribution.h"
#include "engine/rewritten_id.h"
#include "engine/shown_swaps.h"
#include "model/detector.h"
#include "session/vantage_alignment.h"

namespace mcpscan::engine {
namespace {

using namespace model;
using session::Alignment;
using session::CallLedger;
using session::CallRecord;

constexpr std::size_t kCalls = 50000;        // of the record, and of all wires together
constexpr std::size_t kClockCalls = 5;       // calls that set two clocks
constexpr std::size_t kFewRewritten = 3;     // ids of a gateway's form that tell where a wire was watched
constexpr std::size_t kSlots = 1024;         // calls of the record looked at that show one payload

// One input that saw the traffic, beside the record.
struct Wire {
  const CallLedger* ledger = nullptr;
  Alignment joined;                          // from the record
  std::int64_t mean_us = 0;                  // how long the joined calls took there
  bool on_wire = false, behind_gateway = false;
  std::string_view where() const { return on_wire ? "on the wire" : "in the log"; }
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_payload;
};

// What the record says of one call, and what the wire says of it.
struct Case {
  const Wire& wire;
  const CallRecord& shown;
  const CallRecord& own;
  bool sure = false;         // no other call of the wire could be meant
};

class ClientMisattribution : public Detector {
 public:
  explicit ClientMisattribution(const Parameters& parameters) : one_input_(one_input(parameters)) {}

  std::uint32_t wants() const override { return one_input_ ? event_bit(EventKind::outcome) : ~0u; }

  void on_event(const TimelineEvent& event, FindingSink&) override {
    if (event.kind == EventKind::outcome) {
      alone_.note(event);
      return record_.on_event(event);
    }
    const bool tool_call = event.call && event.call->method == kToolsCall;
    if (!tool_call && event.kind != EventKind::gap) return;
    if (event.kind == EventKind::request && wire_calls_++ >= kCalls) return;
    wires_.try_emplace(event.source.input, kCalls, CallLedger::Echoes::left_out).first->second.on_event(event);
  }

  void finish(FindingSink& findings) override {
    if (record_.records().empty()) return;
    if (wires_.empty()) return alone_.finish(findings);
    for (std::uint32_t i = 0; i < record_.records().size(); ++i) {
      const CallRecord& shown = record_.records()[i];
      if (!shown.gave_up && shown.content != 0) shown_by_payload_.emplace(shown.content, i);
    }
    const std::vector<Wire> wires = joined_wires();
    for (std::uint32_t i = 0; i < record_.records().size(); ++i) {
      for (const Wire& wire : wires) {
        const std::uint32_t partner = wire.joined.partner[i];
        if (partner == Alignment::kAlone) continue;
        judge({wire, record_.records()[i], wire.ledger->records()[partner], wire.joined.sure[i]}, findings);
        break;
      }
    }
  }

 private:
  // The outermost first: a call takes longer the nearer to the client it is watched.
  std::vector<Wire> joined_wires() const {
    std::vector<Wire> wires;
    for (const auto& [input, ledger] : wires_) {
      Wire wire;
      wire.ledger = &ledger;
      wire.joined = session::align(record_, ledger);
      if (wire.joined.state != session::AlignmentState::joined) continue;
      look_at(wire);
      wires.push_back(std::move(wire));
    }
    std::stable_sort(wires.begin(), wires.end(), [](const Wire& a, const Wire& b) { return std::make_pair(!a.on_wire, -a.mean_us) < std::make_pair(!b.on_wire, -b.mean_us); });
    return wires;
  }

  static void look_at(Wire& wire) {
    std::int64_t total = 0, timed = 0;
    std::size_t rewritten = 0;
    for (std::uint32_t i = 0; i < wire.joined.partner.size(); ++i) {
      if (wire.joined.partner[i] == Alignment::kAlone) continue;
      const CallRecord& call = wire.ledger->records()[wire.joined.partner[i]];
      wire.on_wire = wire.on_wire || call.on_wire;
      rewritten += has_rewritten_form(call.id_type, call.id);
      if (!call.replied.known() || !call.requested.known()) continue;
      total += call.replied.us - call.requested.us;
      ++timed;
    }
    wire.mean_us = timed == 0 ? 0 : total / timed;
    wire.behind_gateway = rewritten >= kFewRewritten;
    for (std::uint32_t i = 0; i < wire.ledger->records().size(); ++i) {
      const CallRecord& call = wire.ledger->records()[i];
      for (const std::uint64_t digest : {call.content, call.structured}) {
        if (digest != 0) wire.by_payload.emplace(digest, i);
      }
    }
  }

  void judge(const Case& seen, FindingSink& findings) const {
    if (session::same_payload(seen.shown, seen.own)) return;  // whatever it says: a server may have written it
    if (seen.shown.gave_up) {
      if (seen.own.answered) tell_given_up(seen, findings);
      return;
    }
    if (seen.shown.content == 0 || (!seen.own.answered && !seen.wire.on_wire)) return;
    const CallRecord* const other = owner_of(seen.wire, seen.shown.content);
    if (other && other->asked != seen.own.asked && other->session == seen.own.session && overlap(seen.own, *other)) tell_foreign(seen, *other, findings);
  }

  // The call that the wire gave a payload to; null where it gave it to none, or to several that asked for different things.
  static const CallRecord* owner_of(const Wire& wire, std::uint64_t payload) {
    const CallRecord* owner = nullptr;
    const auto [from, to] = wire.by_payload.equal_range(payload);
    for (auto at = from; at != to; ++at) {
      const CallRecord& call = wire.ledger->records()[at->second];
      if (owner && owner->asked != call.asked) return nullptr;
      if (!owner || call.requested < owner->requested) owner = &call;
    }
    return owner;
  }

  static bool overlap(const CallRecord& a, const CallRecord& b) {
    return (!b.answered || a.requested <= b.replied) && (!a.answered || b.requested <= a.replied);
  }

  // Where the record shows the payload of this call, other than where it belongs; null: nowhere.
  const CallRecord* slot_of(const Case& seen) const {
    std::size_t looked = 0;
    for (const std::uint64_t digest : {seen.own.content, seen.own.structured}) {
      if (digest == 0 || !owner_of(seen.wire, digest)) continue;
      const auto [from, to] = shown_by_payload_.equal_range(digest);
      for (auto at = from; at != to && looked < kSlots; ++at, ++looked) {
        const std::uint32_t partner = seen.wire.joined.partner[at->second];
        const bool its_own = partner != Alignment::kAlone && session::same_payload(seen.wire.ledger->records()[partner], seen.own);
        if (!its_own) return &record_.records()[at->second];
      }
    }
    return nullptr;
  }

  // What the client said was true when the reply came later; it is a finding where the payload then shows up under a sibling.
  void tell_given_up(const Case& seen, FindingSink& findings) const {
    if (seen.shown.replied.known() && !seen.own.replied.known()) return;  // which of them was earlier nothing tells
    const Alignment& clocks = seen.wire.joined;
    const std::int64_t before = seen.shown.replied.us + clocks.offset_us - seen.own.replied.us;
    const CallRecord* const slot = slot_of(seen);
    if (before < 0 && !slot) return;
    MisroutePicture picture = picture_of(seen, before >= 0 ? Sight::right : Sight::right_but_late);
    picture.complete = picture.complete && (slot || (clocks.clock_calls >= kClockCalls && before > clocks.spread_us));
    picture.reissued = slot && reissued(seen, *slot);
    FindingDraft draft = draft_for(seen);
    blame_stream(seen.own, draft);
    const std::string when = before >= 0 ? fmt::format("{} before", format_duration(before)) : std::string("afterwards");
    const std::string what = fmt::format("it showed {} ({}) as timed out; {} its reply came {}", name_of(seen), seen.shown.id, seen.wire.where(), when);
    draft.fault = fault_of(picture, what);
    const std::string name = name_of(seen);
    draft.picture = {asked(seen.wire, seen.own), {seen.own.replied, '<', fmt::format("the reply of {} (id {}) {}", name, id_of(seen.wire, seen.own), seen.wire.where()), seen.own.reply_at, name, seen.own.request_at}};
    draft.picture.push_back({Time{seen.shown.replied.us + clocks.offset_us}, 'x', fmt::format("the client shows {} as timed out", name), seen.shown.reply_at, name, seen.own.request_at});
    findings.add(std::move(draft));
  }

  void tell_foreign(const Case& seen, const CallRecord& other, FindingSink& findings) const {
    FindingDraft draft = draft_for(seen);
    draft.evidence.push_back({other.reply_at, {}});
    blame_stream(other, draft);
    const std::string owner = seen.wire.ledger->name(other).target;
    draft.fault = fault_of(picture_of({seen.wire, seen.shown, other, seen.sure}, Sight::right),
                           fmt::format("it showed under {} ({}) the payload that {} went to {} (id {})", name_of(seen), seen.shown.id, seen.wire.where(), owner, id_of(seen.wire, other)));
    draft.picture = {asked(seen.wire, seen.own), asked(seen.wire, other)};
    if (draft.picture[1].at < draft.picture[0].at) std::swap(draft.picture[0], draft.picture[1]);
    draft.picture.push_back({other.replied, '<', fmt::format("the reply of {} (id {}) {}; the client shows it under {}", owner, id_of(seen.wire, other), seen.wire.where(), name_of(seen)), other.reply_at, owner,
                             other.request_at, seen.own.request_at});
    findings.add(std::move(draft));
  }

  // The place that this evidence has in the table: a log or a wire behind a gateway says nothing of what reached the client.
  static MisroutePicture picture_of(const Case& seen, Sight on_client_wire) {
    MisroutePicture picture;
    picture.shown = true;
    picture.complete = !seen.wire.ledger->saw_gap() && seen.sure;
    const Sight sight = seen.own.wrong_channel ? Sight::crossed_stream : on_client_wire;
    if (!seen.wire.on_wire) {
      picture.server = ServerRecord::answered;
    } else if (seen.wire.behind_gateway) {
      picture.server_wire = sight;
    } else {
      picture.client_wire = sight;
    }
    return picture;
  }

  // The id of the call that was given up had been used again, for the one that took its reply.
  bool reissued(const Case& seen, const CallRecord& slot) const {
    const std::uint32_t partner = seen.wire.joined.partner[static_cast<std::size_t>(&slot - record_.records().data())];
    if (partner == Alignment::kAlone) return false;
    const CallRecord& later = seen.wire.ledger->records()[partner];
    return later.session == seen.own.session && later.id == seen.own.id && later.requested > seen.own.requested && later.requested <= seen.own.replied;
  }

  // The client's own words for a sure case; the table's where the evidence leaves it open.
  static Fault fault_of(const MisroutePicture& picture, const std::string& what) {
    Fault fault = attribute(picture);
    fault.reason = fault.party == Party::client ? what : fmt::format("{}; {}", what, fault.reason);
    return fault;
  }

  static void blame_stream(const CallRecord& call, FindingDraft& draft) {
    if (!call.wrong_channel) return;
    draft.cause_rule = "wrong-channel-reply";
    draft.cause_id = call.id;
  }

  static StoryLine asked(const Wire& wire, const CallRecord& call) {
    const std::string& name = wire.ledger->name(call).target;
    return {call.requested, '>', fmt::format("{}  id {}", name, id_of(wire, call)), call.request_at, name, call.request_at};
  }

  std::string name_of(const Case& seen) const { return record_.name(seen.shown).target; }
  static std::string id_of(const Wire& wire, const CallRecord& call) { return wire.ledger->call_of(call).id.raw; }

  static FindingDraft draft_for(const Case& seen) {
    FindingDraft draft;
    draft.session = seen.wire.ledger->session(seen.own);
    draft.requestor = Direction::client_to_server;
    draft.call = seen.wire.ledger->call_of(seen.own);
    draft.at = seen.own.requested;
    draft.evidence = {{seen.own.request_at, {}}, {seen.own.reply_at, {}}, {seen.shown.reply_at, {}}};
    return draft;
  }

  ShownSwaps alone_;
  CallLedger record_{kCalls, CallLedger::Echoes::left_out};
  std::unordered_multimap<std::uint64_t, std::uint32_t> shown_by_payload_;
  std::map<std::uint32_t, CallLedger> wires_;   // by input
  bool one_input_;
  std::size_t wire_calls_ = 0;
};

}  // namespace

extern const DetectorEntry kClientMisattribution{"client_misattribution",
                                                 event_bit(EventKind::request) | event_bit(EventKind::reply) | event_bit(EventKind::call_closed) | event_bit(EventKind::gap) |
                                                     event_bit(EventKind::outcome), {},
                                                 model::made<ClientMisattribution>};

}  // namespace mcpscan::engine
