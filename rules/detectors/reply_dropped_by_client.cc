// Valid replies that their client did not take: it says that it waited for no such reply right after the reply came, or it gives the call
// up long after it. Which of client and what stands between dropped it, only the client's own record proves.
// Not told: replies that came on a stream or with an id where the client may not look; later copies of an answered reply.
// Source: JSON-RPC 2.0 section 5; protocol notes D.1.
#include <fmt/format.h>

#include "engine/call_picture.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class ReplyDroppedByClient : public Detector {
 public:
  explicit ReplyDroppedByClient(const Parameters& parameters) : margin_us_(duration_parameter(parameters, "margin_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const Call* call = event.other;
    if (!call || event.call || call->requestor != Direction::client_to_server || call->closed != CloseReason::answered || call->collided) return;
    if (event.kind == EventKind::timeout) return on_given_up(event, *call, findings);
    if (event.observation->notice->kind != NoticeKind::unknown_reply_id || call->untaken != Untaken::rejected) return;
    tell(event, *call, {Party::client, Certainty::proven, {}, "it refused the reply to its own request as one that it did not wait for"}, findings);
  }

 private:
  void on_given_up(const TimelineEvent& event, const Call& call, FindingSink& findings) const {
    if (call.untaken != Untaken::no || !call.replied_at.known() || !event.at.known()) return;
    const std::int64_t after = event.at.us - call.replied_at.us;
    if (after < margin_us_) return;
    tell(event, call, {Party::client, Certainty::weak, {"gateway"}, fmt::format("it gave the call up {} after its reply had passed here; a hop between may have held the reply back", format_duration(after))},
         findings);
  }

  static void tell(const TimelineEvent& event, const Call& call, Fault fault, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.requestor = Direction::client_to_server;
    draft.call = finding_call(call);
    draft.at = event.at;
    draft.fault = std::move(fault);
    draft.evidence = {evidence_of(call), {call.reply_source, {}}, evidence_of(event)};
    draft.picture.push_back({call.replied_at, '<', fmt::format("the reply of {} (id {})", call_name(call.method, call.target), call.id.raw), call.reply_source});
    draft.picture.push_back({event.at, 'x', "the client does not take it", event.source});
    findings.add(std::move(draft));
  }

  std::int64_t margin_us_;
};

}  // namespace

extern const DetectorEntry kReplyDroppedByClient{"reply_dropped_by_client", event_bits(EventKind::notice, EventKind::timeout), {"margin_s"}, made<ReplyDroppedByClient>};

}  // namespace mcpscan::engine
