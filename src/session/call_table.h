// CallTable: the calls in flight and the calls closed a short while ago, found by id. A closed call stays until about Limits::finished_calls
// younger ones are closed, under its handle for the first kWhole of them: what is worked with fits into the processor's own caches.
// Then it is packed away, and has another handle should it be asked for. A hash only finds: ids are compared in full.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "model/timeline.h"
#include "session/closed_calls.h"
#include "session/handle_index.h"

namespace mcpscan::session {

constexpr std::uint32_t kNoCall = HandleIndex::kNone;

// A call remembered beyond its time.
struct CallRef {
  std::uint32_t handle = kNoCall;
  std::uint64_t number = 0, identity = 0;
};

class CallTable {
 public:
  explicit CallTable(const Limits& limits)
      : limits_(limits), whole_(std::min(limits.finished_calls, kWhole)), closed_(limits.finished_calls - whole_) {}

  // A fresh call with its identity set. When the table is full() the caller closes oldest_open() first.
  model::Call& open(std::uint32_t session, model::Direction requestor, const model::RpcId& id);
  std::uint32_t oldest_open();
  bool full() const { return open_count_ >= limits_.calls_in_flight; }
  std::size_t open_count() const { return open_count_; }

  // The call stays readable under its handle until kWhole younger ones are closed, or as many as are remembered.
  void close(model::Call& call, model::CloseReason reason, Time at);
  // The call belongs to another session from now on (an initialize whose session id came later).
  void move(model::Call& call, std::uint32_t session);

  // What the call was asked with stands behind the head that is kept of its record: as much again, from there on. `message`: its text.
  void keep_asked(const model::Call& call, std::string_view message);
  // Text that has what the call was asked with, as far as that is kept.
  std::string_view asked(const model::Call& call) const;

  model::Call& at(std::uint32_t handle) { return calls_[handle]; }
  CallRef ref(const model::Call& call) const { return {call.handle, call.number, slots_[call.handle].links[kIdentity].hash}; }
  // Null where the call is forgotten.
  model::Call* find(CallRef ref);

  model::Call* newest_open(std::uint32_t session, model::Direction requestor, const model::RpcId& id);
  model::Call* newest_finished(std::uint32_t session, model::Direction requestor, const model::RpcId& id);
  // A copy of a call that went out once more, whose own reply has not come.
  model::Call* sent_again(std::uint32_t session, model::Direction requestor, const model::RpcId& id);
  // Calls whose id's text equals `value`, in any session, newest first, open ones only; stops when `visit` returns false.
  using Visit = FunctionRef<bool(model::Call&)>;
  void each_open_by_value(model::Direction requestor, std::string_view value, Visit visit);
  void each_finished_by_value(model::Direction requestor, std::string_view value, Visit visit);
  // Calls of the session that are over, the last one first; stops when `visit` returns false.
  void each_finished_of(std::uint32_t session, Visit visit);
  // Open call of the session with the same id value in another JSON type.
  model::Call* other_type_open(std::uint32_t session, model::Direction requestor, const model::RpcId& id);

 private:
  static constexpr std::size_t kWhole = 1024;  // no look at the calls closed last goes further back
  // Two chains, newest first: all calls of one identity (session, requestor, type, value), and the open calls of one id text.
  enum Chain { kIdentity = 0, kValue = 1, kChains = 2 };
  struct Link {
    std::uint64_t hash = 0;
    std::uint32_t older = kNoCall, newer = kNoCall;
  };
  // What chains and ages need of a call, apart from the call itself: a look along a chain touches nothing else.
  struct Slot {
    std::array<Link, kChains> links;
    std::uint64_t number = 0;  // of the call; 0: free
    bool open = false;
  };
  using Wanted = FunctionRef<bool(const model::Call&)>;
  std::uint32_t free_slot();
  void link(Chain chain, std::uint32_t handle, std::uint64_t hash);
  void link_behind(std::uint32_t handle, std::uint64_t hash);
  void unlink(Chain chain, std::uint32_t handle);
  void put_away_oldest();
  void ask_for_next() const;
  model::Call* brought_back(std::uint64_t identity, Wanted wanted);
  void forget_closed_front();
  void forget_closed();
  // The newest that is wanted of those under their handles; the same, or else of those packed away.
  model::Call* whole_by_hash(std::uint64_t identity, Wanted wanted);
  model::Call* closed_by_hash(std::uint64_t identity, Wanted wanted);

  const Limits& limits_;
  std::size_t whole_;
  ClosedCalls closed_;
  model::Call back_;                // scratch
  std::vector<Slot> slots_;
  std::deque<model::Call> calls_;   // by the same handles; a call does not move while it has one
  std::vector<std::string> asked_;  // by the same handles; empty where the head has it
  std::vector<std::uint32_t> free_;
  std::array<HandleIndex, kChains> newest_;
  std::deque<std::pair<std::uint32_t, std::uint64_t>> opened_;  // handle and number, oldest first; closed ones go lazily
  std::deque<std::uint32_t> finished_;
  std::uint64_t next_number_ = 1;
  std::size_t open_count_ = 0;
};

}  // namespace mcpscan::session
