// HTTP exchanges and their streams: what a head says, how a stream ends, what an access line tells.
#include <algorithm>
#include <iterator>

#include "session/session_tracker.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::EndReason;
using model::EventKind;
using model::Exchange;
using model::HttpFacts;
using model::Observation;
using model::SessionKeying;
using model::StreamKind;

namespace {

constexpr std::int64_t kAnsweredWithinUs = 5 * kMinute;  // what breaks off later than this is no call's reply
constexpr std::size_t kCutRecords = 65'536;

// RFC 9110 sections 15.4.8, 15.4.9: the client sends the same request there. Others ask it to come with another method.
bool says_ask_elsewhere(const Exchange& exchange) { return exchange.status == 307 || exchange.status == 308; }

// Whether the session's client may have sent what is missing of a connection to its server.
bool may_have_sent(const model::Session& session, const Observation& gap, std::size_t most_addresses) {
  const bool begun_later = session.first.known() && gap.at.known() && gap.at < session.first;
  if (session.server_endpoint != gap.server || begun_later) return false;
  const auto& addresses = session.addresses;
  return !gap.http || addresses.size() >= most_addresses || std::find(addresses.begin(), addresses.end(), gap.http->peer) != addresses.end();
}

}  // namespace

Exchange* SessionTracker::exchange_of(const Observation& seen) {
  if (seen.exchange == 0) return nullptr;
  return exchanges_.find(seen.exchange);
}

void SessionTracker::on_exchange_request(const Observation& seen) {
  capabilities_ |= model::kExchanges | model::kChannels | model::kHeaders | model::kAddresses;
  while (exchanges_.size() >= limits_.exchanges) {
    Exchange* oldest = exchanges_.oldest();
    if (!oldest) break;
    close_exchange(*oldest, EndReason::evidence_gap, seen);
    exchanges_.erase(oldest->id);
  }
  const HttpFacts& http = *seen.http;
  Exchange& exchange = exchanges_.open(seen.exchange, seen.connection);
  exchange.stream = seen.stream;
  exchange.requested_at = time_of(seen);
  exchange.source = seen.source;
  exchange.method = http.method;
  exchange.path = http.path;
  exchange.peer = http.peer;
  exchange.peer_port = http.peer_port;
  exchange.server = http.server;
  exchange.principal = http.principal;
  exchange.gap = http.body_unknown;
  exchange.last_event_id = http.last_event_id;
  exchange.protocol_version = http.protocol_version;
  exchange.mcp_method = http.mcp_method;
  exchange.mcp_name = http.mcp_name;
  if (!seen.session.empty()) {
    exchange.named_session = true;
    SessionState& state = session_of(seen, &exchange);
    ++state.session.exchanges;
    state.session.asked_to_end = state.session.asked_to_end || exchange.method == "DELETE";
    remember_peer(state, &http);
    const auto resumed = exchange.last_event_id.empty() ? stream_of_event_.end() : stream_of_event_.find(hash_bytes(exchange.last_event_id, state.session.index));
    if (resumed != stream_of_event_.end()) exchange.resumes = resumed->second;
  }
  Event opened = event(EventKind::exchange_opened, seen, exchange.session == kNoSession ? nullptr : &sessions_.at(exchange.session));
  opened.exchange = &exchange;
  emit(opened);
}

void SessionTracker::on_exchange_response(const Observation& seen) {
  Exchange* exchange = exchange_of(seen);
  if (!exchange) return;
  const HttpFacts& http = *seen.http;
  exchange->responded_at = time_of(seen);
  exchange->status = http.status;
  exchange->is_sse = http.is_sse;
  exchange->gap = exchange->gap || http.body_unknown;
  if (seen.stream != StreamKind::unknown) exchange->stream = seen.stream;
  if (exchange->session == kNoSession || !sessions_.alive(exchange->session)) return;
  SessionState& state = sessions_.at(exchange->session);
  if (state.pending && exchange->is_initialize) {
    if (!http.session_id.empty()) {
      bind(state, http.session_id, exchange->server, SessionKeying::mcp_session_id, seen);
    } else if (http.status < 300) {
      bool created = false;
      SessionState& shared = sessions_.unnamed(exchange->peer + " to " + exchange->server, SessionKeying::source, created);
      shared.session.stateless = true;
      shared.session.transport = "streamable-http";
      started(shared, created, seen);
      fold(state, shared);
    }
  }
  model::Session& session = sessions_.at(exchange->session).session;
  ++session.responses;
  session.behind_proxy = session.behind_proxy || http.of_proxy;
}

