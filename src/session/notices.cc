// Log statements with a known meaning: which session and call they are about, and what they end.
#include <algorithm>
#include <cmath>

#include "model/process_end.h"
#include "session/session_tracker.h"
#include "session/timeout_words.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::Direction;
using model::EventKind;
using model::Notice;
using model::NoticeKind;
using model::Observation;
using model::SessionKeying;

namespace {

constexpr double kWaitTolerance = 0.2;  // a client's own wait against the age its call has in the log
constexpr std::int64_t kToldAtOnceUs = kSecond;  // a client complains of a reply when it reads it
constexpr std::int64_t kRefusedWithinUs = 10 * kSecond;  // a refusal comes at once; what has waited longer was taken
constexpr std::string_view kGetStream = "_GET_stream";

CloseReason close_reason_of(NoticeKind kind) {
  if (kind == NoticeKind::backend_exited) return CloseReason::backend_gone;
  return kind == NoticeKind::client_dead ? CloseReason::client_dead : CloseReason::session_ended;
}

}  // namespace

// Calls of one id in flight, newest first, that a record could be about which names the id only.
struct SessionTracker::Stranded {
  Call* oldest = nullptr;
  std::vector<std::uint32_t> calls;
  std::uint32_t session = kNoSession;
  bool several = false;  // sessions

  bool add(Call& call) {
    several = several || (session != kNoSession && session != call.session);
    session = call.session;
    oldest = &call;
    calls.push_back(call.handle);
    return !several;
  }
};

void SessionTracker::on_notice(const Observation& seen) {
  capabilities_ |= model::kNotices;
  const Notice& notice = *seen.notice;
  Event told = event(EventKind::notice, seen, nullptr);
  switch (notice.kind) {
    case NoticeKind::session_created:
      return on_session_created_notice(seen, told);
    case NoticeKind::session_not_found:
      return on_session_not_found_notice(seen, told);
    case NoticeKind::stream_not_found:
    case NoticeKind::reply_undeliverable:
      return on_undeliverable(seen, told);
    case NoticeKind::request_cancelled:
    case NoticeKind::request_timed_out:
      return on_timeout_notice(seen, told);
    case NoticeKind::unknown_reply_id:
      return on_unknown_reply_notice(seen, told);
    case NoticeKind::request_before_initialize:
      return on_early_request_notice(seen, told);
    case NoticeKind::client_disconnected:
    case NoticeKind::server_started:
    case NoticeKind::server_stopped:
      break;  // they name no session, and looking for one would be guessing
    case NoticeKind::backend_exited:
    case NoticeKind::client_dead:
    case NoticeKind::transport_closed:
    case NoticeKind::session_ended:
    case NoticeKind::session_expired:
    case NoticeKind::session_crashed: {
      SessionState* state = only_session(seen);
      if (!state || (notice.kind == NoticeKind::backend_exited && seen.session.empty() && ended_orderly(notice) && lives_beside(*state))) break;
      told.session = &state->session;
      emit(told);
      if (notice.kind != NoticeKind::backend_exited) {  // a gateway may start its backend again for the same session
        state->session.ended = true;
        state->session.ended_at = time_of(seen);
      }
      return close_all(*state, close_reason_of(notice.kind), &seen);
    }
    default:
      if (SessionState* state = only_session(seen)) told.session = &state->session;
  }
  emit(told);
}

// Another session without a name, done with what it asked, whose process may be the one that was ended: of sessions that nothing names none is more likely.
bool SessionTracker::lives_beside(const SessionState& state) {
  if (state.session.keyed_by != SessionKeying::source) return false;
  bool another = state.session.mixed;
  sessions_.each([&](SessionState& other) {
    another = another || (&other != &state && other.session.keyed_by == SessionKeying::source && other.session.was_alive && !other.session.ended);
  });
  return another;
}

void SessionTracker::on_session_created_notice(const Observation& seen, Event& told) {
  if (!seen.session.empty()) {
    if (!sessions_.find(seen.session, {})) {
      const bool names_pending = seen.keying != SessionKeying::legacy_session_id;  // that one is given out before anything is asked
      endpoints_told_ = endpoints_told_ || !names_pending;
      if (SessionState* pending = names_pending ? pending_for_creation() : nullptr) {
        bind(*pending, seen.session, {}, SessionKeying::mcp_session_id, seen);
      } else if (seen.keying == SessionKeying::mcp_session_id) {
        if (SessionState* opening = only_by_name(true)) sessions_.also_named(*opening, seen.session, seen.keying);
      }
    }
    model::Session& session = session_of(seen, nullptr).session;
    session.start_seen = true;
    told.session = &session;
  }
  emit(told);
}

// The session that goes by a name of its client's making and has no id so far, if there is only one such; where it is `opening`, one that
// waits for the answer to its initialize.
SessionState* SessionTracker::only_by_name(bool opening) {
  if (!clients_name_) return nullptr;
  SessionState* only = nullptr;
  std::size_t count = 0;
  sessions_.each([&](SessionState& state) {
    if (state.session.keyed_by != SessionKeying::process || !state.session.id.empty()) return;
    const auto& open = state.session.open;
    if (opening && std::none_of(open.begin(), open.end(), [&](std::uint32_t handle) { return calls_.at(handle).method == model::kInitialize; })) return;
    only = &state;
    ++count;
  });
  return count == 1 ? only : nullptr;
}

