// Sessions whose client never said that it is ready. Told at a session's end, so that a notification that overtakes another message on a
// second connection is seen; only where the evidence shows notifications at all, and no capture lacks whole connections: a pool of several
// sessions may have said it on one of those.
// Source: MCP 2025-11-25 Lifecycle "Initialization": after success the client must send notifications/initialized; protocol notes LC03.
#include <set>
#include <string>
#include <vector>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class Handshake : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const Session& session = *event.session;
    if (event.kind == EventKind::notification) return note(event);
    const bool begins_unseen = session.on_wire && !session.id.empty() && !session.initialize_seen;
    lacks_connections_ = lacks_connections_ || begins_unseen || session.lacks_requests();
    const bool complete = session.initialize_seen && session.initialize_answered && !session.had_gap && !session.damaged && !session.lacks_requests() && !session.mixed && !session.modern;
    const bool shows_notifications = session.on_wire || session.counts.notifications > 0;
    const bool went_on = session.counts.requests > 1;
    if (!complete || !shows_notifications || !went_on || session.initialized_seen || session.stateless || elsewhere_.contains(session.id)) return;
    FindingDraft draft;
    draft.session = session.label;
    draft.requestor = Direction::client_to_server;
    draft.at = session.first;
    draft.fault = {Party::client, Certainty::strong, {}, "it sent requests after the answer to initialize and never notifications/initialized"};
    draft.evidence.push_back(evidence_of(event));
    if (!session.on_wire) return findings.add(std::move(draft));
    if (findings.takes() && unready_.size() < kUnready) unready_.push_back(std::move(draft));
  }

  void finish(FindingSink& findings) override {
    for (FindingDraft& draft : unready_) {
      if (!lacks_connections_) findings.add(std::move(draft));
    }
    unready_.clear();
  }

 private:
  static constexpr std::size_t kUnready = 4096;
  static constexpr std::size_t kElsewhere = 1024;

  // A load balancer may bring it to another server than the initialize: the client has said it.
  void note(const TimelineEvent& event) {
    const Session& session = *event.session;
    const bool stray = event.observation->message->method == "notifications/initialized" && !session.initialize_seen && !session.id.empty();
    if (stray && elsewhere_.size() < kElsewhere) elsewhere_.insert(session.id);
  }

  std::set<std::string> elsewhere_;  // ids of sessions
  std::vector<FindingDraft> unready_;
  bool lacks_connections_ = false;
};

}  // namespace

extern const DetectorEntry kHandshake{"handshake", event_bits(EventKind::session_finished, EventKind::notification), {}, made<Handshake>};

}  // namespace mcpscan::engine
