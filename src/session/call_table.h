// CallTable: the calls in flight and the calls closed a short while ago, found by id. Handles are recycled; a closed call
// stays until Limits::finished_calls younger ones are closed. A hash only finds: ids are compared in full.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "model/timeline.h"
#include "session/handle_index.h"

namespace mcpscan::session {

constexpr std::uint32_t kNoCall = HandleIndex::kNone;

// A call remembered beyond its time: it is found as long as its place was not given to another.
struct CallRef {
  std::uint32_t handle = kNoCall;
  std::uint64_t serial = 0;
};

class CallTable {
 public:
  explicit CallTable(const Limits& limits) : limits_(limits) {}

  // A fresh call with its identity set. When the table is full() the caller closes oldest_open() first.
  model::Call& open(std::uint32_t session, model::Direction requestor, const model::RpcId& id);
  std::uint32_t oldest_open();
  bool full() const { return open_count_ >= limits_.calls_in_flight; }
  std::size_t open_count() const { return open_count_; }

  // The call stays readable under its handle for a while.
  void close(model::Call& call, model::CloseReason reason, Time at);
  // The call belongs to another session from now on (an initialize whose session id came later).
  void move(model::Call& call, std::uint32_t session);

  model::Call& at(std::uint32_t handle) { return calls_[handle]; }
  CallRef ref(const model::Call& call) const { return {call.handle, slots_[call.handle].serial}; }
  // Null where the call is forgotten.
  const model::Call* find(CallRef ref) const { return ref.handle != kNoCall && slots_[ref.handle].serial == ref.serial ? &calls_[ref.handle] : nullptr; }
  model::Call* find(CallRef ref) { return ref.handle != kNoCall && slots_[ref.handle].serial == ref.serial ? &calls_[ref.handle] : nullptr; }
  const model::Call& at(std::uint32_t handle) const { return calls_[handle]; }

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
  // Two chains, newest first: all calls of one identity (session, requestor, type, value), and the open calls of one id text.
  enum Chain { kIdentity = 0, kValue = 1, kChains = 2 };
  struct Link {
    std::uint64_t hash = 0;
    std::uint32_t older = kNoCall, newer = kNoCall;
  };
  // What chains and ages need of a call, apart from the call itself: a look along a chain touches nothing else.
  struct Slot {
    std::array<Link, kChains> links;
    std::uint64_t serial = 0;  // of this use of the slot; 0: free
    bool open = false;
  };
  void link(Chain chain, std::uint32_t handle, std::uint64_t hash);
  void unlink(Chain chain, std::uint32_t handle);
  void release(std::uint32_t handle);
  void forget_closed_front();
  void forget_closed();
  void prefetch_next_released() const;
  model::Call* newest(std::uint32_t session, model::Direction requestor, const model::RpcId& id, FunctionRef<bool(const model::Call&)> wanted);

  const Limits& limits_;
  std::vector<Slot> slots_;
  std::deque<model::Call> calls_;   // by the same handles; a call never moves
  std::vector<std::uint32_t> free_;
  std::array<HandleIndex, kChains> newest_;
  std::deque<std::pair<std::uint32_t, std::uint64_t>> opened_;  // handle and serial, oldest first; closed ones go lazily
  std::deque<std::uint32_t> finished_;
  std::uint64_t next_serial_ = 1;
  std::size_t open_count_ = 0;
};

}  // namespace mcpscan::session
