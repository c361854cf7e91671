// Calls of a client's own record that were never sent: the record has them, and a whole recording of the wire has not. Told only where other calls
// of the record stand on the wire before and after, so that wire and record are witnesses of the same traffic and the wire was being recorded.
// Source: docs/architecture.md "Absence needs presence"; protocol notes part C.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kCalls = 50000;              // of each side
constexpr std::size_t kFewestMet = 3;              // calls that record and wire have in common
constexpr std::int64_t kFarthestUs = 10 * kMinute; // skew of clocks that are still the same traffic

class NeverTransmitted : public Detector {
 public:
  // A run of one input has no wire beside the record: nothing is kept then.
  explicit NeverTransmitted(const Parameters& parameters) : one_input_(one_input(parameters)) {}

  std::uint32_t wants() const override { return one_input_ ? 0 : ~0u; }

  void on_event(const TimelineEvent& event, FindingSink&) override {
    if (event.kind == EventKind::outcome) return note_outcome(event);
    if (event.kind == EventKind::gap) return void(holes_ = true);
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    const bool call = message && event.call && event.call->method == kToolsCall && event.call->requestor == Direction::client_to_server;
    if (!call || !event.session->on_wire || message->arguments_digest == 0 || sent_count_ >= kCalls) return;
    ++sent_count_;
    sent_[hash_combine(hash_bytes(event.call->target), message->arguments_digest)].push_back(event.at);
  }

  void finish(FindingSink& findings) override {
    if (holes_ || sent_count_ >= kCalls || made_.size() >= kCalls) return;
    Time first, last;
    std::size_t met = 0;
    for (Made& made : made_) {
      made.sent = is_sent(made);
      if (!made.sent) continue;
      ++met;
      if (!first.known() || made.at < first) first = made.at;
      if (!last.known() || made.at > last) last = made.at;
    }
    for (const Made& made : made_) {
      const bool between = met >= kFewestMet && made.at > first && made.at < last;
      if (!made.sent && between) tell(made, met, findings);
    }
  }

 private:
  struct Made {
    std::string client_id, tool, conversation;
    std::uint64_t key = 0;
    Time at;
    Evidence evidence;
    bool sent = false;
  };

  void note_outcome(const TimelineEvent& event) {
    const OutcomeFacts& facts = *event.observation->outcome;
    const Time at = facts.started.known() ? facts.started : event.at;
    if (facts.stopped) return;  // maybe before it was sent
    if (facts.is_start || facts.not_sent || facts.tool.empty() || facts.arguments_digest == 0 || !at.known() || made_.size() >= kCalls) return;
    made_.push_back({std::string(facts.call), std::string(facts.tool), std::string(facts.conversation), hash_combine(hash_bytes(facts.tool), facts.arguments_digest), at, evidence_of(event), false});
  }

  bool is_sent(const Made& made) const {
    const auto sent = sent_.find(made.key);
    return sent != sent_.end() && std::any_of(sent->second.begin(), sent->second.end(), [&](Time at) { return std::abs(at.us - made.at.us) <= kFarthestUs; });
  }

  static void tell(const Made& made, std::size_t met, FindingSink& findings) {
    FindingDraft draft;
    draft.discriminator = made.client_id;
    draft.requestor = Direction::client_to_server;
    draft.call = FindingCall{{}, "tools/call", made.tool, made.at, {}};
    draft.at = made.at;
    draft.fault = {Party::client, Certainty::strong, {}, fmt::format("its record has the call {} of {}, and the wire, which has {} other calls of the record around it, has not", made.client_id, made.tool, met)};
    draft.evidence.push_back(made.evidence);
    findings.add(std::move(draft));
  }

  std::unordered_map<std::uint64_t, std::vector<Time>> sent_;  // by tool and arguments
  std::vector<Made> made_;
  bool one_input_;
  std::size_t sent_count_ = 0;
  bool holes_ = false;
};

}  // namespace

extern const DetectorEntry kNeverTransmitted{"never_transmitted", event_bits(EventKind::request, EventKind::outcome, EventKind::gap), {}, model::made<NeverTransmitted>};

}  // namespace mcpscan::engine