// Told by the one who was refused, it is about a call that it had sent: the one whose id it names, else the only one sent just now. Of several
// it may be any, so that none of them can be missed any more. What a server says of a session that it does not know is about no call it has seen.
void SessionTracker::on_session_not_found_notice(const Observation& seen, Event& told) {
  const bool by_holder = seen.direction == Direction::server_to_client;
  SessionState* state = only_session(seen);
  told.session = state ? &state->session : nullptr;
  if (by_holder && state && state->session.counts.requests == 0) {  // its requests stand under another name, given when the log did not yet run
    if (SessionState* named = only_by_name(false)) state = named;
  }
  Call* refused = nullptr;
  if (state && by_holder) {
    const auto fits = [&](const Call& call) { return call.requestor == Direction::client_to_server && call.id.value == seen.notice->key; };
    for (const std::uint32_t handle : newest_open(*state)) {
      Call& call = calls_.at(handle);
      const std::int64_t age = call.requested_at.known() && seen.at.known() ? seen.at.us - call.requested_at.us : 0;
      if (call.requestor != Direction::client_to_server || (!fits(call) && (call.collided || age > kRefusedWithinUs))) continue;
      ++told.fitting;
      if (told.fitting == 1 || fits(call)) refused = &call;
    }
    if (told.fitting > 1 && !fits(*refused)) {
      for (const std::uint32_t handle : newest_open(*state)) calls_.at(handle).maybe_answered = true;
      refused = nullptr;
    }
  }
  told.call = refused;
  emit(told);
  if (refused) close_call(*refused, CloseReason::refused, time_of(seen), &seen);
}

// "Request stream N not found" and its sisters: a reply had nowhere to go. The SDKs key by the id's text, so the type tells nothing.
void SessionTracker::on_undeliverable(const Observation& seen, Event& told) {
  const std::string_view key = seen.notice->key;
  SessionState* named = seen.session.empty() ? nullptr : &session_of(seen, nullptr);
  Stranded open;
  calls_.each_open_by_value(Direction::client_to_server, key, [&](Call& call) {
    if (named && call.session != named->session.index) return true;
    ++told.fitting;
    return open.add(call);
  });
  if (open.several) open = without_stream(key, told.fitting);
  const bool several = open.several || key == kGetStream;
  Call* const oldest = several ? nullptr : open.oldest;
  if (named) told.session = &named->session;
  if (oldest) told.session = &sessions_.at(oldest->session).session;
  told.call = oldest;
  if (!told.session && !several) {
    calls_.each_finished_by_value(Direction::client_to_server, key, [&](Call& call) {
      if (call.closed == CloseReason::answered || !sessions_.alive(call.session)) return true;
      told.session = &sessions_.at(call.session).session;
      told.other = &call;
      return false;
    });
  }
  if (!told.session && !several && told.fitting == 0) {  // a log that shows no requests, and the beginning of one session alone
    const SessionState* only = only_session(seen);
    if (only && only->session.start_seen && !only->session.ended && only->session.counts.requests == 0) told.session = &only->session;
  }
  emit(told);
  if (oldest) close_call(*oldest, oldest->collided ? CloseReason::overwritten : CloseReason::undeliverable, time_of(seen), &seen);
  if (open.several && key != kGetStream) count_unplaced(key, open.calls, seen);
}

// Of several sessions with calls of one id in flight, those whose reply stream is gone: calls shared the id, and one of them was answered.
SessionTracker::Stranded SessionTracker::without_stream(std::string_view key, std::uint32_t& fitting) {
  Stranded gone;
  fitting = 0;
  calls_.each_open_by_value(Direction::client_to_server, key, [&](Call& call) {
    if (!call.collided) return true;
    const Call* before = calls_.newest_finished(call.session, call.requestor, call.id.view());
    const bool answered = before && before->closed == CloseReason::answered && before->collided && !(before->replied_at < call.requested_at);
    if (!answered) return true;
    ++fitting;
    gone.add(call);
    return true;
  });
  if (!gone.oldest) gone.several = true;  // nothing tells one session from the other
  return gone;
}

// Records that several sessions could have left are no session's. Once there are as many as calls that could have, each of those has its own.
void SessionTracker::count_unplaced(std::string_view key, const std::vector<std::uint32_t>& calls, const Observation& seen) {
  if (calls.empty()) return;
  if (unplaced_.size() >= limits_.same_id_calls) unplaced_.clear();
  if (++unplaced_[std::string(key)] < calls.size()) return;
  unplaced_.erase(std::string(key));
  for (const std::uint32_t handle : calls) close_call(calls_.at(handle), CloseReason::overwritten, time_of(seen), &seen);
}

