// Which session an observation belongs to.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "session/session_tracker.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::EventKind;
using model::Exchange;
using model::Observation;
using model::SessionKeying;

namespace {

constexpr std::int64_t kDamageReachUs = kSecond;  // what stands behind a hole is held back for a while before it is told
constexpr std::int64_t kRedirectedWithinUs = 10 * kSecond;
constexpr std::size_t kProcesses = 8;  // of one name, whose counts of ids are followed
constexpr std::int64_t kNoCount = INT64_MIN;
constexpr std::string_view kModernSince = "2026";  // revisions are dates, so they compare as text

bool is_initialize(const Observation& seen) { return seen.message && seen.message->method == model::kInitialize; }

// Each request names its revision, itself or in its head.
void learn_revision(model::Session& session, const Observation& seen, std::string_view head) {
  if (!session.protocol_version.empty()) return;
  session.protocol_version = seen.message && !seen.message->protocol_version.empty() ? seen.message->protocol_version : head;
}

bool is_modern(const Observation& seen, const Exchange& exchange) {
  if (exchange.protocol_version >= kModernSince) return true;
  return seen.message && !is_initialize(seen) && seen.message->protocol_version >= kModernSince;
}

std::string_view transport_of(const Observation& seen, SessionKeying keying) {
  if (keying == SessionKeying::legacy_session_id || seen.stream == model::StreamKind::legacy_sse) return "http-sse";
  if (keying == SessionKeying::process || seen.stream == model::StreamKind::stdio) return "stdio";
  if (keying == SessionKeying::mcp_session_id) return "streamable-http";
  return "unknown";
}

// Of the transport of 2024-11-05, that an endpoint was given out for and nothing was asked in so far: the log's only such one, if it has no others.
SessionState* opened_session(SessionTable& sessions) {
  SessionState* opened = nullptr;
  bool several = false;
  sessions.each([&](SessionState& state) {
    const model::Session& session = state.session;
    several = several || session.keyed_by == SessionKeying::mcp_session_id;
    if (session.keyed_by != SessionKeying::legacy_session_id || !session.start_seen || session.ended || session.counts.requests > 0) return;
    several = several || opened != nullptr;
    opened = &state;
  });
  return several ? nullptr : opened;
}

}  // namespace

SessionState& SessionTracker::session_of(const Observation& seen, Exchange* exchange) {
  if (!seen.session.empty()) {
    const SessionKeying keying = seen.keying == SessionKeying::none ? SessionKeying::mcp_session_id : seen.keying;
    const std::string_view server = exchange ? std::string_view(exchange->server) : seen.server;
    bool created = false;
    SessionState& state = sessions_.named(seen.session, server, keying, created);
    if (keying != SessionKeying::process) capabilities_ |= model::kSessions;
    else clients_name_ = true;
    if (exchange) exchange->session = state.session.index;
    return started(state, created, seen);
  }
  if (exchange) return exchange_session(seen, *exchange);
  const bool from_client = seen.message && seen.direction == model::Direction::client_to_server;
  if (from_client && context_session_ != kNoSession && sessions_.alive(context_session_)) return started(sessions_.at(context_session_), false, seen);
  if (is_initialize(seen)) return pending_session(seen, nullptr);
  return source_session(seen);
}

SessionState& SessionTracker::started(SessionState& state, bool created, const Observation& seen) {
  model::Session& session = state.session;
  if (seen.at.known()) {
    if (!session.first.known() || seen.at < session.first) session.first = seen.at;
    if (!session.last.known() || seen.at > session.last) session.last = seen.at;
    state.told_at = seen.at;
  }
  if (session.transport == "unknown") session.transport = transport_of(seen, session.keyed_by);
  if (created) {
    session.on_wire = options_.wire;
    session.damaged = damaged_at_.known() && time_of(seen).us - damaged_at_.us <= kDamageReachUs;
    session.first_source = seen.source;
    Event fresh = event(EventKind::session_started, seen, &state);
    emit(fresh);
  }
  return state;
}

SessionState& SessionTracker::exchange_session(const Observation& seen, Exchange& exchange) {
  if (exchange.session != kNoSession && sessions_.alive(exchange.session)) return started(sessions_.at(exchange.session), false, seen);
  if (is_initialize(seen)) return pending_session(seen, &exchange);
  const bool modern = is_modern(seen, exchange);
  bool created = false;
  const std::string_view client = modern && seen.message ? seen.message->peer_name : std::string_view();  // several may be at one address
  SessionState& state = sessions_.unnamed(fmt::format("{}{}{} to {}{}", client, client.empty() ? "" : " at ", exchange.peer, exchange.server, modern ? " (2026-07-28)" : ""),
                                          SessionKeying::source, created);
  state.session.modern = modern;
  if (modern) learn_revision(state.session, seen, exchange.protocol_version);
  if (modern && created && !client.empty()) state.session.client_name = client, state.session.client_version = seen.message->peer_version;
  state.session.stateless = !modern;
  state.session.transport = modern ? "modern-http" : "streamable-http";
  exchange.session = state.session.index;
  return started(state, created, seen);
}

