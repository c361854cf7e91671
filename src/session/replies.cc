// Replies: whose they are, on which channel they came, and what they mean for the call.
#include <algorithm>
#include <cctype>
#include <utility>

#include "model/lost_session.h"
#include "model/opposite.h"
#include "session/argument_echo.h"
#include "session/reissued_id.h"
#include "session/result_fit.h"
#include "session/session_tracker.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::Direction;
using model::EventKind;
using model::Exchange;
using model::IdType;
using model::MessageKind;
using model::Observation;
using model::ReplyVerdict;
using model::RpcMessage;
using model::SessionKeying;
using model::StreamKind;

namespace {

bool fits(const Call& call, const RpcMessage& message) {
  return message.kind == MessageKind::error || result_fits(call.method, message.result_keys);
}

// `5_a3b2c1d0` of `5`: a gateway's way to tell ids of several clients apart.
bool is_suffixed(std::string_view id, std::string_view original) {
  return !original.empty() && id.size() > original.size() && id.starts_with(original) && std::isalnum(static_cast<unsigned char>(id[original.size()])) == 0;
}

// Nothing had answered the call yet: a status alone, of a proxy that gave up before the server did, is no reply.
bool is_late(const Call& call) {
  if (call.closed == CloseReason::refused) return call.replies == 0;
  return call.closed != CloseReason::answered && call.closed != CloseReason::open && call.closed != CloseReason::sent_again;
}

// It refuses neither its exchange nor the session, and nothing was wrong with the request, whose id it should have.
bool is_nameless(const RpcMessage& error, const Call& call, const Exchange& exchange) {
  const bool has_id = call.id.type == IdType::integer || call.id.type == IdType::string;
  return exchange.status / 100 == 2 && has_id && !call.defective && !call.batched && !model::tells_lost_session(error.reason);
}

// The session of some calls, if it is one.
struct OnlySession {
  std::uint32_t index = kNoSession;
  bool several = false;

  // False when no further call can change that they are of several.
  bool add(std::uint32_t session) {
    several = several || (index != kNoSession && index != session);
    index = session;
    return !several;
  }
};

// Of a log that names no sessions: what no call waits for may be to one from before the log, where another client had begun by then, or to any of
// several that are at work. Before the answer to initialize nothing else is answered.
bool may_have_other_clients(SessionTable& sessions, const model::Session& session) {
  if (session.mixed || (session.initialize_seen && !session.initialize_answered)) return true;
  std::size_t waiting = 0;
  bool older = false;
  sessions.each([&](const SessionState& state) {
    if (state.session.keyed_by != SessionKeying::source) return;
    waiting += !state.session.open.empty();
    older = older || (state.session.index != session.index && !state.session.initialize_seen);
  });
  return waiting > 1 || older;
}

}  // namespace

void SessionTracker::on_reply(const Observation& seen, Exchange* exchange, Direction requestor) {
  if (seen.of_access_line) {  // the error that an access line names: it shows no other replies
    Call* const call = call_of_line(seen);
    if (call && call->closed == CloseReason::open) deliver(seen, sessions_.at(call->session), nullptr, requestor, {call, nullptr, ReplyVerdict::answer, false, false});
    return;
  }
  const RpcMessage& message = *seen.message;
  if (message.kind == MessageKind::result && !message.id.present()) return on_nameless_reply(seen, requestor);
  capabilities_ |= model::kReplies;
  if (message.digest != 0 && (message.defects & model::kTruncated) == 0) capabilities_ |= model::kBodies;
  SessionState* state = nullptr;
  if (!exchange && !seen.session.empty()) name_pending(seen);
  if (exchange || !seen.session.empty()) {
    state = &session_of(seen, exchange);
  } else {
    state = session_by_reply(seen, requestor);
    if (state) started(*state, false, seen);
  }
  if (!state) {
    if (requestor == Direction::client_to_server) ++unattributed_;
    mark_maybe_answered(seen, requestor);
    Event unknown = event(EventKind::reply, seen, nullptr);
    unknown.verdict = ReplyVerdict::unattributed;
    return emit(unknown);
  }
  judge_reply(seen, *state, exchange, requestor);
}

