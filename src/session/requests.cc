// Messages: which way they go, requests and notifications.
#include <algorithm>

#include "model/opposite.h"
#include "session/session_tracker.h"
#include "session/timeout_words.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::Direction;
using model::EventKind;
using model::Exchange;
using model::IdType;
using model::MessageKind;
using model::Observation;
using model::RpcMessage;

namespace {

constexpr std::size_t kRecentMessages = 16;
constexpr std::int64_t kWrittenTwiceUs = 50 * kMillisecond;  // two handlers of one process write within this
constexpr std::int64_t kSeenTwiceUs = 2 * kSecond;  // a proxy and the server behind it write of one request within this
constexpr std::int64_t kBegunTwiceUs = kSecond;
constexpr std::int64_t kCancelFollowsUs = kSecond;
constexpr std::size_t kPeers = 65536;
constexpr std::int64_t kRetryWithinUs = 10 * kSecond;        // transports send again at once or after a short pause

bool is_client_notification(std::string_view method) {
  return method == "notifications/initialized" || method == "notifications/cancelled" || method == "notifications/roots/list_changed";
}

std::size_t side(Direction requestor) { return requestor == Direction::server_to_client ? 1 : 0; }

// On a stream that was resumed a request comes again, since its client may not have got it. By the event's id alone a server that numbers the events
// of each stream apart would look so, too. Null: this is another one.
Call* delivered_before(const RpcMessage& message, CallTable& calls, std::uint32_t session, Direction requestor) {
  Call* before = calls.newest_open(session, requestor, message.id);
  if (!before) before = calls.newest_finished(session, requestor, message.id);
  return before && before->method == message.method && before->params_digest == message.digest ? before : nullptr;
}

// Clients of a server without sessions count alike, and most wait for as long: of their calls under one id the first is given up first.
Call* open_for_cancel(CallTable& calls, const model::Session& session, Direction requestor, const model::RpcId& id) {
  if (session.ids_tell()) return calls.newest_open(session.index, requestor, id);
  Call* first = nullptr;
  calls.each_open_by_value(requestor, id.value, [&](Call& call) {
    if (call.session == session.index && call.id.type == id.type) first = &call;
    return true;
  });
  return first;
}

// When the exchange was over whose access line tells this request.
Time line_over_at(const Observation& seen) { return seen.at.known() && seen.http ? Time{seen.at.us + std::max<std::int64_t>(seen.http->duration_us, 0)} : Time{}; }

// A call that is over collides with none. A time without a fraction was cut to the second: the exchange may have begun and ended up to a second later
// than its line tells, when the one before was over.
bool may_be_over(const Call& waiting, const Observation& seen) {
  if (waiting.maybe_answered) return true;
  if (!waiting.of_access_line || !seen.of_access_line || !waiting.stream_ended_at.known() || !line_over_at(seen).known()) return false;
  return line_over_at(seen).us % kSecond == 0 && seen.at.us + kSecond > waiting.stream_ended_at.us;
}

// Of several clients whose requests name no session each may have a call of this id, until more calls have it than there are clients.
bool may_be_one_each(CallTable& calls, SessionTable& sessions, const model::Session& shared, const Call& waiting) {
  if (!shared.mixed) return false;
  std::size_t holders = 1, clients = 0;
  calls.each_open_by_value(waiting.requestor, waiting.id.value, [&](const Call& call) { return holders += call.session == waiting.session, true; });
  for (std::size_t index = 0, left = sessions.size(); left != 0 && clients < holders; ++index) {
    if (!sessions.alive(static_cast<std::uint32_t>(index))) continue;
    const model::Session& session = sessions.at(static_cast<std::uint32_t>(index)).session;
    clients += session.initialize_seen && !session.ended;
    --left;
  }
  return holders <= clients;
}

// Without sessions ids prove nothing across exchanges, but two requests of one array are one client's.
Call* sibling_of_id(CallTable& calls, const Exchange& exchange, const model::RpcId& id) {
  Call* found = nullptr;
  for (std::size_t i = 0; id.type != IdType::null && i < exchange.calls.size(); ++i) {
    Call& sibling = calls.at(exchange.calls[i]);
    if (sibling.exchange == exchange.id && sibling.closed == CloseReason::open && sibling.id.view() == id) found = &sibling;
  }
  return found;
}

void note_initialize(model::Session& session, Exchange* exchange, const RpcMessage& message) {
  session.initialize_seen = true;
  if (exchange) exchange->is_initialize = true;
  session.client_name = message.peer_name;
  session.client_version = message.peer_version;
  if (session.protocol_version.empty()) session.protocol_version = message.protocol_version;
}

// The SDKs take the request's id for its token; where somebody else does not, the calls that are over are looked through.
const Call* ended_with_token(CallTable& calls, std::uint32_t session, Direction requestor, const model::RpcId& token) {
  const Call* ended = calls.newest_finished(session, requestor, token);
  if (ended && ended->progress_token.view() == token) return ended;
  ended = nullptr;
  calls.each_finished_of(session, [&](const Call& call) {
    if (call.requestor == requestor && call.progress_token.view() == token) ended = &call;
    return ended == nullptr;
  });
  return ended;
}

}  // namespace