void SessionTracker::on_exchange_end(const Observation& seen) {
  Exchange* exchange = exchange_of(seen);
  if (!exchange) return;
  if (seen.http && seen.http->end == EndReason::reset_by_client && seen.http->client_closed_at.known()) refused_by_client(*exchange, seen);
  close_exchange(*exchange, seen.http ? seen.http->end : EndReason::unknown, seen);
  exchanges_.erase(seen.exchange);
}

// The client had closed its side, which is legal while it reads on; its reset in answer to the reply shows that it did not.
void SessionTracker::refused_by_client(const Exchange& exchange, const Observation& seen) {
  if (exchange.session == kNoSession || !sessions_.alive(exchange.session)) return;
  if (sessions_.at(exchange.session).session.keyed_by == SessionKeying::legacy_session_id) return;  // its replies come on another exchange
  for (const std::uint32_t handle : exchange.calls) {
    Call& call = calls_.at(handle);
    if (call.exchange != exchange.id || call.closed != CloseReason::answered || call.replied_at < seen.http->client_closed_at) continue;
    call.gave_up_at = call.closed_at = seen.http->client_closed_at;
    Event timeout = event(EventKind::timeout, seen, &sessions_.at(exchange.session));
    timeout.at = call.gave_up_at;
    timeout.call = &call;
    emit(timeout);
    model::RpcMessage reply;
    reply.kind = model::MessageKind::result;
    reply.id = call.id.view();
    reply.result_keys = UINT32_MAX;  // what it held was judged when it came
    Observation again = seen;
    again.message = &reply;
    Event late = event(EventKind::reply, again, &sessions_.at(exchange.session));
    late.at = call.replied_at;
    late.source = call.reply_source;
    late.call = &call;
    late.exchange = &exchange;
    late.verdict = model::ReplyVerdict::late;
    late.earlier = CloseReason::timed_out;
    emit(late);
  }
}

void SessionTracker::close_exchange(Exchange& exchange, EndReason reason, const Observation& seen) {
  exchange.end = reason;
  SessionState* state = exchange.session != kNoSession && sessions_.alive(exchange.session) ? &sessions_.at(exchange.session) : nullptr;
  Event closed = event(EventKind::exchange_closed, seen, state);
  closed.exchange = &exchange;
  for (const std::uint32_t handle : exchange.calls) {
    const Call& call = calls_.at(handle);
    if (call.exchange == exchange.id && call.closed == CloseReason::open) closed.call = &call;
  }
  emit(closed);
  if (!state) return;
  if (session_of_connection_.size() >= limits_.exchanges) session_of_connection_ = HandleIndex();
  if (exchange.connection != 0) session_of_connection_.exchange(exchange.connection, exchange.session);
  const bool hung = exchange.status == 0 && seen.http && seen.http->saw_server && !exchange.gap && reason != EndReason::evidence_gap;
  if (hung) ++state->session.responses, capabilities_ |= model::kReplies;  // silence is one, where the evidence would hold another
  for (const std::uint32_t handle : exchange.calls) {
    Call& call = calls_.at(handle);
    if (call.exchange != exchange.id || call.closed != CloseReason::open) continue;
    const bool in_words = exchange.status < 300 && seen.http && !seen.http->refusal.empty();
    const CloseReason why = in_words ? CloseReason::refused : end_of_call(exchange, *state, reason);
    if (why == CloseReason::open) continue;
    if (why == CloseReason::stream_closed && exchange.status == 200 && seen.http) call.came_instead = model::other_body(seen.http->content_type);
    if (may_live_on(exchange, *state, why)) {
      call.stream_ended = why;
      call.resumable = exchange.primed;
      call.stream_ended_at = time_of(seen);
    } else {
      close_call(call, why, time_of(seen), &seen);
    }
  }
  const CloseReason silenced = end_of_legacy_stream(exchange, reason);
  if (silenced != CloseReason::open) close_all(*state, silenced, &seen);
  if (exchange.method != "DELETE" || !exchange.named_session) return;
  if (exchange.status >= 300) state->session.asked_to_end = state->session.ended;
  if (exchange.status >= 200 && exchange.status < 300) {
    state->session.ended = true;
    state->session.ended_at = time_of(seen);
    close_all(*state, CloseReason::session_ended, &seen);
  }
}