void SessionTracker::judge_reply(const Observation& seen, SessionState& state, Exchange* exchange, Direction requestor) {
  const RpcMessage& message = *seen.message;
  Match match = exchange ? match_on_exchange(seen, state, *exchange, requestor) : match_in_session(seen, state, requestor);
  if (!exchange && match.call && match.verdict == ReplyVerdict::answer && has_own_stream(*match.call)) {
    mark_maybe_answered(seen, requestor);
    match = {nullptr, nullptr, ReplyVerdict::unattributed, false, false};
  }
  // The capture lost the other direction of its connection, or all of its request's body.
  const bool of_client = requestor == Direction::server_to_client;
  const bool request_unseen = options_.wire && (!exchange || exchange->method.empty() || (exchange->gap && exchange->method == "POST" && exchange->calls.empty()));
  const bool misfit = match.call && !fits(*match.call, message);
  const bool unpaired = !state.session.ids_tell() || misfit || match.verdict == ReplyVerdict::orphan || (!exchange && match.verdict == ReplyVerdict::duplicate);
  // What a server asks may come on any stream of the session, so a hole in one may hide it.
  const bool asked_in_a_hole = of_client && match.verdict == ReplyVerdict::orphan && state.session.had_gap;
  if ((request_unseen && unpaired) || asked_in_a_hole) match = {nullptr, nullptr, ReplyVerdict::head_of_evidence, false, false};
  const bool nameless = !options_.wire && seen.exchange == 0 && seen.session.empty() && state.session.keyed_by == SessionKeying::source;
  if (nameless && match.verdict == ReplyVerdict::orphan && may_have_other_clients(sessions_, state.session)) {
    match = {nullptr, nullptr, ReplyVerdict::unattributed, false, false};
    sessions_.each([](SessionState& each) { each.session.mixed = each.session.mixed || each.session.keyed_by == SessionKeying::source; });
  }
  // A HAR does not say when the events of a stream came: the server's request that this answers may be told only when its stream ends.
  const bool before_its_request = of_client && seen.source.kind == model::PlaceKind::entry;
  if (before_its_request && match.verdict == ReplyVerdict::orphan) match = {nullptr, nullptr, ReplyVerdict::unattributed, false, false};
  if (settling_ && match.call && match.call->requested_at.us > seen.at.us + kReorderedUs) {  // asked after it
    match = {nullptr, nullptr, state.session.initialize_seen ? ReplyVerdict::orphan : ReplyVerdict::head_of_evidence, false, false};
  }
  const bool unasked = match.verdict == ReplyVerdict::orphan || match.verdict == ReplyVerdict::head_of_evidence;
  if (exchange && unasked && may_be_early(seen, of_client) && held_.add(seen, state.session.index)) return;
  if (message.defects != 0) {
    Event malformed = event(EventKind::malformed, seen, &state);
    malformed.exchange = exchange;
    malformed.call = match.call;
    emit(malformed);
  }
  // The id of a call that was given up may have been used again.
  const bool may_be_reissued = match.call && state.session.ids_tell() && !state.session.mixed;
  const bool by_id = match.verdict == ReplyVerdict::answer || match.verdict == ReplyVerdict::duplicate;
  if (may_be_reissued && match.verdict == ReplyVerdict::late && !match.call->collided) match.other = calls_.newest_open(match.call->session, requestor, message.id);
  if (Call* earlier = may_be_reissued && by_id ? given_up_before(calls_, *match.call, message) : nullptr) {
    if (exchange && match.call->exchange == exchange->id) match.call->collided = true;  // its stream was taken
    match = {earlier, match.call, ReplyVerdict::late, false, false};
  }
  if (Call* owner = exchange && !of_client ? call_of_other_session(seen, state, *exchange, match) : nullptr) return deliver_astray(seen, state, *exchange, *owner);
  if (exchange && !of_client && match.verdict == ReplyVerdict::orphan) match.elsewhere = only_call_elsewhere(seen, state, *exchange, match);
  deliver(seen, state, exchange, requestor, match);
}