void SessionTracker::on_timeout_notice(const Observation& seen, Event& told) {
  SessionState* state = only_session(seen);
  Call* call = call_for_timeout(seen, state);
  const bool obeyed = seen.notice->kind == NoticeKind::request_cancelled;
  const bool gave_up = !obeyed || tells_timeout(seen.notice->reason);
  // It may speak of a call whose cancel the log has shown already, and whose id another one has by now.
  if (obeyed && call && (seen.notice->key.empty() || call->generation > 0)) call = nullptr;
  if (!call && !obeyed) told.other = untaken_call(seen, state);
  if (call) state = &sessions_.at(call->session);
  if (told.other) state = &sessions_.at(told.other->session);
  if (gave_up && (call || !obeyed)) told.kind = EventKind::timeout;
  told.session = state ? &state->session : nullptr;
  told.call = call;
  if (call) call->gave_up_at = time_of(seen);
  emit(told);
  if (call) close_unanswered(*call, gave_up ? CloseReason::timed_out : CloseReason::cancelled, time_of(seen), &seen);
}

// A server got a request before any handshake. It names nobody: it must be about the one session that the evidence shows asking without one.
void SessionTracker::on_early_request_notice(const Observation& seen, Event& told) {
  SessionState* early = seen.session.empty() ? nullptr : &session_of(seen, nullptr);
  bool several = false;
  if (!early) {
    sessions_.each([&](SessionState& state) {
      if (state.session.initialize_seen || state.session.counts.requests == 0) return;
      several = several || early != nullptr;
      early = &state;
    });
  }
  if (early && !several) {
    told.session = &early->session;
    told.call = calls_.find(early->last_request);
  }
  emit(told);
}

// By id where it is told, else by tool, else by the wait: the call whose age is what the client says it waited.
Call* SessionTracker::call_for_timeout(const Observation& seen, SessionState* state) {
  const Notice& notice = *seen.notice;
  Call* found = nullptr;
  std::size_t fitting = 0;
  const auto consider = [&](Call& call) {
    if (call.requestor != Direction::client_to_server) return;
    if (!notice.key.empty() && call.id.value != notice.key) return;
    if (!notice.tool.empty() && call.target != notice.tool) return;
    if (notice.key.empty() && notice.wait_us > 0 && call.requested_at.known() && time_of(seen).known()) {
      const double age = static_cast<double>(time_of(seen).us - call.requested_at.us), wait = static_cast<double>(notice.wait_us);
      if (std::abs(age - wait) > std::max(kWaitTolerance * wait, static_cast<double>(kSecond))) return;
    }
    found = &call;
    ++fitting;
  };
  if (state) {
    for (const std::uint32_t handle : newest_open(*state)) consider(calls_.at(handle));
  } else if (!notice.key.empty()) {
    calls_.each_open_by_value(Direction::client_to_server, notice.key, [&](Call& call) { return consider(call), true; });
  }
  return fitting == 1 ? found : nullptr;
}

// A call whose reply came and was not taken is what a client may still give up.
const Call* SessionTracker::untaken_call(const Observation& seen, const SessionState* state) {
  const Call* call = calls_.find(rejected_);
  if (!call || !sessions_.alive(call->session) || (state && call->session != state->session.index)) return nullptr;
  return seen.notice->key.empty() || seen.notice->key == call->id.value ? call : nullptr;
}

// The client's complaint about a reply that the log has shown already: one event, told twice. Where that reply was the first and came in
// time, the client refused what it had asked for.
void SessionTracker::on_unknown_reply_notice(const Observation& seen, Event& told) {
  const SessionState* named = seen.session.empty() ? nullptr : &session_of(seen, nullptr);
  calls_.each_finished_by_value(Direction::client_to_server, seen.notice->key, [&](Call& call) {
    if (named && call.session != named->session.index) return true;
    told.other = &call;
    if (sessions_.alive(call.session)) told.session = &sessions_.at(call.session).session;
    const bool at_once = !seen.at.known() || !call.replied_at.known() || seen.at.us - call.replied_at.us <= kToldAtOnceUs;
    if (call.closed == CloseReason::answered && call.replies == 1 && call.untaken == model::Untaken::no && at_once) {
      call.untaken = model::Untaken::rejected;
      rejected_ = calls_.ref(call);
    }
    return false;
  });
  if (!told.session) {
    if (SessionState* state = only_session(seen)) told.session = &state->session;
  }
  // One that still waits for its reply was asked for.
  if (!told.other && !seen.notice->key.empty()) {
    calls_.each_open_by_value(Direction::client_to_server, seen.notice->key, [&](Call& call) {
      if (told.session && call.session != told.session->index) return true;
      told.call = &call;
      return false;
    });
  }
  emit(told);
}

void SessionTracker::close_all(SessionState& state, CloseReason reason, const Observation* seen) {
  while (!state.session.open.empty()) {
    Call& call = calls_.at(state.session.open.front());
    close_unanswered(call, reason, seen ? time_of(*seen) : now_, seen);
  }
}

}  // namespace mcpscan::session
