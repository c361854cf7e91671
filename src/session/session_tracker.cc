#include "session/session_tracker.h"

#include <algorithm>

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::Direction;
using model::EventKind;
using model::Exchange;
using model::Observation;
using model::ObservationKind;
using model::TimelineEvent;

namespace {

constexpr std::uint64_t kExpireEvery = 4096;  // observations between two looks at the oldest open call
constexpr std::int64_t kResumedWithinUs = 10 * kSecond;  // the SDKs come back after one to three seconds, or as long as the server asks
constexpr std::uint64_t kOfSampled = 16;  // of so many connections a capture may show one: by a filter, or at one of several lines
constexpr std::string_view kOthersKey = "(others)";
constexpr std::string_view kUnattributedKey = "(no session told)";

void add_counts(model::SessionCounts& to, const model::SessionCounts& from) {
  to.requests += from.requests;
  to.replies += from.replies;
  to.notifications += from.notifications;
  to.tools_calls += from.tools_calls;
  to.server_requests += from.server_requests;
}

bool says_something(const model::Session& session) {
  const auto& c = session.counts;
  return c.requests + c.replies + c.notifications + c.server_requests + session.exchanges > 0 || !session.id.empty();
}

}  // namespace

SessionTracker::SessionTracker(const Limits& limits, TrackerOptions options, model::EventSink& events)
    : limits_(limits), options_(std::move(options)), events_(events), sessions_(limits), calls_(limits), exchanges_(limits), held_(limits) {}

void SessionTracker::observe(const Observation& seen) {
  if (seen.at.known()) {
    capabilities_ |= model::kTimes;
    if (!now_.known() || seen.at > now_) now_ = seen.at;
  } else if (seen.not_before.known() && now_.known() && seen.not_before > now_) {
    now_ = seen.not_before;
  }
  if (++observed_ % kExpireEvery == 0) expire();
  if (sessions_.crowded()) make_room();
  if (!held_.empty()) settle_held(&seen);
  switch (seen.kind) {
    case ObservationKind::message: return on_message(seen);
    case ObservationKind::body: return;
    case ObservationKind::exchange_request: return on_exchange_request(seen);
    case ObservationKind::exchange_response: return on_exchange_response(seen);
    case ObservationKind::exchange_end: return on_exchange_end(seen);
    case ObservationKind::exchange_summary: return on_summary(seen);
    case ObservationKind::notice: return on_notice(seen);
    case ObservationKind::gap: return on_gap(seen);
    case ObservationKind::stream_event: return on_stream_event(seen);
    case ObservationKind::outcome: return on_outcome(seen);
    case ObservationKind::context: context_session_ = session_of(seen, nullptr).session.index; return;
  }
}

// A client's record has sessions of its own, which say nothing about MCP's: who showed what is joined with the wire by the rules.
void SessionTracker::on_outcome(const Observation& seen) {
  capabilities_ |= model::kOutcomes;
  TimelineEvent outcome = event(EventKind::outcome, seen, nullptr);
  emit(outcome);
}

// What tells no time comes right behind what was told before, unless it may have come at any time after.
Time SessionTracker::time_of(const Observation& seen) const { return seen.at.known() || seen.untimed ? seen.at : now_; }

TimelineEvent SessionTracker::event(EventKind kind, const Observation& seen, const SessionState* state) const {
  TimelineEvent event;
  event.kind = kind;
  event.at = time_of(seen);
  event.source = seen.source;
  event.session = state ? &state->session : nullptr;
  event.observation = &seen;
  event.modern = state && state->session.modern;
  return event;
}

ToolStatistics& SessionTracker::tool_named(std::string_view name) {
  const auto found = tools_.find(name);
  if (found != tools_.end()) return found->second;
  return tools_[std::string(tools_.size() < limits_.tools ? name : kOthersKey)];
}

// Where each open call of a session is looked at, the newest ones are.
std::span<const std::uint32_t> SessionTracker::newest_open(const SessionState& state) const {
  const std::span<const std::uint32_t> open(state.session.open);
  return open.last(std::min(open.size(), limits_.same_id_calls));
}

Call& SessionTracker::open_call(const Observation& seen, SessionState& state, Exchange* exchange, Direction requestor) {
  if (calls_.full()) {
    ++aged_out_;
    close_call(calls_.at(calls_.oldest_open()), CloseReason::aged_out, now_, nullptr);
  }
  const model::RpcMessage& message = *seen.message;
  Call& call = calls_.open(state.session.index, requestor, message.id);
  call.method.assign(message.method);
  call.target.assign(message.target);
  call.requested_at = time_of(seen);
  call.source = seen.source;
  call.params_digest = message.digest;
  call.arguments_digest = message.arguments_digest;
  call.batched = message.batch_size > 0;
  call.defective = message.defects != 0;
  call.of_access_line = seen.of_access_line;
  call.maybe_answered = !message.id.present();  // nothing tells which reply would be its own
  call.head.assign(seen.text.substr(0, limits_.evidence_text_bytes));
  calls_.keep_asked(call, message.text);
  if (message.progress_token.present()) call.progress_token = model::OwnedId(message.progress_token);
  if (exchange && requestor != Direction::server_to_client) {  // the answer to a server's request comes by a POST of its own
    call.exchange = exchange->id;
    exchange->carries_request = true;
    exchange->calls.push_back(call.handle);
  }
  if (call.handle >= writers_.size()) writers_.resize(call.handle + 1);
  writers_[call.handle] = exchange ? 0 : seen.connection;
  if (state.session.open.empty()) state.busy_since = seen.source;
  state.session.open.push_back(call.handle);
  return call;
}

