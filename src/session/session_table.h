// SessionTable: sessions by what names them. A session id is one whether written with or without dashes, in either case; where the
// evidence names the server endpoint it is part of the key. At most Limits::sessions are followed; the longest silent ones are
// let go first, through `retire`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "model/session_id.h"
#include "model/timeline.h"
#include "session/call_table.h"
#include "session/id_ledger.h"

namespace mcpscan::session {

constexpr std::uint32_t kNoSession = UINT32_MAX;

// What the tracker keeps beside the session that rules see.
struct SessionState {
  model::Session session;
  IdLedger ids[2];            // used by the client, used by the server
  IdLedger unasked[2];        // answered on a wire although no request of that side is known
  model::SourceRef busy_since;  // the first request since no call was open, where one is
  std::uint64_t last_touch = 0;
  std::uint32_t incarnation = 1;
  std::vector<std::int64_t> counts;  // process: the last id of each process of this name, the one started last behind
  CallRef last_request;       // of the client
  std::string constant_reply_id;  // an id the server has put on foreign replies before
  std::string second_key;     // of its id, where it has a key of another kind
  bool pending = false;       // an initialize whose session id is not known yet
  std::uint64_t carrier = 0;  // the exchange that brought that initialize; no other can be of a pending session
  Time told_at;               // of what was told of it last, which on several clocks need not be the latest
  Time begun_anew_at;         // where nothing names a session: when the next one began
  bool requests_shown = false;  // by records other than access lines
};

using model::normalise_session_id;

// What its client sent. An access line shows requests only, so that there may have been more.
inline void note_client(model::Session& session, const model::Observation& seen) {
  if (!seen.of_access_line && seen.at > session.client_spoke_at) session.client_spoke_at = seen.at;
}

class SessionTable {
 public:
  using Retire = FunctionRef<void(SessionState&)>;

  explicit SessionTable(const Limits& limits) : limits_(limits) {}

  // The session of that id at that server; created with `keyed_by` when new (`created` says so).
  SessionState& named(std::string_view id, std::string_view server, model::SessionKeying keyed_by, bool& created);
  SessionState* find(std::string_view id, std::string_view server);
  SessionState* find_any_server(std::string_view id);
  // A session without an id, under a key of the tracker's making.
  SessionState& unnamed(std::string_view key, model::SessionKeying keyed_by, bool& created);
  // `from` had no id; it is now the session `id`. False when that session exists already (the caller folds `from` into it).
  bool give_id(SessionState& from, std::string_view id, std::string_view server, model::SessionKeying keyed_by);
  // `state` goes by a name that is no session id; it is the session `id` as well. False when that session exists already.
  bool also_named(SessionState& state, std::string_view id, model::SessionKeying keyed_by);
  void remove(SessionState& state);

  SessionState& at(std::uint32_t index) { return *slots_[index]; }
  bool alive(std::uint32_t index) const { return index < slots_.size() && slots_[index] != nullptr; }
  std::size_t size() const { return live_; }
  bool crowded() const { return live_ >= limits_.sessions; }
  // Lets a tenth of the sessions go, those silent for longest.
  void retire_oldest(Retire retire);
  // Every session in order of its first appearance.
  void each(FunctionRef<void(SessionState&)> visit);
  void touch(SessionState& state) { state.last_touch = ++clock_; }
  // A connection to this server could not be read: any of its sessions may have spoken there.
  void note_unread(std::string_view server);
  bool has_unread(std::string_view server) const;
  // A process that a session is named after began anew; the first such time behind `at`, unknown where there is none.
  void note_restart(Time at);
  Time restart_behind(Time at) const;

 private:
  SessionState& create(std::string key);
  static std::string key_of(std::string_view id, std::string_view server);

  const Limits& limits_;
  std::vector<std::unique_ptr<SessionState>> slots_;   // by index; an index is never used again
  std::unordered_map<std::string, std::uint32_t> by_key_;
  // Whose a name was, by a hash of it: what normalising it and looking for the key would find again.
  struct Remembered {
    std::uint64_t hash = 0, naming = 0;
    std::uint32_t index = kNoSession;
  };
  static constexpr std::size_t kRestarts = 4096;
  static constexpr std::size_t kFirstRemembered = 32, kRemembered = 1024;  // powers of two; more than the first once there are more sessions
  Remembered& remembered(std::uint64_t hash);

  std::vector<Remembered> remembered_;
  std::unordered_set<std::string> unread_;             // servers; Limits::sessions, then it is told of each
  std::set<Time> restarts_;                            // the latest kRestarts
  std::uint64_t naming_ = 1;                           // changes when a key is taken from a session
  std::uint64_t clock_ = 0;
  std::size_t live_ = 0;
};

}  // namespace mcpscan::session