void SessionTracker::on_message(const Observation& seen) {
  Exchange* exchange = exchange_of(seen);
  const RpcMessage& message = *seen.message;
  const bool came_before = exchange && !seen.event_id.empty() && !remember_event_id(seen, *exchange) && !exchange->last_event_id.empty();
  if (!exchange && (told_by_child(seen) || written_twice(seen))) return;
  if (seen.stream != model::StreamKind::unknown) capabilities_ |= model::kChannels;
  const Direction direction = direction_of(seen, exchange);
  if (message.kind == MessageKind::result || message.kind == MessageKind::error) return on_reply(seen, exchange, opposite(direction));
  SessionState& state = session_of(seen, exchange);
  if (message.defects != 0 || message.kind == MessageKind::invalid) {
    Event malformed = event(EventKind::malformed, seen, &state);
    malformed.exchange = exchange;
    emit(malformed);
  }
  if (direction == Direction::client_to_server) note_client(state.session, seen);
  if (message.kind == MessageKind::request) {
    if (Call* before = came_before ? delivered_before(message, calls_, state.session.index, direction) : nullptr) return void(before->delivered_again = true);
    return on_request(seen, state, exchange, direction);
  }
  if (message.kind == MessageKind::notification) on_notification(seen, state, exchange, direction);
}

Direction SessionTracker::direction_of(const Observation& seen, const Exchange* exchange) {
  if (seen.direction != Direction::unknown || exchange) return seen.direction;
  const RpcMessage& message = *seen.message;
  if (message.kind == MessageKind::request) return model::is_server_method(message.method) ? Direction::server_to_client : Direction::client_to_server;
  if (message.kind == MessageKind::notification) return is_client_notification(message.method) ? Direction::client_to_server : Direction::server_to_client;
  bool client_waits = false, server_waits = false;
  calls_.each_open_by_value(Direction::client_to_server, message.id.value, [&](Call&) { return client_waits = true, false; });
  calls_.each_open_by_value(Direction::server_to_client, message.id.value, [&](Call&) { return server_waits = true, false; });
  return server_waits && !client_waits ? Direction::client_to_server : Direction::server_to_client;
}

// One event that two handlers of a process wrote: the same message again, at once, from another writer.
bool SessionTracker::written_twice(const Observation& seen) {
  if (seen.channel == 0) return false;
  const RpcMessage& message = *seen.message;
  const std::uint64_t digest = hash_combine(hash_bytes(message.id.value, message.digest), hash_bytes(message.method, static_cast<std::uint64_t>(message.kind)));
  for (const LastMessage& last : recent_) {
    if (last.digest != digest || last.channel == seen.channel) continue;
    if (!seen.at.known() || !last.at.known() || std::abs(seen.at.us - last.at.us) <= kWrittenTwiceUs) return true;
  }
  if (recent_.size() < kRecentMessages) recent_.emplace_back();
  recent_[recent_next_] = {digest, seen.channel, seen.at};
  recent_next_ = (recent_next_ + 1) % kRecentMessages;
  return false;
}