// An initialize names no session: its id comes with the response, or in a later line of the log; on the transport of 2024-11-05 it came before.
SessionState& SessionTracker::pending_session(const Observation& seen, Exchange* exchange) {
  if (SessionState* const state = exchange ? redirected_session(seen) : nullptr) {
    exchange->session = state->session.index;
    state->carrier = exchange->id;
    return started(*state, false, seen);
  }
  bool created = false;
  SessionState* const opened = exchange || !endpoints_told_ ? nullptr : opened_session(sessions_);
  SessionState& state = opened ? *opened : sessions_.unnamed(fmt::format("{}#{}", options_.source_name, observed_), exchange ? SessionKeying::connection : SessionKeying::source, created);
  state.pending = !opened;
  if (exchange) {
    exchange->session = state.session.index;
    state.carrier = exchange->id;
  } else {
    if (!opened) pending_.push_back(state.session.index);
    ++nameless_starts_;
    if (source_session_ != kNoSession && sessions_.alive(source_session_)) {
      SessionState& before = sessions_.at(source_session_);
      before.begun_anew_at = time_of(seen);
      // It began before the log did, and is at work: two clients may take turns from here on.
      if (nameless_starts_ == 1 && !before.session.initialize_seen && !before.session.open.empty()) ++nameless_starts_;
    }
    source_session_ = state.session.index;
  }
  return started(state, created, seen);
}

// The one whose initialize was answered by a redirect a moment ago, and is this one; of several the first.
SessionState* SessionTracker::redirected_session(const Observation& seen) {
  const model::RpcMessage& message = *seen.message;
  SessionState* found = nullptr;
  calls_.each_open_by_value(model::Direction::client_to_server, message.id.value, [&](Call& call) {
    const bool same = call.method == message.method && call.params_digest == message.digest && call.stream_ended == CloseReason::refused;
    const bool soon = same && (!seen.at.known() || !call.stream_ended_at.known() || seen.at.us - call.stream_ended_at.us <= kRedirectedWithinUs);
    if (soon && sessions_.alive(call.session) && sessions_.at(call.session).pending) found = &sessions_.at(call.session);
    return true;
  });
  return found;
}

SessionState& SessionTracker::source_session(const Observation& seen) {
  if (seen.message && !is_initialize(seen) && seen.message->protocol_version >= kModernSince) return modern_session(seen);
  SessionState& state = speaker_of_source(seen);
  if (seen.message && seen.message->kind == model::MessageKind::request && direction_of(seen, nullptr) == model::Direction::client_to_server) nameless_asker_ = state.session.index;
  return state;
}

SessionState& SessionTracker::speaker_of_source(const Observation& seen) {
  if (source_session_ != kNoSession && sessions_.alive(source_session_)) {
    SessionState& current = sessions_.at(source_session_);
    // Several sessions began here without a name: whose this message is cannot be told for sure.
    if (nameless_starts_ > 1 && seen.kind == model::ObservationKind::message) current.session.mixed = true;
    return started(current, false, seen);
  }
  if (SessionState* given = given_to_client(seen)) {
    source_session_ = given->session.index;
    return started(*given, false, seen);
  }
  // Notifications say nothing of their revision: where all requests tell the same one, they are of the same conversation.
  const bool notification = seen.message && seen.message->kind == model::MessageKind::notification;
  if (notification && modern_session_ != kNoSession && sessions_.alive(modern_session_)) return started(sessions_.at(modern_session_), false, seen);
  bool created = false;
  SessionState& state = sessions_.unnamed(options_.source_name, SessionKeying::source, created);
  source_session_ = state.session.index;
  return started(state, created, seen);
}

// A client's log says once which session it was given, and names it no more.
SessionState* SessionTracker::given_to_client(const Observation& seen) {
  if (!seen.message || seen.vantage != model::Vantage::client || sessions_.size() != 1) return nullptr;
  SessionState* only = only_session(seen);
  return only && only->session.start_seen && only->session.counts.requests == 0 ? only : nullptr;
}

// A request that says of itself that it needs no session: all such of one source, for display; their ids tell nothing across requests.
SessionState& SessionTracker::modern_session(const Observation& seen) {
  bool created = false;
  SessionState& state = sessions_.unnamed(options_.source_name + " (2026-07-28)", SessionKeying::source, created);
  state.session.modern = true;
  modern_session_ = state.session.index;
  learn_revision(state.session, seen, {});
  return started(state, created, seen);
}

