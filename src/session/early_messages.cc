// Messages that came before the request they are about: held until it has come too, or waited long enough.
#include "model/opposite.h"
#include "session/session_tracker.h"

namespace mcpscan::session {

using model::Call;
using model::Direction;
using model::Exchange;
using model::MessageKind;
using model::Observation;
using model::RpcMessage;
using model::StreamKind;

// What comes on the stream of the 2024-11-05 transport, and what a client answers or cancels, comes on another connection than its request, whose
// bytes may be held back behind a hole meanwhile.
bool SessionTracker::may_be_early(const Observation& seen, bool of_client) const {
  const bool elsewhere = of_client || seen.stream == StreamKind::legacy_sse;
  return !settling_ && options_.wire && elsewhere && seen.source.kind == model::PlaceKind::packet && seen.at.known();
}

// Shows what is held whose request has come, or that waited long enough; all of it where nothing comes `next`.
void SessionTracker::settle_held(const Observation* next) {
  const auto due = [&](const Observation& seen, std::uint32_t session) {
    const Exchange* const exchange = exchanges_.find(seen.exchange);
    if (exchange && exchange->session != kNoSession) session = exchange->session;  // a session that is named now
    if (!next || !sessions_.alive(session) || now_.us - seen.at.us > 3 * limits_.reorder_us) return true;  // one hole is told after the other
    const RpcMessage& message = *seen.message;
    const bool notifies = message.kind == MessageKind::notification;  // SDKs take a request's id for its progress token
    const Direction requestor = message.method == "notifications/cancelled" ? seen.direction : opposite(seen.direction);
    const Call* const call = calls_.newest_open(session, requestor, notifies ? message.related : message.id);
    return call != nullptr && call->requested_at.us <= seen.at.us + kReorderedUs;
  };
  settling_ = true;
  held_.release(due, [&](const Observation& seen, std::uint32_t session) {
    Exchange* const exchange = exchange_of(seen);
    if (exchange) session = session_of(seen, exchange).session.index;
    if (!sessions_.alive(session)) return on_reply(seen, nullptr, opposite(seen.direction));
    Exchange over;  // what is still known of one that has ended meanwhile
    over.id = seen.exchange, over.session = session, over.stream = seen.stream;
    over.method = seen.stream == StreamKind::legacy_sse ? "GET" : "POST";
    Exchange* const carrier = exchange ? exchange : &over;
    if (seen.message->kind == MessageKind::notification) return on_notification(seen, sessions_.at(session), carrier, seen.direction);
    judge_reply(seen, sessions_.at(session), carrier, opposite(seen.direction));
  });
  settling_ = false;
}

}  // namespace mcpscan::session