// What a bridge prints of a message, its method or its id or all of it, in the log of the host that started it: the host shows the message itself.
bool SessionTracker::told_by_child(const Observation& seen) {
  const bool named = seen.keying == model::SessionKeying::process;
  const bool shown = seen.message->digest != 0 || !seen.message->text.empty();
  hosts_show_ = hosts_show_ || (named && shown && seen.vantage != model::Vantage::gateway);
  return hosts_show_ && (!shown || seen.vantage == model::Vantage::gateway) && seen.session.empty() && !seen.of_access_line;
}

void SessionTracker::count_client_request(model::Session& session, const RpcMessage& message) {
  ++session.counts.requests;
  if (message.method != model::kToolsCall) return;
  ++session.counts.tools_calls;
  ++tool_named(message.target).calls;
}

void SessionTracker::on_request(const Observation& seen, SessionState& state, Exchange* exchange, Direction requestor) {
  const RpcMessage& message = *seen.message;
  model::Session& session = state.session;
  if (calls_of_lines_.size() >= limits_.exchanges) calls_of_lines_.clear();
  if (seen.of_access_line && shown_already(seen, state)) return;
  state.requests_shown = state.requests_shown || !seen.of_access_line;
  if (message.id.present()) capabilities_ |= model::kRequestIds;
  const bool from_client = requestor == Direction::client_to_server;
  if (from_client && session.keyed_by == model::SessionKeying::process) follow_process(state, seen);
  remember_peer(state, seen.http);
  Event request = event(EventKind::request, seen, &state);
  request.exchange = exchange;
  // Requests of servers that are told without a session, where there are several: each may come from a server of its own.
  const bool nobodys = !from_client && !exchange && session.keyed_by == model::SessionKeying::source && sessions_.size() > 2;
  const bool ids_tell = !nobodys && session.ids_tell() && message.id.type != IdType::null && message.id.present();
  Call* in_flight = ids_tell ? calls_.newest_open(session.index, requestor, message.id) : nullptr;
  if (in_flight && (may_be_over(*in_flight, seen) || told_by_another(*in_flight, seen, session) || may_be_one_each(calls_, sessions_, session, *in_flight))) in_flight = nullptr;
  request.retransmitted = ids_tell && is_retransmission(state, message, requestor, time_of(seen));
  bool redirected = false;
  if (Call* before = message.id.present() ? sent_before(session, exchange, message, requestor, time_of(seen)) : nullptr) {
    redirected = before->stream_ended == CloseReason::refused;
    close_call(*before, CloseReason::sent_again, time_of(seen), nullptr);
    request.retransmitted = true;
    in_flight = nullptr;
  }
  if (!from_client) ++session.counts.server_requests;
  else if (!request.retransmitted) count_client_request(session, message);
  if (exchange && from_client && !session.ids_tell() && message.id.type != IdType::null && !request.retransmitted) {
    shared_ids_ += calls_.newest_open(session.index, requestor, message.id) != nullptr;
  }
  if (!ids_tell && exchange && message.batch_size > 1) in_flight = sibling_of_id(calls_, *exchange, message.id);
  if (in_flight && in_flight->stream_ended != CloseReason::open) {  // it waits for nothing any more that the server knows of
    close_unanswered(*in_flight, CloseReason::stream_closed, time_of(seen), nullptr);
    in_flight = nullptr;
  }
  const bool used = ids_tell && state.ids[side(requestor)].use(message.id, limits_);
  request.used_before = used && !request.retransmitted;
  const Call* const earlier = (used || state.incarnation > 1) && !in_flight ? calls_.newest_finished(session.index, requestor, message.id) : in_flight;
  const std::uint32_t generation = earlier ? earlier->generation + 1 : used;
  Call& call = open_call(seen, state, exchange, requestor);
  call.generation = generation;
  if (seen.of_access_line) calls_of_lines_[seen.exchange].push_back(calls_.ref(call)), call.stream_ended_at = line_over_at(seen);
  if (in_flight) {
    call.collided = in_flight->collided = true;
    in_flight->taken_by_method = call.method;
    in_flight->taken_by_target = call.target;
    in_flight->taken_at = call.requested_at;
  }
  request.call = &call;
  request.other = in_flight;
  if (from_client) state.last_request = calls_.ref(call);
  request.retransmitted = request.retransmitted && !redirected;  // it was asked to
  emit(request);
  if (message.method == model::kInitialize) note_initialize(session, exchange, message);
  if (!exchange) remember_caller(seen, call);
}

