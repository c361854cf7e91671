// The client's own record laid beside the wire: a call shown as timed out whose reply was on the wire, and a payload shown under another
// call than the one that the wire gave it to. Calls are matched by tool and arguments, payloads by their digest; the clocks' offset is
// taken from the matched starts. Both calls of a pair count. A payload that the wire gave to several calls proves nothing, nor does one
// that it gave to the same call asked again.
// Source: protocol notes part C, H1 and H4; docs/architecture.md "Name the first divergence".
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "base/hash.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kCalls = 50000;                  // of each side; the oldest go first
constexpr std::int64_t kFarthestUs = 10 * kMinute;     // skew of clocks that are still the same incident
constexpr std::size_t kNone = SIZE_MAX;

struct WireCall {
  std::uint64_t key = 0, content = 0, structured = 0;  // digest of tool and arguments; of what was answered
  std::string session;
  FindingCall call;
  Evidence request;
  SourceRef reply;
  bool taken = false;   // by a call of the record
  bool on_wire = false; // a reply that is not there did not come
};

// Which call the wire gave a payload to.
struct Given {
  std::size_t call = kNone;
  bool to_several = false;
};

struct Shown {
  std::uint64_t key = 0, digest = 0;
  std::string client_id, tool;
  Time started, at;
  bool gave_up = false;
  Evidence evidence;
  std::size_t wire = kNone;
};