// A reply that did not come on its own stream may come on another one: on a resumed stream, on a wrong one, or in answer to the same
// message sent again, as a redirect asks.
bool SessionTracker::may_live_on(const Exchange& exchange, const SessionState& state, CloseReason why) {
  if (says_ask_elsewhere(exchange)) return true;
  if (why == CloseReason::connection_reset || why == CloseReason::stream_closed || why == CloseReason::no_response) return true;
  if (!state.session.ids_tell()) return false;
  return exchange.primed || why == CloseReason::accepted_only;
}

// Why the calls of an exchange have no reply now that it is over; `open`: they never were to come on it.
CloseReason SessionTracker::end_of_call(const Exchange& exchange, const SessionState& state, EndReason reason) const {
  const bool legacy = state.session.keyed_by == SessionKeying::legacy_session_id;
  const bool one_sided = exchange.status == 0 && state.session.responses == 0 && state.session.counts.replies == 0;  // nothing of the server's side was ever seen
  if (exchange.gap || one_sided || reason == EndReason::evidence_gap) return CloseReason::evidence_gap;
  if (reason == EndReason::evidence_ends) return CloseReason::evidence_ends;
  if (exchange.status >= 300) return CloseReason::refused;  // a redirect says to ask elsewhere
  if (legacy) return CloseReason::open;
  if (exchange.status == 202 || exchange.status == 204) return CloseReason::accepted_only;
  const bool by_client = reason == EndReason::closed_by_client || reason == EndReason::reset_by_client;
  if (by_client && (state.session.modern || exchange.stream == StreamKind::listen)) return CloseReason::cancelled;
  if (by_client) return CloseReason::client_closed;
  if (state.session.asked_to_end) return CloseReason::session_ended;  // servers end the streams of a session before they answer its DELETE
  if (reason == EndReason::unknown && (exchange.status == 0 || exchange.is_sse)) return CloseReason::no_response;
  return reason == EndReason::reset_by_server ? CloseReason::connection_reset : CloseReason::stream_closed;
}

// The transport of 2024-11-05 has one stream for all replies of a session: with it end the calls that wait for theirs.
CloseReason SessionTracker::end_of_legacy_stream(const Exchange& exchange, EndReason reason) {
  if (exchange.stream != StreamKind::legacy_sse || exchange.gap) return CloseReason::open;
  switch (reason) {
    case EndReason::closed_by_client:
    case EndReason::reset_by_client: return CloseReason::client_closed;
    case EndReason::complete:
    case EndReason::closed_by_server: return CloseReason::stream_closed;
    case EndReason::reset_by_server: return CloseReason::connection_reset;
    default: return CloseReason::open;
  }
}

// An access line: one exchange told by its end. It may be the other half of a message that a log line of the application showed.
void SessionTracker::on_summary(const Observation& seen) {
  capabilities_ |= model::kExchanges;
  const HttpFacts& http = *seen.http;
  SessionState* state = nullptr;
  const std::vector<Call*> own = take_calls_of_line(seen);
  Call* call = own.empty() ? call_of_peer(http) : own.front();
  if (call && sessions_.alive(call->session)) state = &sessions_.at(call->session);
  if (call && call->closed != CloseReason::open) call = nullptr;
  if (!seen.session.empty()) {
    state = &session_of(seen, nullptr);
  } else if (!call && seen.vantage == model::Vantage::client && http.status >= 400 && http.method == "POST") {
    call = only_call_of_client(seen);
    if (call) state = &sessions_.at(call->session);
    else if (http.status == 404) state = only_given_session(seen);
  } else if (!http.response_session_id.empty()) {
    bool created = false;
    state = &sessions_.named(http.response_session_id, {}, SessionKeying::mcp_session_id, created);
    capabilities_ |= model::kSessions;
    state->session.initialize_seen = state->session.was_alive = true;
    started(*state, created, seen);
  }
  if (state) {
    ++state->session.exchanges;
    if (http.status != 0) ++state->session.responses;
    if (http.status != 0 && http.status < 400) state->session.was_alive = true;
  }
  Event summary = event(EventKind::exchange_summary, seen, state);
  summary.call = call;
  emit(summary);
  if (call && own.empty() && http.status >= 400 && http.method == "POST") close_call(*call, CloseReason::refused, time_of(seen), &seen);
  for (Call* each : own) {
    if (each->closed != CloseReason::open) continue;
    if (http.status < 400 && each->of_access_line && seen.notice == nullptr) learn_from_line(*each, http);
    if (http.status >= 400) close_call(*each, CloseReason::refused, time_of(seen), &seen);
    else if (each->of_access_line) close_call(*each, CloseReason::unseen, time_of(seen), &seen);
  }
}

