// FlowSlots: the connections that are open and, for a while, those that are over, so that their last packets do not look like
// a new connection. Knows who was silent longest. Bound: Limits::flows in all. Not thread-safe. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/flow_map.h"
#include "net/tcp_connection.h"

namespace mcpscan::net {

enum class SlotState : std::uint8_t { begun, open, over, uninteresting };  // begun: no data yet

// What is remembered of one direction of a connection that is over.
struct StreamTrace {
  std::uint32_t start = 0, next = 0;
  bool known = false;
};

struct FlowSlot {
  FlowTuple tuple;
  SlotState state = SlotState::begun;
  std::unique_ptr<TcpConnection> connection;  // while begun or open
  std::array<StreamTrace, 2> traces;          // afterwards
  std::int64_t last_seen = 0;
  std::int64_t deadline = TcpConnection::kNever;  // as registered with the owner's timers
  std::uint64_t packets = 0;                  // not yet in the books
  std::uint32_t before = FlowMap::kNone, after = FlowMap::kNone;  // neighbours in the list of its state, longest silent first
};

class FlowSlots {
 public:
  explicit FlowSlots(std::size_t bound) : bound_(bound) {}

  std::uint32_t find(const FlowTuple& tuple);
  // A new slot, begun; there must be room.
  std::uint32_t open(const FlowTuple& tuple, std::int64_t now);
  FlowSlot& operator[](std::uint32_t slot) { return slots_[slot]; }
  void touch(std::uint32_t slot, std::int64_t now);
  // Its first data came.
  void promote(std::uint32_t slot);
  // Ends the connection of the slot and keeps a trace of it.
  void retire(std::uint32_t slot, SlotState state);
  void erase(std::uint32_t slot);

  bool full() const { return used_ >= bound_; }
  std::uint32_t longest_silent_begun() const { return begun_.first; }
  std::uint32_t longest_silent_open() const { return open_.first; }
  std::uint32_t longest_silent_over() const { return over_.first; }
  std::vector<std::uint32_t> live_slots() const;  // begun or open, in the order of their connections' numbers

 private:
  struct List {
    std::uint32_t first = FlowMap::kNone, last = FlowMap::kNone;
  };
  List& list_of(const FlowSlot& slot);
  void append(std::uint32_t slot);
  void unlink(std::uint32_t slot);

  std::size_t bound_, used_ = 0;
  std::vector<FlowSlot> slots_;
  std::vector<std::uint32_t> free_;
  FlowMap map_;
  List begun_, open_, over_;
  std::uint32_t latest_ = FlowMap::kNone;  // found last: packets of one connection come in runs
};

}  // namespace mcpscan::net