// The answer to an initialize stands in the log under the session id that it hands out.
void SessionTracker::name_pending(const Observation& seen) {
  if (seen.message->kind != MessageKind::result || !result_fits(model::kInitialize, seen.message->result_keys) || sessions_.find_any_server(seen.session)) return;
  for (const std::uint32_t index : pending_) {
    if (!sessions_.alive(index) || !sessions_.at(index).pending) continue;
    const Call* opening = calls_.newest_open(index, Direction::client_to_server, seen.message->id);
    if (opening && opening->method == model::kInitialize) return bind(sessions_.at(index), seen.session, {}, model::SessionKeying::mcp_session_id, seen);
  }
}

// Told without an id: of the calls told without one, the oldest to that tool is over.
void SessionTracker::on_nameless_reply(const Observation& seen, Direction requestor) {
  SessionState& state = session_of(seen, nullptr);
  for (const std::uint32_t handle : state.session.open) {
    Call& call = calls_.at(handle);
    if (call.requestor != requestor || call.id.view().present() || call.target != seen.message->target) continue;
    return deliver(seen, state, nullptr, requestor, {&call, nullptr, ReplyVerdict::answer, false, false});
  }
}

SessionTracker::Match SessionTracker::match_on_exchange(const Observation& seen, SessionState& state, Exchange& exchange, Direction requestor) {
  const RpcMessage& message = *seen.message;
  if (requestor == Direction::server_to_client || seen.stream == StreamKind::legacy_sse) return match_in_session(seen, state, requestor);
  if (seen.stream == StreamKind::get_resume) return match_resumed(seen, state, exchange, requestor);
  if (seen.stream == StreamKind::get_standalone) {
    Match match = match_in_session(seen, state, requestor);
    match.wrong_channel = match.call != nullptr;
    return match;
  }
  Match match;
  Call* closed = nullptr;
  Call* waiting = nullptr;
  Call* cut = nullptr;
  const Call* last = nullptr;
  std::size_t own = 0;
  for (const std::uint32_t handle : exchange.calls) {
    Call& call = calls_.at(handle);
    if (call.exchange != exchange.id) continue;  // the handle was given to a younger call
    ++own;
    last = &call;
    const bool open = call.closed == CloseReason::open;
    if (open && call.id.view() == message.id) return {&call, nullptr, ReplyVerdict::answer, false, false};
    if (open && call.id.type != message.id.type && call.id.value == message.id.value && message.id.type != IdType::null) {
      match = {&call, nullptr, ReplyVerdict::type_drift, false, false};
    }
    if (open) waiting = &call;
    if (open && exchange.gap && !cut && !call.id.view().present()) cut = &call;
    if (!open && call.id.view() == message.id) closed = &call;
  }
  if (match.call) return match;
  if (cut && fits(*cut, message)) return {cut, nullptr, ReplyVerdict::answer, false, false};  // the hole in its request took its id
  if (closed) return {closed, nullptr, is_late(*closed) ? ReplyVerdict::late : ReplyVerdict::duplicate, false, false};
  if (model::is_transport_error(message)) return {own == 1 ? waiting : nullptr, nullptr, ReplyVerdict::refusal, false, false};
  if (!state.session.ids_tell()) {
    if (Call* crossed = crossed_call(seen, state, exchange, waiting ? waiting : last)) return {crossed, nullptr, ReplyVerdict::answer, true, false};
    return {nullptr, waiting, ReplyVerdict::orphan, false, false};
  }
  match = match_in_session(seen, state, requestor);
  match.wrong_channel = match.call != nullptr && match.call->exchange != exchange.id && match.verdict != ReplyVerdict::orphan;
  if (match.verdict == ReplyVerdict::head_of_evidence && own > 0) match.verdict = ReplyVerdict::orphan;
  if (match.verdict == ReplyVerdict::orphan && waiting) match.other = waiting;
  return match;
}

