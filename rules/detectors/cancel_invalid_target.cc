// Cancels that nobody can obey: of a request that was never sent in that direction, of one that was answered well before, or of initialize.
// A cancel that crosses the reply on the wire is legal.
// Source: MCP 2025-11-25 "Cancellation", behaviour requirements; protocol notes CA01 LC08.
#include <fmt/format.h>

#include "engine/held_drafts.h"
#include "model/detector.h"
#include "session/id_ledger.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class CancelInvalidTarget : public Detector {
 public:
  explicit CancelInvalidTarget(const Parameters& parameters) : margin_us_(duration_parameter(parameters, "margin_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) {
      for (FindingDraft& draft : held_.take(event.session->index)) {
        if (!session::is_among(event.session->unseen_of(draft.requestor), draft.call->id.view())) findings.add(std::move(draft));
      }
      return;
    }
    const RpcMessage* message = event.observation->message;
    if (!message || message->method != "notifications/cancelled" || !event.session) return;
    const std::string reason = fault_of(event, *message);
    if (reason.empty()) return;
    FindingDraft draft;
    draft.session = event.session->label;
    const bool by_client = event.observation->direction != Direction::server_to_client;
    draft.requestor = by_client ? Direction::client_to_server : Direction::server_to_client;
    draft.at = event.at;
    draft.fault = {by_client ? Party::client : Party::server, Certainty::strong, {}, reason};
    // It waited for what never came by here: a hop before this one may have kept the request.
    if (event.kind == EventKind::timeout && !event.call && !event.other) draft.fault.certainty = Certainty::weak;
    if (const Call* call = event.call ? event.call : event.other) draft.call = finding_call(*call);
    else draft.call = FindingCall{OwnedId(message->related), {}, {}, {}, {}};
    draft.evidence.push_back(evidence_of(event));
    // What it says was never sent may have been, on a connection that the capture lacks.
    const bool unknown_target = !event.call && !event.other && message->related.present();
    if (!unknown_target || !event.session->on_wire) return findings.add(std::move(draft));
    HeldDrafts::Waiting(held_, event.session->index, findings).add(std::move(draft));
  }

 private:
  std::string fault_of(const TimelineEvent& event, const RpcMessage& message) const {
    if (event.call) return event.call->method == kInitialize ? "it cancelled initialize, which must not be cancelled" : "";
    if (!message.related.present()) return "it cancelled without naming a request";
    const Session& session = *event.session;
    if (!event.other) {
      const bool whole = session.initialize_seen && !session.had_gap && !session.damaged && !session.mixed && !session.stateless && !event.modern;
      return whole ? fmt::format("it cancelled the request {}, which it had never sent", message.related.raw) : std::string();
    }
    const Call& over = *event.other;
    if (event.kind == EventKind::timeout && !over.collided) return {};  // it says that the reply did not reach it: reply-dropped-by-client tells
    if (over.closed != CloseReason::answered || over.untaken != Untaken::no || !over.replied_at.known() || !event.at.known()) return {};
    const std::int64_t after = event.at.us - over.replied_at.us;
    return after >= margin_us_ ? fmt::format("it cancelled a request {} after its reply", format_duration(after)) : std::string();
  }

  std::int64_t margin_us_;
  HeldDrafts held_;
};

}  // namespace

extern const DetectorEntry kCancelInvalidTarget{"cancel_invalid_target", event_bits(EventKind::cancel, EventKind::timeout, EventKind::session_finished), {"margin_s"}, made<CancelInvalidTarget>};

}  // namespace mcpscan::engine
