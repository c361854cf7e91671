#include "net/flow_slots.h"

#include <algorithm>

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

FlowSlots::List& FlowSlots::list_of(const FlowSlot& slot) {
  if (slot.state == SlotState::begun) return begun_;
  return slot.state == SlotState::open ? open_ : over_;
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

void FlowSlots::promote(std::uint32_t slot) {
  unlink(slot);
  slots_[slot].state = SlotState::open;
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

std::vector<std::uint32_t> FlowSlots::live_slots() const {
  std::vector<std::uint32_t> result;
  for (const List* list : {&begun_, &open_}) {
    for (std::uint32_t slot = list->first; slot != FlowMap::kNone; slot = slots_[slot].after) result.push_back(slot);
  }
  std::sort(result.begin(), result.end(),
            [this](std::uint32_t a, std::uint32_t b) { return slots_[a].connection->number() < slots_[b].connection->number(); });
  return result;
}

}  // namespace mcpscan::net