SessionTracker::Match SessionTracker::match_in_session(const Observation& seen, SessionState& state, Direction requestor) {
  const RpcMessage& message = *seen.message;
  if (model::is_transport_error(message)) return {nullptr, nullptr, ReplyVerdict::refusal, false, false};
  if (Call* call = calls_.newest_open(state.session.index, requestor, message.id)) {
    if (seen.exchange == 0 && (!state.session.ids_tell() || state.session.mixed)) call = only_caller(*call, message);
    if (!call) mark_maybe_answered(seen, requestor);
    return {call, nullptr, call ? ReplyVerdict::answer : ReplyVerdict::unattributed, false, false};
  }
  if (Call* call = calls_.other_type_open(state.session.index, requestor, message.id)) return {call, nullptr, ReplyVerdict::type_drift, false, false};
  if (requestor == Direction::server_to_client && seen.exchange == 0 && source_session_ != kNoSession && source_session_ != state.session.index && sessions_.alive(source_session_)) {
    // The server's own requests are told without a session: each of its clients may have got it, and answers in a session of its own.
    if (Call* call = calls_.newest_open(source_session_, requestor, message.id)) return {call, nullptr, ReplyVerdict::answer, false, false};
    if (calls_.newest_finished(source_session_, requestor, message.id)) return {nullptr, nullptr, ReplyVerdict::unattributed, false, false};
  }
  if (seen.exchange == 0 && !calls_.newest_finished(state.session.index, requestor, message.id)) {
    if (Call* call = oldest_told_without_id(state, requestor)) return {call, nullptr, ReplyVerdict::answer, false, false};
  }
  return match_finished(seen, state, requestor);
}

// In a log that names requests by their method and replies by their id, the oldest request is as good as any other.
Call* SessionTracker::oldest_told_without_id(const SessionState& state, Direction requestor) {
  const std::span<const std::uint32_t> open(state.session.open);
  for (const std::uint32_t handle : open.first(std::min(open.size(), limits_.same_id_calls))) {
    Call& call = calls_.at(handle);
    if (call.requestor == requestor && !call.id.view().present() && !call.of_access_line) return &call;
  }
  return nullptr;
}

SessionTracker::Match SessionTracker::match_finished(const Observation& seen, SessionState& state, Direction requestor) {
  const RpcMessage& message = *seen.message;
  Call* call = calls_.newest_finished(state.session.index, requestor, message.id);
  if (!call) {
    const bool may_precede = !state.session.initialize_seen && !state.ids[requestor == Direction::server_to_client].contains(message.id);
    if (may_answer_what_is_cut(seen)) return {nullptr, nullptr, ReplyVerdict::head_of_evidence, false, false};
    const bool of_client = requestor == Direction::server_to_client;  // what it answers is no call of its own
    return {nullptr, of_client ? nullptr : only_waiting_call(state, message), may_precede ? ReplyVerdict::head_of_evidence : ReplyVerdict::orphan, false, false};
  }
  if (is_late(*call)) return {call, nullptr, ReplyVerdict::late, false, false};
  if (Call* meant_for = requestor == Direction::server_to_client ? nullptr : waiting_call_that_fits(state, message, *call)) return {nullptr, meant_for, ReplyVerdict::orphan, false, false};
  if (std::exchange(call->delivered_again, false)) return {call, nullptr, ReplyVerdict::redelivery, false, false};
  if (Call* copy = calls_.sent_again(state.session.index, requestor, message.id)) return {copy, nullptr, ReplyVerdict::redelivery, false, false};
  return {call, nullptr, ReplyVerdict::duplicate, false, false};
}

// A GET with Last-Event-ID carries on one stream: replies to that stream's requests, new or again.
SessionTracker::Match SessionTracker::match_resumed(const Observation& seen, SessionState& state, Exchange& exchange, Direction requestor) {
  const RpcMessage& message = *seen.message;
  const auto origin = stream_of_event_.find(hash_bytes(exchange.last_event_id, state.session.index));
  const auto asked = origin == stream_of_event_.end() ? requests_of_stream_.end() : requests_of_stream_.find(origin->second);
  const bool own = asked == requests_of_stream_.end() || asked->second.empty() || std::find(asked->second.begin(), asked->second.end(), id_digest(message.id)) != asked->second.end();
  Match match = match_in_session(seen, state, requestor);
  if (match.verdict == ReplyVerdict::duplicate && match.call->reply_digest == message.digest) match.verdict = ReplyVerdict::redelivery;
  // On the server's own stream any reply may have come before, if on the wrong one: only an event that is known from another stream is that one's.
  const auto first = stream_of_event_.find(hash_bytes(seen.event_id, state.session.index));
  const bool shown = own || asked->second.front() != kAsksNothing || (first != stream_of_event_.end() && first->second != 0 && first->second != origin->second);
  match.across_streams = !own && match.call != nullptr && shown;
  match.wrong_channel = match.across_streams && match.verdict == ReplyVerdict::answer;
  return match;
}