// A client's own access line names neither session nor call: a refusal is of the only call that it waits for in a session that it was given.
Call* SessionTracker::only_call_of_client(const Observation& seen) {
  const SessionState* state = only_session(seen);
  if (!state || state->session.id.empty()) return nullptr;
  Call* only = nullptr;
  for (const std::uint32_t handle : newest_open(*state)) {
    Call& call = calls_.at(handle);
    if (call.requestor != model::Direction::client_to_server) continue;
    if (only) return nullptr;
    only = &call;
  }
  return only;
}

// A log that shows no messages: its refusals are of the one session that its client was given.
SessionState* SessionTracker::only_given_session(const Observation& seen) {
  SessionState* const state = only_session(seen);
  return state && !state->session.id.empty() && state->session.counts.requests == 0 ? state : nullptr;
}

// What a response without its body still says of its call; one that was cut, nothing.
void SessionTracker::learn_from_line(const Call& call, const HttpFacts& http) {
  const bool told_by_method = http.status == 0 && http.duration_us >= 0;  // a gateway's line about a call, not about its exchange
  const bool was_cut = http.end != EndReason::unknown && http.end != EndReason::complete;
  if ((http.status / 100 != 2 && !told_by_method) || http.response_bytes == 0 || was_cut) return;
  if (call.method == model::kInitialize) sessions_.at(call.session).session.initialize_answered = true;
  if (call.method == model::kToolsCall && http.duration_us >= 0) tool_named(call.target).latency.add(http.duration_us);
}

Call* SessionTracker::call_of_peer(const HttpFacts& http) {
  const auto peer = http.peer_port == 0 ? call_of_peer_.end() : call_of_peer_.find(peer_digest(http.peer, http.peer_port));
  return peer == call_of_peer_.end() ? nullptr : calls_.find(peer->second);
}

// The calls that an access line held or named; its exchange is over now.
std::vector<Call*> SessionTracker::take_calls_of_line(const Observation& seen) {
  std::vector<Call*> calls;
  const auto line = !seen.of_access_line ? calls_of_lines_.end() : calls_of_lines_.find(seen.exchange);
  if (line == calls_of_lines_.end()) return calls;
  for (const CallRef& each : line->second) {
    if (Call* call = calls_.find(each)) calls.push_back(call);
  }
  calls_of_lines_.erase(line);
  return calls;
}

// The call that the line's own reply answers.
Call* SessionTracker::call_of_line(const Observation& seen) {
  const auto line = !seen.of_access_line ? calls_of_lines_.end() : calls_of_lines_.find(seen.exchange);
  if (line == calls_of_lines_.end() || line->second.empty()) return nullptr;
  return calls_.find(line->second.front());
}

// Whether the call's reply may be what a record that breaks off held: it came after the request, and not long after it.
bool SessionTracker::may_be_cut(const Call& call) const {
  if (cut_records_.empty()) return false;
  if (!call.requested_at.known()) return true;
  const auto next = cut_records_.lower_bound(call.requested_at);
  return next != cut_records_.end() && next->us - call.requested_at.us <= kAnsweredWithinUs;
}

// The same of a reply's request.
bool SessionTracker::may_answer_what_is_cut(const Observation& reply) const {
  if (cut_records_.empty()) return false;
  if (!reply.at.known()) return true;
  const auto behind = cut_records_.upper_bound(reply.at);
  return behind != cut_records_.begin() && reply.at.us - std::prev(behind)->us <= kAnsweredWithinUs;
}