class ClientMisattribution : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink&) override {
    if (event.kind == EventKind::outcome) return note_outcome(event);
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    if (!event.call || !message || event.call->method != "tools/call" || event.call->requestor != Direction::client_to_server) return;
    const std::uint64_t handle = (static_cast<std::uint64_t>(event.call->source.input) << 32) | event.call->handle;
    if (event.kind == EventKind::request) return note_request(event, *message, handle);
    const auto found = open_.find(handle);
    if (found == open_.end() || event.verdict == ReplyVerdict::duplicate || event.verdict == ReplyVerdict::redelivery) return;
    WireCall& wire = wire_[found->second];
    wire.content = message->content_digest;
    wire.structured = message->structured_digest;
    wire.call.replied_at = event.at;
    wire.reply = event.source;
    open_.erase(found);
  }

  void finish(FindingSink& findings) override {
    if (shown_.empty() || wire_.empty()) return;
    const std::int64_t offset = match();
    for (std::size_t i = 0; i < wire_.size(); ++i) {
      note_given(wire_[i].content, i);
      if (wire_[i].structured != wire_[i].content) note_given(wire_[i].structured, i);
    }
    for (const Shown& shown : shown_) {
      if (shown.wire != kNone) judge(shown, offset, findings);
    }
  }

 private:
  void note_request(const TimelineEvent& event, const RpcMessage& message, std::uint64_t handle) {
    if (message.arguments_digest == 0 || wire_.size() >= kCalls) return;
    WireCall& wire = wire_.emplace_back();
    wire.key = hash_combine(hash_bytes(event.call->target), message.arguments_digest);
    wire.session = event.session->label;
    wire.call = finding_call(*event.call);
    wire.request = evidence_of(event);
    wire.on_wire = event.session->on_wire;
    open_[handle] = wire_.size() - 1;
  }

  void note_outcome(const TimelineEvent& event) {
    const OutcomeFacts& facts = *event.observation->outcome;
    if (facts.is_start || facts.tool.empty() || facts.arguments_digest == 0 || facts.not_sent || facts.replaced || shown_.size() >= kCalls) return;
    Shown& shown = shown_.emplace_back();
    shown.key = hash_combine(hash_bytes(facts.tool), facts.arguments_digest);
    shown.digest = facts.digest;
    shown.client_id = facts.call;
    shown.tool = facts.tool;
    shown.started = facts.started;
    shown.at = event.at;
    shown.gave_up = facts.timed_out || facts.no_answer;
    shown.evidence = evidence_of(event);
  }

  // Each call of the record to the nearest one on the wire with its tool and arguments; the median distance is the clocks' offset.
  std::int64_t match() {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_key;
    for (std::size_t i = 0; i < wire_.size(); ++i) by_key[wire_[i].key].push_back(i);
    std::vector<std::int64_t> offsets;
    for (Shown& shown : shown_) {
      const auto found = by_key.find(shown.key);
      if (found == by_key.end()) continue;
      shown.wire = nearest(shown, found->second);
      if (shown.wire == kNone) continue;
      wire_[shown.wire].taken = true;
      offsets.push_back(shown.started.us - wire_[shown.wire].call.requested_at.us);
    }
    if (offsets.empty()) return 0;
    std::nth_element(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(offsets.size() / 2), offsets.end());
    return offsets[offsets.size() / 2];
  }

  std::size_t nearest(const Shown& shown, const std::vector<std::size_t>& candidates) const {
    std::size_t best = kNone;
    std::int64_t best_distance = kFarthestUs;
    for (const std::size_t i : candidates) {
      const Time asked = wire_[i].call.requested_at;
      if (wire_[i].taken || !asked.known() || !shown.started.known()) continue;
      const std::int64_t distance = std::abs(shown.started.us - asked.us);
      if (distance < best_distance) best = i, best_distance = distance;
    }
    return best;
  }

  static bool equals(const WireCall& wire, std::uint64_t digest) { return digest != 0 && (wire.content == digest || wire.structured == digest); }

  void judge(const Shown& shown, std::int64_t offset, FindingSink& findings) const {
    const WireCall& own = wire_[shown.wire];
    const bool answered = own.call.replied_at.known();
    if (shown.gave_up) {
      if (answered) tell_given_up(shown, own, offset, findings);
      return;
    }
    if (shown.digest == 0 || equals(own, shown.digest) || (!answered && !own.on_wire)) return;
    const auto given = given_.find(shown.digest);
    if (given == given_.end() || given->second.to_several) return;
    const WireCall& other = wire_[given->second.call];
    if (other.key != own.key && other.session == own.session && overlap(own, other)) tell_foreign(shown, own, other, findings);
  }

  void note_given(std::uint64_t digest, std::size_t call) {
    if (digest == 0) return;
    Given& given = given_.try_emplace(digest, Given{call, false}).first->second;
    given.to_several = given.to_several || wire_[given.call].key != wire_[call].key;
  }

  static bool overlap(const WireCall& a, const WireCall& b) {
    const Time end_a = a.call.replied_at, end_b = b.call.replied_at;
    return (!end_b.known() || a.call.requested_at <= end_b) && (!end_a.known() || b.call.requested_at <= end_a);
  }

  static FindingDraft draft_for(const Shown& shown, const WireCall& own) {
    FindingDraft draft;
    draft.session = own.session;
    draft.requestor = Direction::client_to_server;
    draft.call = own.call;
    draft.at = own.call.requested_at;
    draft.evidence = {own.request, {own.reply, {}}, shown.evidence};
    return draft;
  }

  // What the client said was true when the reply came later; it is a finding where the payload then shows up under a sibling.
  void tell_given_up(const Shown& shown, const WireCall& own, std::int64_t offset, FindingSink& findings) const {
    const bool there_before = own.call.replied_at.us + offset <= shown.at.us;
    const bool shown_elsewhere = std::any_of(shown_.begin(), shown_.end(), [&](const Shown& other) { return &other != &shown && !other.gave_up && equals(own, other.digest); });
    if (!there_before && !shown_elsewhere) return;
    FindingDraft draft = draft_for(shown, own);
    const std::string when = there_before ? fmt::format("{} before", format_duration(shown.at.us - offset - own.call.replied_at.us)) : std::string("afterwards");
    draft.fault = {Party::client, Certainty::proven, {}, fmt::format("it showed {} ({}) as timed out; on the wire its reply came {}", shown.tool, shown.client_id, when)};
    draft.picture = {asked(own), {own.call.replied_at, '<', fmt::format("the reply of {} (id {}) on the wire", shown.tool, own.call.id.raw), own.reply, own.call.tool, own.request.source}};
    draft.picture.push_back({Time{shown.at.us - offset}, 'x', fmt::format("the client shows {} as timed out", shown.tool), shown.evidence.source, own.call.tool, own.request.source});
    findings.add(std::move(draft));
  }

  static void tell_foreign(const Shown& shown, const WireCall& own, const WireCall& other, FindingSink& findings) {
    FindingDraft draft = draft_for(shown, own);
    draft.evidence.push_back({other.reply, {}});
    draft.fault = {Party::client, Certainty::proven, {}, fmt::format("it showed under {} ({}) the payload that the wire gave to {} (id {})", shown.tool, shown.client_id,
                                                                    other.call.tool, other.call.id.raw)};
    draft.picture = {asked(own), asked(other)};
    if (asked(other).at < asked(own).at) std::swap(draft.picture[0], draft.picture[1]);
    draft.picture.push_back({other.call.replied_at, '<', fmt::format("the reply of {} (id {}) on the wire; the client shows it under {}", other.call.tool, other.call.id.raw, shown.tool), other.reply,
                             other.call.tool, other.request.source, own.request.source});
    findings.add(std::move(draft));
  }

  static StoryLine asked(const WireCall& wire) {
    return {wire.call.requested_at, '>', fmt::format("{}  id {}", wire.call.tool, wire.call.id.raw), wire.request.source, wire.call.tool, wire.request.source};
  }

  std::deque<WireCall> wire_;
  std::deque<Shown> shown_;
  std::unordered_map<std::uint64_t, std::size_t> open_;
  std::unordered_map<std::uint64_t, Given> given_;
};

}  // namespace

extern const DetectorEntry kClientMisattribution{"client_misattribution", event_bit(EventKind::request) | event_bit(EventKind::reply) | event_bit(EventKind::outcome), {},
                                                 [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<ClientMisattribution>(); }};

}  // namespace mcpscan::engine