void SessionTracker::follow_process(SessionState& state, const Observation& seen) {
  const bool opens = seen.message->method == model::kInitialize && state.session.initialize_seen;
  if (opens) begins_again(state, *seen.message, time_of(seen)) ? begin_count(state) : restart(state, seen);
  follow_count(state, seen.message->id);
}

// Where nothing names a session, of two processes that write into one log each may count its own ids. What both tell alike is one request that went
// through both.
bool SessionTracker::told_by_another(const Call& waiting, const Observation& seen, model::Session& session) const {
  const std::uint64_t writer = writers_.at(waiting.handle);
  if (session.keyed_by != model::SessionKeying::source || seen.exchange != 0 || seen.connection == 0 || writer == 0 || writer == seen.connection) return false;
  if (waiting.params_digest == seen.message->digest) return false;
  return session.mixed = true;
}

// The same initialize again before the first one could be answered: written twice, or by a second process that was started with the first. A process
// that was started anew would have ended before.
bool SessionTracker::begins_again(const SessionState& state, const RpcMessage& message, Time at) {
  const Call* opening = calls_.newest_open(state.session.index, Direction::client_to_server, message.id);
  if (!opening || opening->method != message.method || opening->params_digest != message.digest) return false;
  return at.known() && opening->requested_at.known() && at.us - opening->requested_at.us <= kBegunTwiceUs;
}

// An access line that comes later tells this exchange by the client's port.
void SessionTracker::remember_caller(const Observation& seen, const Call& call) {
  if (!seen.http || seen.http->peer_port == 0) return;
  if (call_of_peer_.size() >= kPeers) call_of_peer_.clear();
  call_of_peer_[peer_digest(seen.http->peer, seen.http->peer_port)] = calls_.ref(call);
}

// The open call that this request is another copy of: its exchange broke off without a reply, or the evidence shows no exchanges and
// the copy came soon. Two exchanges that both live are two calls.
Call* SessionTracker::sent_before(const model::Session& session, const Exchange* exchange, const RpcMessage& message, Direction requestor, Time at) {
  Call* before = calls_.newest_open(session.index, requestor, message.id);
  if (!before || before->method != message.method || before->params_digest != message.digest) return nullptr;
  const bool process_asks = message.method == model::kInitialize && session.keyed_by == model::SessionKeying::process;
  const bool same_line = !message.text.empty() && at.known() && at == before->requested_at;  // as two handlers of one form write it
  if (message.digest == 0 && !process_asks && !same_line) return nullptr;
  const bool broke_off = before->stream_ended != CloseReason::open;
  const Time since = broke_off ? before->stream_ended_at : before->requested_at;
  const bool asked_to = before->stream_ended == CloseReason::refused;  // by a redirect
  const bool soon = asked_to || !at.known() || !since.known() || at.us - since.us <= kRetryWithinUs;
  const bool exchanges_told = exchange || before->exchange != 0 || before->of_access_line;
  return soon && (broke_off || !exchanges_told) ? before : nullptr;
}

// Whether another record of this log has shown the request of an access line; where the line names no id, whether the session's
// requests are shown otherwise at all.
bool SessionTracker::shown_already(const Observation& seen, const SessionState& state) {
  const RpcMessage& message = *seen.message;
  if (!message.id.present()) return state.requests_shown;
  for (Call* call : {calls_.newest_open(state.session.index, Direction::client_to_server, message.id),
                     calls_.newest_finished(state.session.index, Direction::client_to_server, message.id)}) {
    if (call == nullptr || call->of_access_line || call->method != message.method || call->target != message.target) continue;
    const bool near = !call->requested_at.known() || !seen.at.known() || std::abs(call->requested_at.us - seen.at.us) <= kSeenTwiceUs;
    if (!near) continue;
    calls_of_lines_[seen.exchange].push_back(calls_.ref(*call));
    return true;
  }
  return false;
}

