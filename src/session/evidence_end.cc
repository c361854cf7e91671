#include "session/evidence_end.h"

#include <algorithm>

namespace mcpscan::session {

using model::Call;
using model::SessionKeying;

namespace {

constexpr std::int64_t kReplyDueUs = 60 * kSecond;  // most clients wait so long

}  // namespace

EvidenceEnd::Wait EvidenceEnd::wait_of(const Call& call, const SessionState& state) const {
  Wait wait;
  wait.end = certain_for(call, state);
  if (const Time anew = client_began_anew(state); anew.known() && call.requested_at.known() && anew < wait.end) {
    wait.end = anew;
    wait.given_up = anew.us - call.requested_at.us < kReplyDueUs;
  }
  wait.untold = !wait.given_up && tells_nothing(call, state.session, wait.end);
  return wait;
}

// The last message of a call's own session shows that time went by, and so do other records but for a step that may be none. Of several clocks only
// the message that was told last goes by that of the call.
Time EvidenceEnd::certain_for(const Call& call, const SessionState& state) const {
  if (!records_ || !records_->last().known() || !state.told_at.known()) return now_;
  return clocks_differ() ? state.told_at : std::max(state.session.last, records_->reach(call.requested_at));
}

// When the process that was the session's client may have been ended: where nothing names a session the next one began then, and where a host names
// its servers, it began with another one anew after the last that this one said.
Time EvidenceEnd::client_began_anew(const SessionState& state) const {
  if (state.session.keyed_by == SessionKeying::source) return state.begun_anew_at;
  return state.session.keyed_by == SessionKeying::process && state.session.last.known() ? sessions_.restart_behind(state.session.last) : Time{};
}

// Of evidence that shows replies: no clock tells how long the call waited, or the reply may have been taken for another client's; clocks that differ,
// and one that jumps, may show a wait that was none.
bool EvidenceEnd::tells_nothing(const Call& call, const model::Session& session, Time end) const {
  if (call.requestor != model::Direction::client_to_server || session.paired == 0) return false;
  if (session.mixed || !call.requested_at.known()) return true;
  const Time latest = records_ ? std::max(now_, records_->last()) : now_;
  return latest.us - call.requested_at.us >= kReplyDueUs && end.us - call.requested_at.us < kReplyDueUs;
}

}  // namespace mcpscan::session
