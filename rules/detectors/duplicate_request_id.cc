// Ids used again by one requestor of one session: concurrently (an earlier call waits), sequentially, or, in a log that shows no replies,
// either of them.
// Source: MCP 2025-11-25 base protocol "Requests"; 2026-07-28 allows reuse once the id is free again.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/call_picture.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class DuplicateRequestId : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    switch (event.kind) {
      case EventKind::request: return on_request(event, findings);
      case EventKind::reply: return on_reply(event, findings);
      case EventKind::timeout:
      case EventKind::cancel: return event.call && event.call->collided ? tell_held(event.session->label, findings) : void();
      default: break;
    }
    if (event.call->closed != CloseReason::overwritten) return;
    tell_held(event.session->label, findings);
    raise_level(event, findings);
  }

  void finish(FindingSink& findings) override {
    for (FindingDraft& draft : held_) findings.add(as_unseen(std::move(draft)));
    held_.clear();
  }

 private:
  static constexpr std::size_t kHeld = 4096;

  // A log that shows replies shows by their absence that calls wait.
  void on_reply(const TimelineEvent& event, FindingSink& findings) {
    if (replies_shown_ || event.observation->of_access_line) return;
    replies_shown_ = true;
    for (FindingDraft& draft : held_) findings.add(std::move(draft));
    held_.clear();
  }

  // That a call of this session waited is known now: it was given up, or its reply came to nobody.
  void tell_held(const std::string& session, FindingSink& findings) {
    const auto others = std::stable_partition(held_.begin(), held_.end(), [&](const FindingDraft& draft) { return draft.session != session; });
    for (auto draft = others; draft != held_.end(); ++draft) findings.add(std::move(*draft));
    held_.erase(others, held_.end());
  }

  static FindingDraft as_unseen(FindingDraft draft, std::string_view where = "no replies are shown") {
    draft.detail = "several";
    if (draft.level == Level::high) draft.level = Level::medium;
    draft.fault.contributing.clear();
    draft.fault.reason = fmt::format("it used an id again; whether the call before was still waiting cannot be seen where {}", where);
    draft.picture.clear();
    return draft;
  }

  // Nothing names a session, and no handshake says that one client is alone in the log: two that count from 1 each would look the same.
  static bool may_be_several(const Session& session) {
    return session.keyed_by == SessionKeying::source && !session.initialize_seen && !session.on_wire && session.transport != "stdio";
  }

  void on_request(const TimelineEvent& event, FindingSink& findings) {
    if (event.retransmitted || !findings.takes()) return;
    const bool concurrent = event.other != nullptr;
    if (!concurrent && (!event.used_before || event.modern)) return;
    const Call& call = *event.call;
    FindingDraft draft;
    draft.detail = concurrent ? "concurrent" : "sequential";
    draft.session = event.session->label;
    draft.requestor = call.requestor;
    const bool several = may_be_several(*event.session);
    const bool own_ids = event.session->mixed || (several && !concurrent);  // of several clients each may have its ids
    draft.level = own_ids ? Level::informational : concurrent ? Level::high : Level::low;
    draft.call = finding_call(call);
    draft.at = event.at;
    const bool by_client = call.requestor == Direction::client_to_server;
    draft.fault = {by_client ? Party::client : Party::server, event.session->mixed || several ? Certainty::weak : Certainty::proven, {}, {}};
    draft.fault.reason = concurrent ? "it sent a request with an id that one of its own requests in flight had already"
                                    : "it used an id again that it had used in this session";
    if (several) draft.fault.reason += "; the log names no session: two clients that each count their own ids look the same";
    if (!concurrent) draft.cause_rule = "duplicate-request-id", draft.cause_id = call.id.value;  // the same habit, where it also collided
    if (!concurrent && event.session->untimed) return findings.add(as_unseen(std::move(draft), "nothing tells when replies came"));
    if (concurrent) {
      draft.fault.contributing.push_back(by_client ? "server" : "client");
      draft.evidence.push_back(evidence_of(*event.other));
      draw(*event.other, event, draft);
    }
    draft.evidence.push_back(evidence_of(event));
    const bool replies_shown = replies_shown_ || event.session->counts.replies > 0;
    const bool waited = !concurrent || replies_shown || event.session->on_wire || event.exchange || event.observation->of_access_line;
    if (waited) return findings.add(std::move(draft));
    held_.size() < kHeld ? held_.push_back(std::move(draft)) : findings.add(as_unseen(std::move(draft)));
  }

  static void draw(const Call& earlier, const TimelineEvent& event, FindingDraft& draft) {
    const Call& later = *event.call;
    const std::string first = call_name(earlier.method, earlier.target), second = call_name(later.method, later.target);
    draft.picture.push_back({earlier.requested_at, '>', fmt::format("{}  id {}", first, earlier.id.raw), earlier.source, first, earlier.source});
    draft.picture.push_back({later.requested_at, '>', fmt::format("{}  id {}  takes over stream {}", second, later.id.raw, later.id.value), event.source, second, later.source});
  }

  // A reply had nowhere to go because its stream had been taken over: replies crossed.
  static void raise_level(const TimelineEvent& event, FindingSink& findings) {
    FindingDraft draft;
    draft.detail = "concurrent";
    draft.session = event.session->label;
    draft.requestor = event.call->requestor;
    draft.level = Level::critical;
    draft.count = 0;
    findings.add(std::move(draft));
  }

  std::vector<FindingDraft> held_;  // concurrent, if the calls before them waited: nothing has shown so far that the log shows replies
  bool replies_shown_ = false;
};

}  // namespace

extern const DetectorEntry kDuplicateRequestId{"duplicate_request_id", event_bits(EventKind::request, EventKind::reply, EventKind::timeout, EventKind::cancel, EventKind::call_closed), {},
                                               [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<DuplicateRequestId>(); }};

}  // namespace mcpscan::engine