void SessionTracker::close_call(Call& call, CloseReason reason, Time at, const Observation* seen) {
  SessionState& state = sessions_.at(call.session);
  auto& open = state.session.open;
  open.erase(std::remove(open.begin(), open.end(), call.handle), open.end());
  call.closed = reason;
  call.closed_at = at;
  if (reason == CloseReason::answered && !at.known() && now_.known()) ++untimed_, state.session.untimed = true;
  if (reason != CloseReason::answered) {
    TimelineEvent closed;
    closed.kind = EventKind::call_closed;
    closed.at = at;
    closed.source = seen ? seen->source : call.source;
    closed.session = &state.session;
    closed.call = &call;
    closed.observation = seen;
    closed.modern = state.session.modern;
    emit(closed);
  }
  calls_.close(call, reason, at);
}

// A call whose own stream was over already ended then, whatever else ends it now. Where bytes of that stream are missing, its reply may have been
// among them; a stream that can be resumed goes on elsewhere, in what is missing of the session or behind the end of the evidence.
void SessionTracker::close_unanswered(Call& call, CloseReason otherwise, Time at, const Observation* seen) {
  const bool ended_before = call.stream_ended != CloseReason::open;
  const Exchange* const own = call.exchange == 0 ? nullptr : exchanges_.find(call.exchange);
  if ((own && own->gap) || may_be_cut(call)) otherwise = CloseReason::evidence_gap;
  if (ended_before && call.resumable) {
    const bool soon = otherwise == CloseReason::evidence_ends && (!at.known() || !call.stream_ended_at.known() || at.us - call.stream_ended_at.us < kResumedWithinUs);
    if (soon || sessions_.at(call.session).session.had_gap) return close_call(call, soon ? otherwise : CloseReason::evidence_gap, at, seen);
  }
  close_call(call, ended_before ? call.stream_ended : otherwise, ended_before ? call.stream_ended_at : at, seen);
}

void SessionTracker::expire() {
  for (std::uint32_t handle = calls_.oldest_open(); handle != kNoCall && now_.known(); handle = calls_.oldest_open()) {
    Call& call = calls_.at(handle);
    if (!call.requested_at.known() || now_.us - call.requested_at.us <= limits_.call_age_us) return;
    ++aged_out_;
    close_unanswered(call, CloseReason::aged_out, now_, nullptr);
  }
}

void SessionTracker::make_room() {
  sessions_.retire_oldest([&](SessionState& state) {
    ++retired_;
    if (source_session_ == state.session.index) source_session_ = kNoSession;
    if (modern_session_ == state.session.index) modern_session_ = kNoSession;
    finish_session(state, EvidenceEnd(now_, nullptr, sessions_));
  });
}

void SessionTracker::finish_session(SessionState& state, const EvidenceEnd& end) {
  model::Session& session = state.session;
  const bool client_waits = session.paired < session.counts.requests;
  const bool server_waits = std::any_of(session.open.begin(), session.open.end(), [&](std::uint32_t handle) { return calls_.at(handle).requestor == model::Direction::server_to_client; });
  if (end.clocks_differ()) session.client_spoke_at = Time{};  // it may go by another clock than what it was asked
  while (!session.open.empty()) {
    Call& call = calls_.at(session.open.front());
    const EvidenceEnd::Wait wait = end.wait_of(call, state);
    untold_waits_ += wait.untold;
    close_unanswered(call, wait.given_up ? CloseReason::restarted : CloseReason::evidence_ends, wait.end, nullptr);
  }
  session.unread_connections = options_.wire && sessions_.has_unread(session.server_endpoint);
  for (const std::size_t requestor : {0, 1}) {
    if (session.unread_connections) {
      session.unseen_ids[requestor] = {{INT64_MIN, INT64_MAX}};
      session.lacks_ids = true;
      continue;
    }
    session.unseen_ids[requestor] = state.ids[requestor].may_be_left_out(kOfSampled);
    session.lacks_ids = session.lacks_ids || !state.ids[requestor].left_out().empty();
    // What goes on with a count where no call waits answers requests that the evidence lacks.
    if (requestor == 0 ? client_waits : server_waits) continue;
    for (const model::IdRange& run : state.ids[requestor].answered_behind(state.unasked[requestor])) {
      session.unseen_ids[requestor].push_back(run);
      session.lacks_ids = true;
    }
  }
  TimelineEvent finished;
  finished.kind = EventKind::session_finished;
  finished.at = now_;
  finished.source = session.first_source;
  finished.session = &session;
  emit(finished);
  ledgers_complete_ = ledgers_complete_ && state.ids[0].complete() && state.ids[1].complete();
  if (!says_something(session)) return;
  if (rows_.size() >= limits_.report_sessions) {
    ++rows_left_out_;
    if (rows_.back().key != kOthersKey) {
      rows_.emplace_back();
      rows_.back().key = std::string(kOthersKey);
    }
    add_counts(rows_.back().counts, session.counts);
    rows_.back().paired += session.paired;
    return;
  }
  rows_.push_back({session.key, session.id, session.keyed_by, session.transport, session.protocol_version, session.client_name,
                   session.client_version, session.server_name, session.server_version, session.first, session.last, session.counts, session.paired,
                   session.latency.total()});
}

void SessionTracker::finish(const model::RecordTimes* records) {
  settle_held(nullptr);
  const EvidenceEnd end(now_, records, sessions_);
  sessions_.each([&](SessionState& state) { finish_session(state, end); });
  if (unattributed_ > 0) {
    rows_.emplace_back();
    rows_.back().key = std::string(kUnattributedKey);
    rows_.back().counts.replies = unattributed_;
  }
}

}  // namespace mcpscan::session
