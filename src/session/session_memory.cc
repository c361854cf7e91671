// What one run of a log hands to the next: the sessions that have an id, with the ids they used. Calls in flight are not handed on: they are
// read again.
#include "session/session_tracker.h"

namespace mcpscan::session {

using model::Session;
using model::SessionKeying;
using model::SessionMemory;

namespace {

constexpr std::int64_t kRememberedUs = 7 * kDay;  // a session silent for longer is over

bool is_lasting(const Session& session) { return session.keyed_by == SessionKeying::mcp_session_id || session.keyed_by == SessionKeying::legacy_session_id; }

}  // namespace

void SessionTracker::each_busy_session(FunctionRef<void(const model::SourceRef&)> visit) {
  sessions_.each([&](SessionState& state) {
    if (!state.session.open.empty()) visit(state.busy_since);
  });
}

std::vector<SessionMemory> SessionTracker::memories() {
  std::vector<SessionMemory> list;
  sessions_.each([&](SessionState& state) {
    const Session& session = state.session;
    const bool long_silent = session.last.known() && now_.known() && now_.us - session.last.us > kRememberedUs;
    if (session.id.empty() || long_silent || !is_lasting(session)) return;
    SessionMemory& memory = list.emplace_back();
    memory.id = session.id;
    memory.server_endpoint = session.server_endpoint;
    memory.transport = session.transport;
    memory.protocol_version = session.protocol_version;
    memory.client_name = session.client_name;
    memory.client_version = session.client_version;
    memory.server_name = session.server_name;
    memory.server_version = session.server_version;
    memory.keyed_by = session.keyed_by;
    memory.first = session.first;
    memory.last = session.last;
    memory.start_seen = session.start_seen;
    memory.initialize_seen = session.initialize_seen;
    memory.initialize_answered = session.initialize_answered;
    memory.initialized_seen = session.initialized_seen;
    memory.was_alive = session.was_alive;
    memory.ended = session.ended;
    memory.mixed = session.mixed;
    memory.addresses = session.addresses;
    memory.principals = session.principals;
    memory.client_ids = state.ids[0].memory();
    memory.server_ids = state.ids[1].memory();
  });
  return list;
}

void SessionTracker::recall(const SessionMemory& memory) {
  if (sessions_.crowded()) return;
  bool created = false;
  SessionState& state = sessions_.named(memory.id, memory.server_endpoint, memory.keyed_by, created);
  Session& session = state.session;
  session.transport = memory.transport;
  session.protocol_version = memory.protocol_version;
  session.client_name = memory.client_name;
  session.client_version = memory.client_version;
  session.server_name = memory.server_name;
  session.server_version = memory.server_version;
  session.first = memory.first;
  session.last = memory.last;
  session.start_seen = memory.start_seen;
  session.initialize_seen = memory.initialize_seen;
  session.initialize_answered = memory.initialize_answered;
  session.initialized_seen = memory.initialized_seen;
  session.was_alive = memory.was_alive;
  session.ended = memory.ended;
  session.mixed = memory.mixed;
  session.addresses = memory.addresses;
  session.principals = memory.principals;
  state.ids[0].recall(memory.client_ids);
  state.ids[1].recall(memory.server_ids);
}

}  // namespace mcpscan::session
