#include "net/flow_slots.h"

namespace mcpscan::net {

std::uint32_t FlowSlots::find(const FlowTuple& tuple) {
  if (latest_ != FlowMap::kNone && slots_[latest_].tuple == tuple) return latest_;
  const std::uint32_t found = map_.find(tuple, [this](std::uint32_t slot) -> const FlowTuple& { return slots_[slot].tuple; });
  if (found != FlowMap::kNone) latest_ = found;
  return found;
}

std::uint32_t FlowSlots::open(const FlowTuple& tuple, std::int64_t now) {
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].tuple = tuple;
  slots_[slot].last_seen = now;
  append(slot);
  map_.insert(tuple, slot);
  ++used_;
  return latest_ = slot;
}

void FlowSlots::append(std::uint32_t slot) {
  List& list = list_of(slots_[slot]);
  slots_[slot].before = list.last;
  slots_[slot].after = FlowMap::kNone;
  if (list.last != FlowMap::kNone) slots_[list.last].after = slot;
  else list.first = slot;
  list.last = slot;
}

void FlowSlots::unlink(std::uint32_t slot) {
  const FlowSlot& gone = slots_[slot];
  List& list = list_of(gone);
  if (gone.before != FlowMap::kNone) slots_[gone.before].after = gone.after;
  else list.first = gone.after;
  if (gone.after != FlowMap::kNone) slots_[gone.after].before = gone.before;
  else list.last = gone.before;
}

void FlowSlots::touch(std::uint32_t slot, std::int64_t now) {
  slots_[slot].last_seen = now;
  if (slots_[slot].after == FlowMap::kNone) return;
  unlink(slot);
  append(slot);
}

void FlowSlots::retire(std::uint32_t slot, SlotState state) {
  FlowSlot& over = slots_[slot];
  for (int side = 0; side < 2; ++side) {
    const TcpStream& stream = over.connection->stream(side);
    over.traces[static_cast<std::size_t>(side)] = {static_cast<std::uint32_t>(stream.start), static_cast<std::uint32_t>(stream.next), stream.known};
  }
  unlink(slot);
  over.state = state;
  over.connection.reset();
  append(slot);
}

void FlowSlots::erase(std::uint32_t slot) {
  map_.erase(slots_[slot].tuple, slot);
  unlink(slot);
  slots_[slot] = FlowSlot{};
  free_.push_back(slot);
  --used_;
  if (latest_ == slot) latest_ = FlowMap::kNone;
}

std::vector<std::uint32_t> FlowSlots::open_slots() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t slot = open_.first; slot != FlowMap::kNone; slot = slots_[slot].after) result.push_back(slot);
  return result;
}

}  // namespace mcpscan::net