// A second reply under a used id that has the members another waiting call needs, and not those of the call it names: that
// server puts one id on every reply.
Call* SessionTracker::waiting_call_that_fits(const SessionState& state, const RpcMessage& message, const Call& answered) {
  Call* fitting = nullptr;
  if (message.kind == MessageKind::result && fits(answered, message) && method_requires_keys(answered.method)) return nullptr;
  const bool known_habit = !state.constant_reply_id.empty() && state.constant_reply_id == message.id.value;
  if (message.kind == MessageKind::error && !known_habit) return nullptr;
  for (const std::uint32_t handle : newest_open(state)) {
    Call& call = calls_.at(handle);
    if (call.requestor != Direction::client_to_server) continue;
    if (message.kind == MessageKind::error) return &call;
    if (method_requires_keys(call.method) && fits(call, message)) return &call;
    if (!fitting && known_habit) fitting = &call;
  }
  return fitting;
}

// Whose reply came under an id that nobody used: told where the id is a waiting call's with something put behind it, or where only one
// waiting call fits the reply.
Call* SessionTracker::only_waiting_call(const SessionState& state, const RpcMessage& message) {
  if (message.kind == MessageKind::error) return nullptr;
  Call* fitting = nullptr;
  std::size_t fit = 0;
  for (const std::uint32_t handle : newest_open(state)) {
    Call& call = calls_.at(handle);
    if (call.requestor != Direction::client_to_server || !method_requires_keys(call.method) || !fits(call, message)) continue;
    if (is_suffixed(message.id.value, call.id.value)) return &call;
    fitting = &call, ++fit;
  }
  return fit == 1 ? fitting : nullptr;
}

// On the wire a call gets its reply on the exchange that carries it, but on the transport of 2024-11-05, and where bytes of that exchange are missing.
// A reply whose exchange is not here may answer another client's call, or one from before the evidence, under the same id.
bool SessionTracker::has_own_stream(const Call& call) {
  if (!options_.wire || call.exchange == 0 || sessions_.at(call.session).session.keyed_by == model::SessionKeying::legacy_session_id) return false;
  const Exchange* const own = exchanges_.find(call.exchange);
  return own == nullptr || (!own->method.empty() && !own->gap);  // one that is over is forgotten
}

// A reply that names no session belongs to the session with a call of that id in flight, if there is only one such session.
SessionState* SessionTracker::session_by_reply(const Observation& seen, Direction requestor) {
  const RpcMessage& message = *seen.message;
  if (source_session_ != kNoSession && source_session_ == nameless_asker_ && sessions_.alive(source_session_)) {
    if (calls_.newest_open(source_session_, requestor, message.id)) return &sessions_.at(source_session_);
  }
  // On the wire: of another server's session, or of one whose replies all come on a stream that names it.
  const auto is_elsewhere = [&](const model::Session& session) {
    const bool of_other_server = !seen.server.empty() && !session.server_endpoint.empty() && session.server_endpoint != seen.server;
    return options_.wire && (of_other_server || session.keyed_by == model::SessionKeying::legacy_session_id);
  };
  OnlySession fitting;
  calls_.each_open_by_value(requestor, message.id.value, [&](Call& call) { return !fits(call, message) || has_own_stream(call) || is_elsewhere(sessions_.at(call.session).session) || fitting.add(call.session); });
  if (fitting.several) return session_by_echo(message, requestor);
  if (fitting.index != kNoSession) return &sessions_.at(fitting.index);
  calls_.each_finished_by_value(requestor, message.id.value, [&](Call& call) {
    return !sessions_.alive(call.session) || is_elsewhere(sessions_.at(call.session).session) || (!is_late(call) && sessions_.size() > 1) || fitting.add(call.session);
  });
  if (fitting.several) return nullptr;
  if (fitting.index != kNoSession) return &sessions_.at(fitting.index);
  const bool sessions_told = (capabilities_ & model::kSessions) != 0;  // then the nameless one is no more likely than any other
  if (!sessions_told && source_session_ != kNoSession && sessions_.alive(source_session_)) return &sessions_.at(source_session_);
  SessionState* const only = sessions_.size() == 1 ? only_session(seen) : nullptr;
  return only && !is_elsewhere(only->session) ? only : nullptr;
}