// The same message again after a refusal, a reset or a missing answer, or at once after its own side hung up: a retry of the transport, no second
// use of the id.
bool SessionTracker::is_retransmission(const SessionState& state, const RpcMessage& message, Direction requestor, Time at) {
  const IdLedger& used = state.ids[side(requestor)];
  if (state.incarnation == 1 && used.complete() && !used.contains(message.id)) return false;  // as nearly all are
  const Call* before = calls_.newest_finished(state.session.index, requestor, message.id);
  if (!before || before->params_digest != message.digest || before->method != message.method) return false;
  if (before->closed == CloseReason::client_closed) return message.digest != 0 && at.known() && before->closed_at.known() && at.us - before->closed_at.us <= kRetryWithinUs;
  return before->closed == CloseReason::refused || before->closed == CloseReason::connection_reset || before->closed == CloseReason::stream_closed;
}

void SessionTracker::on_notification(const Observation& seen, SessionState& state, Exchange* exchange, Direction direction) {
  const RpcMessage& message = *seen.message;
  Event told = event(EventKind::notification, seen, &state);
  told.exchange = exchange;
  if (message.method == "notifications/progress") {
    const Direction requestor = opposite(direction);
    const bool tokens_tell = !exchange || state.session.ids_tell();
    const auto has_token = [&](const Call& call) { return call.requestor == requestor && call.progress_token.view() == message.related; };
    for (const std::uint32_t handle : newest_open(state)) {
      const Call& call = calls_.at(handle);
      if ((!tokens_tell && call.exchange != exchange->id) || !has_token(call)) continue;
      const bool on_own_stream = exchange && told.call && told.call->exchange == exchange->id;
      if (!on_own_stream) told.call = &call;
      ++told.fitting;
    }
    // Of the call whose stream this is, though it is over, where another call has its token by now.
    for (std::size_t i = 0; told.call && exchange && told.call->exchange != exchange->id && i < exchange->calls.size(); ++i) {
      const Call& over = calls_.at(exchange->calls[i]);
      if (over.exchange == exchange->id && has_token(over)) told.call = nullptr, told.other = &over;
    }
    const bool request_unseen = options_.wire && seen.exchange != 0 && (!exchange || exchange->method.empty());  // it may have had the token anew
    if (!told.call && !told.other && tokens_tell && !request_unseen) {
      const Call* ended = ended_with_token(calls_, state.session.index, requestor, message.related);
      const bool came_first = ended && ended->closed_at.known() && seen.at.known() && seen.at < ended->closed_at;  // behind a hole a stream is told late
      if (ended && ended->closed != CloseReason::evidence_gap && !came_first) told.other = ended;
    }
    if (!told.call && !told.other && may_be_early(seen, false) && held_.add(seen, state.session.index)) return;
  }
  const bool cancels = message.method == "notifications/cancelled" && message.related.present();
  const bool unknown = cancels && !calls_.newest_open(state.session.index, direction, message.related) && !calls_.newest_finished(state.session.index, direction, message.related);
  if (unknown && may_be_early(seen, direction == Direction::client_to_server) && held_.add(seen, state.session.index)) return;
  ++state.session.counts.notifications;
  remember_peer(state, seen.http);
  emit(told);
  if (message.method == "notifications/initialized") state.session.initialized_seen = true;
  if (message.method == "notifications/cancelled") on_cancel(seen, state, direction);
}

void SessionTracker::on_cancel(const Observation& seen, SessionState& state, Direction direction) {
  const RpcMessage& message = *seen.message;
  Call* call = message.related.present() ? open_for_cancel(calls_, state.session, direction, message.related) : nullptr;
  const bool timed_out = tells_timeout(message.reason);
  Event cancel = event(timed_out ? EventKind::timeout : EventKind::cancel, seen, &state);
  cancel.call = call;
  if (!call && message.related.present()) cancel.other = calls_.newest_finished(state.session.index, direction, message.related);
  if (call) call->gave_up_at = time_of(seen);
  emit(cancel);
  if (!call) return;
  // An exchange that ended nobody tells how, and then the client's word that it cancels: it had hung up to that end.
  const bool just_ended = call->stream_ended_at.known() && seen.at.known() && seen.at.us - call->stream_ended_at.us <= kCancelFollowsUs;
  if (call->stream_ended == CloseReason::no_response && just_ended) call->stream_ended = CloseReason::open;
  close_unanswered(*call, timed_out ? CloseReason::timed_out : CloseReason::cancelled, time_of(seen), &seen);
}

}  // namespace mcpscan::session