void SessionTracker::on_gap(const Observation& seen) {
  const bool of_server = options_.wire && !seen.server.empty() && seen.session.empty() && seen.exchange == 0;
  if (of_server && seen.connection == 0) return sessions_.note_unread(seen.server);
  const bool cut_record = !options_.wire && !seen.gap->whole_input && seen.exchange == 0;
  if (cut_record && (cut_records_.size() >= kCutRecords || !cut_records_.insert(time_of(seen)).second)) return;  // of this moment all is known
  requests_lost_ = requests_lost_ || (options_.wire && seen.direction != model::Direction::server_to_client);
  std::vector<std::uint32_t> touched;
  const auto touch = [&](Exchange& exchange) {
    exchange.gap = true;
    if (exchange.session != kNoSession && sessions_.alive(exchange.session)) touched.push_back(exchange.session);
  };
  if (seen.gap->whole_input) {
    exchanges_.each(touch);
  } else if (seen.exchange != 0) {
    if (Exchange* exchange = exchanges_.find(seen.exchange)) touch(*exchange);
  } else if (seen.connection != 0) {
    exchanges_.mark_gap_on(seen.connection, touch);
  }
  if (of_server) {
    sessions_.each([&](const SessionState& state) {
      if (may_have_sent(state.session, seen, limits_.session_addresses)) touched.push_back(state.session.index);
    });
  }
  if (!seen.session.empty()) touched.push_back(session_of(seen, exchange_of(seen)).session.index);
  if (touched.empty() && seen.connection != 0) {  // between two exchanges, or where a whole one is missing
    const std::uint32_t last = session_of_connection_.find(seen.connection);
    if (last != HandleIndex::kNone && sessions_.alive(last)) touched.push_back(last);
  }
  // It may hide the end of any handshake that is under way: clients of several sessions may share their connections.
  const bool unplaced = !seen.gap->whole_input && (touched.empty() || (options_.wire && seen.exchange == 0));
  if (seen.gap->whole_input) sessions_.each([&](SessionState& state) { touched.push_back(state.session.index); });
  if (unplaced) {
    sessions_.each([](SessionState& state) { state.session.had_gap = state.session.had_gap || (state.session.initialize_seen && !state.session.initialized_seen); });
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const std::uint32_t index : touched) {
    SessionState& state = sessions_.at(index);
    state.session.had_gap = true;
    state.session.damaged = state.session.damaged || seen.gap->whole_input;
    Event gap = event(EventKind::gap, seen, &state);
    emit(gap);
  }
  if (seen.gap->whole_input) damaged_at_ = time_of(seen);
  if (touched.empty() && seen.gap->whole_input) {
    Event gap = event(EventKind::gap, seen, nullptr);
    emit(gap);
  }
}

void SessionTracker::on_stream_event(const Observation& seen) {
  if (Exchange* exchange = exchange_of(seen)) remember_event_id(seen, *exchange);
}

// Which stream an SSE event id belongs to: a stream that resumes another one carries on under the first one's name. False where the id came before.
bool SessionTracker::remember_event_id(const Observation& seen, Exchange& exchange) {
  if (!exchange.primed) {
    if (requests_of_stream_.size() >= limits_.event_ids) requests_of_stream_.clear();
    auto& asked = requests_of_stream_[exchange.id];
    if (seen.stream == model::StreamKind::get_standalone) asked.assign(1, kAsksNothing);
    for (const std::uint32_t handle : exchange.calls) asked.push_back(id_digest(calls_.at(handle).id.view()));
  }
  exchange.primed = true;
  if (exchange.session == kNoSession) return true;
  std::uint64_t origin = exchange.id;
  if (!exchange.last_event_id.empty()) {
    const auto resumed = stream_of_event_.find(hash_bytes(exchange.last_event_id, exchange.session));
    if (resumed != stream_of_event_.end()) origin = resumed->second;
  }
  const std::uint64_t key = hash_bytes(seen.event_id, exchange.session);
  const auto [known, fresh] = stream_of_event_.try_emplace(key, origin);
  // A server that numbers the events of each stream apart: its ids tell no stream.
  if (!fresh && exchange.last_event_id.empty() && known->second != origin) known->second = 0;
  if (!fresh) return false;
  event_order_.push_back(key);
  if (event_order_.size() > limits_.event_ids) {
    stream_of_event_.erase(event_order_.front());
    event_order_.pop_front();
  }
  return true;
}

}  // namespace mcpscan::session