// Of several sessions that wait for this id, the one whose call says something in its arguments that the reply repeats, if no other does.
SessionState* SessionTracker::session_by_echo(const RpcMessage& message, Direction requestor) {
  const std::string_view payload = message.text.substr(0, kEchoBytes);
  OnlySession echoed;
  calls_.each_open_by_value(requestor, message.id.value, [&](Call& call) { return call.session == echoed.index || !repeats(payload, calls_.asked(call)) || echoed.add(call.session); });
  if (echoed.several) return nullptr;
  return echoed.index == kNoSession ? session_by_siblings_echo(message, requestor) : &sessions_.at(echoed.index);
}

// The same for a reply that carries another call's payload: of the sessions that wait for its id, the one where another call, in flight
// beside the waiting one, had all those arguments, if no other has one.
SessionState* SessionTracker::session_by_siblings_echo(const RpcMessage& message, Direction requestor) {
  const std::string_view payload = message.text.substr(0, kEchoBytes);
  OnlySession echoed;
  calls_.each_open_by_value(requestor, message.id.value, [&](Call& waiting) { return waiting.session == echoed.index || !has_sibling(waiting, payload) || echoed.add(waiting.session); });
  return echoed.several || echoed.index == kNoSession ? nullptr : &sessions_.at(echoed.index);
}

bool SessionTracker::has_sibling(const Call& waiting, std::string_view payload) {
  bool found = false;
  for (const std::uint32_t handle : newest_open(sessions_.at(waiting.session))) found = found || repeats_all(payload, calls_.asked(calls_.at(handle)));
  if (found || !waiting.requested_at.known()) return found;
  calls_.each_finished_of(waiting.session, [&](Call& over) {
    if (!over.closed_at.known() || over.closed_at < waiting.requested_at) return false;
    found = repeats_all(payload, calls_.asked(over));
    return !found;
  });
  return found;
}

// Where several clients use the same ids: the call that a reply answers, if only one waits under this id or repeats what it was asked.
Call* SessionTracker::only_caller(Call& newest, const RpcMessage& message) {
  const std::string_view payload = message.text.substr(0, kEchoBytes);
  std::size_t waiting = 0, echoed = 0;
  Call* found = nullptr;
  calls_.each_open_by_value(newest.requestor, newest.id.value, [&](Call& call) {
    if (call.session != newest.session) return true;
    ++waiting;
    if (!repeats(payload, calls_.asked(call))) return true;
    ++echoed;
    found = &call;
    return true;
  });
  if (waiting == 1) return &newest;
  return echoed == 1 ? found : nullptr;
}

void SessionTracker::mark_maybe_answered(const Observation& seen, Direction requestor) {
  calls_.each_open_by_value(requestor, seen.message->id.value, [&](Call& call) {
    if (fits(call, *seen.message)) call.maybe_answered = true;
    return true;
  });
}