void SessionTracker::bind(SessionState& pending, std::string_view id, std::string_view server, SessionKeying keying, const Observation& seen) {
  capabilities_ |= model::kSessions;
  if (sessions_.give_id(pending, id, server, keying)) {
    pending.session.transport = transport_of(seen, keying);
    return;
  }
  fold(pending, *sessions_.find(id, server));
}

void SessionTracker::fold(SessionState& from, SessionState& into) {
  model::Session& a = from.session;
  model::Session& b = into.session;
  b.counts.requests += a.counts.requests;
  b.counts.replies += a.counts.replies;
  b.counts.notifications += a.counts.notifications;
  b.counts.tools_calls += a.counts.tools_calls;
  b.counts.server_requests += a.counts.server_requests;
  b.paired += a.paired;
  b.exchanges += a.exchanges;
  b.responses += a.responses;
  b.initialize_seen = b.initialize_seen || a.initialize_seen;
  if (b.client_name.empty()) b.client_name = a.client_name, b.client_version = a.client_version;
  if (!b.first.known() || (a.first.known() && a.first < b.first)) b.first = a.first;
  for (const std::uint32_t handle : a.open) {
    Call& call = calls_.at(handle);
    calls_.move(call, b.index);
    b.open.push_back(handle);
    if (!b.stateless) into.ids[0].use(call.id.view(), limits_);
  }
  Exchange* carrier = exchanges_.find(from.carrier);
  if (carrier && carrier->session == a.index) carrier->session = b.index;
  if (source_session_ == a.index) source_session_ = b.index;
  if (nameless_asker_ == a.index) nameless_asker_ = b.index;
  sessions_.remove(from);
}

// The oldest initialize that still waits for its session id.
SessionState* SessionTracker::pending_for_creation() {
  while (!pending_.empty()) {
    const std::uint32_t index = pending_.front();
    if (sessions_.alive(index) && sessions_.at(index).pending) return &sessions_.at(index);
    pending_.pop_front();
  }
  return nullptr;
}

// The session that a statement without one must be about: the only one with open calls, else the only one there is.
SessionState* SessionTracker::only_session(const Observation& seen) {
  if (!seen.session.empty()) return &session_of(seen, nullptr);
  SessionState* busy = nullptr;
  SessionState* any = nullptr;
  std::size_t busy_count = 0;
  sessions_.each([&](SessionState& state) {
    any = &state;
    if (!state.session.open.empty()) busy = &state, ++busy_count;
  });
  if (busy_count == 1) return busy;
  return busy_count == 0 && sessions_.size() == 1 ? any : nullptr;
}

// A process started again under the same name: ids begin anew and nothing that was open can be answered.
void SessionTracker::restart(SessionState& state, const Observation& seen) {
  close_all(state, CloseReason::restarted, &seen);
  state.ids[0].clear();
  state.ids[1].clear();
  state.constant_reply_id.clear();
  ++state.incarnation;
  sessions_.note_restart(time_of(seen));
  begin_count(state);
  state.session.initialize_seen = state.session.initialize_answered = state.session.initialized_seen = false;
  state.session.ended = state.session.asked_to_end = false;
}

void SessionTracker::begin_count(SessionState& state) {
  if (state.counts.size() >= kProcesses) state.counts.erase(state.counts.begin());
  state.counts.push_back(kNoCount);
}

// Each process counts its own ids. One that carries on the count of a process that was taken for ended shows that it lives on beside the new one:
// a host that starts a server twice writes both into one log, under one name.
void SessionTracker::follow_count(SessionState& state, const model::RpcId& id) {
  std::int64_t value = 0;
  const char* const end = id.value.data() + id.value.size();
  if (id.type != model::IdType::integer || std::from_chars(id.value.data(), end, value).ptr != end) return;
  if (state.counts.empty()) begin_count(state);
  std::int64_t& current = state.counts.back();
  if (current == kNoCount || value == current + 1) return void(current = value);
  const auto older = std::find(state.counts.begin(), state.counts.end() - 1, value - 1);
  if (older == state.counts.end() - 1) return void(current = std::max(current, value));
  *older = value;
  state.session.mixed = true;
}

void SessionTracker::remember_peer(SessionState& state, const model::HttpFacts* http) {
  if (!http) return;
  auto& addresses = state.session.addresses;
  if (!http->peer.empty() && addresses.size() < limits_.session_addresses &&
      std::find(addresses.begin(), addresses.end(), http->peer) == addresses.end()) {
    addresses.emplace_back(http->peer);
  }
  auto& principals = state.session.principals;
  if (http->principal != 0 && principals.size() < limits_.session_addresses &&
      std::find(principals.begin(), principals.end(), http->principal) == principals.end()) {
    principals.push_back(http->principal);
  }
}

}  // namespace mcpscan::session
