// A call given up, sent again with another id, and both carried out: the late reply of the first and an answer to the second. Harmless for
// tools that only read; else something was done twice. Not told for retries that a refusal or a reset explains.
// Source: protocol notes TM07; MCP 2025-11-25 "Tools", idempotentHint.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "engine/by_session.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kFollowed = 4096;  // given-up calls of a session followed
constexpr std::size_t kRecentIds = 32;

struct Twice {
  FindingCall first;
  Evidence first_seen, again_seen;
  FindingCall again;
  bool repeated = false, first_done = false, again_done = false, told = false;
};

class DoubleExecution : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) {
      seen_.erase(event.session->index);
      return;
    }
    if (!event.call || event.call->requestor != Direction::client_to_server) return;
    if (event.kind == EventKind::request && !event.session->ids_tell()) seen_[event.session->index].note_id(*event.call);
    if (event.call->method != kToolsCall || event.session->mixed) return;  // mixed: another client may have asked the same
    switch (event.kind) {
      case EventKind::timeout: return given_up(event);
      case EventKind::request: return sent(event);
      case EventKind::reply: return answered(event, findings);
      default: return;
    }
  }

 private:
  struct Followed {
    std::unordered_map<std::uint64_t, Twice> calls;  // by digest of tool and parameters
    std::array<std::uint64_t, kRecentIds> recent{};  // hashes of the newest ids, where there is no session
    std::size_t next = 0;
    bool several = false;                            // clients: one that counts does not come back to an id

    void note_id(const Call& call) {
      const std::uint64_t id = hash_combine(hash_bytes(call.id.value), static_cast<std::uint64_t>(call.id.type));
      several = several || std::find(recent.begin(), recent.end(), id) != recent.end();
      recent[next++ % recent.size()] = id;
    }
  };

  static std::uint64_t key_of(const Call& call) { return hash_combine(hash_bytes(call.target), call.arguments_digest); }

  void given_up(const TimelineEvent& event) {
    Followed& followed = seen_[event.session->index];
    if (event.call->arguments_digest == 0 || followed.calls.size() >= kFollowed) return;
    Twice& twice = followed.calls[key_of(*event.call)];
    if (twice.repeated) return;
    twice.first = finding_call(*event.call);
    twice.first_seen = evidence_of(*event.call);
  }

  void sent(const TimelineEvent& event) {
    Twice* twice = find(event);
    if (!twice || twice->repeated || twice->first.id.view() == event.call->id.view()) return;
    twice->repeated = true;
    twice->again = finding_call(*event.call);
    twice->again_seen = evidence_of(event);
  }

  void answered(const TimelineEvent& event, FindingSink& findings) {
    Twice* twice = find(event);
    if (!twice || event.observation->message->kind != MessageKind::result || seen_.find(event.session->index)->several) return;
    if (event.call->id.view() == twice->first.id.view()) twice->first_done = event.verdict == ReplyVerdict::late;
    if (twice->repeated && event.call->id.view() == twice->again.id.view()) twice->again_done = true;
    if (twice->told || !twice->first_done || !twice->again_done) return;
    twice->told = true;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.discriminator = event.call->target;
    draft.call = twice->again;
    draft.at = event.at;
    draft.fault = {Party::client, event.session->ids_tell() ? Certainty::strong : Certainty::weak, {}, "it sent a call again that it had given up, and the server carried out both"};
    draft.evidence = {twice->first_seen, twice->again_seen, evidence_of(event)};
    draft.cause_rule = "client-timeout";
    findings.add(std::move(draft));
  }

  Twice* find(const TimelineEvent& event) {
    Followed* const followed = seen_.find(event.session->index);
    if (!followed) return nullptr;
    const auto found = followed->calls.find(key_of(*event.call));
    return found == followed->calls.end() ? nullptr : &found->second;
  }

  BySession<Followed> seen_;
};

}  // namespace

extern const DetectorEntry kDoubleExecution{"double_execution",
                                            event_bit(EventKind::timeout) | event_bit(EventKind::request) | event_bit(EventKind::reply) | event_bit(EventKind::session_finished),
                                            {},
                                            [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<DoubleExecution>(); }};

}  // namespace mcpscan::engine