void SessionTracker::deliver(const Observation& seen, SessionState& state, Exchange* exchange, Direction requestor, Match match) {
  const RpcMessage& message = *seen.message;
  model::Session& session = state.session;
  if (requestor == Direction::client_to_server) ++session.counts.replies;
  else note_client(session, seen);
  if (exchange) ++exchange->replies;
  Event reply = event(EventKind::reply, seen, &state);
  reply.exchange = exchange;
  reply.call = match.call;
  reply.other = match.other;
  reply.elsewhere = match.elsewhere;
  if (match.elsewhere) reply.elsewhere_in = &sessions_.at(match.elsewhere->session).session;
  reply.verdict = match.verdict;
  reply.wrong_channel = match.wrong_channel;
  reply.across_streams = match.across_streams;
  Call* call = match.call;
  if (call) {
    reply.earlier = call->closed;
    reply.same_payload = call->reply_digest == message.digest;
    ++call->replies;
  }
  if (exchange && (match.wrong_channel || match.verdict == ReplyVerdict::orphan || match.verdict == ReplyVerdict::duplicate)) mark_foreign_reply(*exchange);
  const bool asked_elsewhere = requestor == Direction::server_to_client || (seen.stream != StreamKind::post && seen.stream != StreamKind::unknown);
  if (options_.wire && asked_elsewhere && match.verdict == ReplyVerdict::orphan && !match.other) state.unasked[requestor == Direction::server_to_client].use(message.id, limits_);
  if (match.elsewhere) match.elsewhere->untaken = model::Untaken::wrong_channel;
  if (match.verdict == ReplyVerdict::orphan) reply.own_id = state.ids[requestor == Direction::client_to_server].contains(message.id);
  if (match.verdict == ReplyVerdict::orphan && match.other) state.constant_reply_id.assign(message.id.value);
  const bool answers = match.verdict == ReplyVerdict::answer || match.verdict == ReplyVerdict::type_drift;
  if (call && (answers || match.verdict == ReplyVerdict::late)) {
    call->replied_at = time_of(seen);
    call->reply_source = seen.source;
    call->reply_digest = message.digest;
  }
  if (call && answers) {
    call->untaken = match.verdict == ReplyVerdict::type_drift ? model::Untaken::type_drift : match.wrong_channel ? model::Untaken::wrong_channel : model::Untaken::no;
    learn_from_reply(state, seen, *call);
    emit(reply);
    return close_call(*call, CloseReason::answered, time_of(seen), &seen);
  }
  emit(reply);
  if (call && call->closed == CloseReason::sent_again) call->closed = CloseReason::answered;  // each copy may have one reply
  if (match.verdict == ReplyVerdict::refusal && !call && exchange && message.batch_size == 0) return refuse_batch(*exchange, seen);
  if (match.verdict != ReplyVerdict::refusal || !call || call->closed != CloseReason::open) return;
  if (!exchange || !is_nameless(message, *call, *exchange)) return close_call(*call, CloseReason::refused, time_of(seen), &seen);
  call->untaken = model::Untaken::nameless;  // it waits on: clients look for the id
}

// One error for an array refuses it as a whole (JSON-RPC 2.0, section 6).
void SessionTracker::refuse_batch(const Exchange& exchange, const Observation& seen) {
  for (const std::uint32_t handle : exchange.calls) {
    Call& call = calls_.at(handle);
    if (call.exchange == exchange.id && call.closed == CloseReason::open && call.batched) close_call(call, CloseReason::refused, time_of(seen), &seen);
  }
}

void SessionTracker::learn_from_reply(SessionState& state, const Observation& seen, const Call& call) {
  const RpcMessage& message = *seen.message;
  model::Session& session = state.session;
  session.was_alive = true;
  if (call.requestor != Direction::client_to_server) return;
  ++session.paired;
  const bool timed = call.requested_at.known() && call.replied_at.known();
  const std::int64_t took = timed ? std::max<std::int64_t>(0, call.replied_at.us - call.requested_at.us) : -1;
  if (timed) {
    session.latency.add(took);
    if (session.fastest_us < 0 || took < session.fastest_us) session.fastest_us = took;
  }
  if (call.method == model::kInitialize && message.kind == MessageKind::result) {
    session.initialize_answered = true;
    session.protocol_version = message.protocol_version;
    session.server_name = message.peer_name;
    session.server_version = message.peer_version;
  }
  if (call.method != model::kToolsCall) return;
  ToolStatistics& tool = tool_named(call.target);
  ++tool.replies;
  if (message.kind == MessageKind::error || (message.result_keys & model::kIsErrorTrue) != 0) ++tool.errors;
  if (timed) tool.latency.add(took);
}

}  // namespace mcpscan::session
