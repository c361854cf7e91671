#include "session/call_table.h"

#include "base/hash.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::Direction;

namespace {

std::uint64_t value_hash(Direction requestor, std::string_view value) { return hash_bytes(value, static_cast<std::uint64_t>(requestor)); }

void reset(Call& call) {
  call.id.raw.clear();
  call.id.value.clear();
  call.method.clear();
  call.target.clear();
  call.head.clear();
  call.progress_token = {};
  call.taken_by_method.clear();
  call.taken_by_target.clear();
  call.requested_at = call.replied_at = call.closed_at = call.gave_up_at = call.taken_at = Time{};
  call.reply_source = {};
  call.exchange = call.params_digest = call.reply_digest = 0;
  call.generation = 0;
  call.closed = CloseReason::open;
  call.collided = call.maybe_answered = call.batched = call.one_sided = false;
  call.overwritten_by = kNoCall;
}

}  // namespace

Call& CallTable::open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  std::uint32_t handle;
  if (free_.empty()) {
    handle = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
    serials_.push_back(0);
  } else {
    handle = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[handle];
  Call& call = slot.call;
  reset(call);
  call.handle = handle;
  call.session = session;
  call.requestor = requestor;
  call.id.type = id.type;
  call.id.value.assign(id.value);
  call.id.raw.assign(id.raw);
  slot.in_use = true;
  slot.hash = value_hash(requestor, call.id.value);
  link(handle);
  serials_[handle] = next_serial_;
  opened_.emplace_back(handle, next_serial_++);
  ++open_count_;
  return call;
}

std::uint32_t CallTable::oldest_open() {
  while (!opened_.empty()) {
    const auto [handle, serial] = opened_.front();
    if (serials_[handle] == serial && slots_[handle].call.closed == CloseReason::open) return handle;
    opened_.pop_front();
  }
  return kNoCall;
}

void CallTable::close(Call& call, CloseReason reason, Time at) {
  call.closed = reason;
  call.closed_at = at;
  --open_count_;
  finished_.push_back(call.handle);
  while (!opened_.empty() && (serials_[opened_.front().first] != opened_.front().second ||
                              slots_[opened_.front().first].call.closed != CloseReason::open)) {
    opened_.pop_front();
  }
  if (finished_.size() > limits_.finished_calls) {
    release(finished_.front());
    finished_.pop_front();
  }
}

void CallTable::move(Call& call, std::uint32_t session) { call.session = session; }

void CallTable::link(std::uint32_t handle) {
  Slot& slot = slots_[handle];
  auto [entry, fresh] = newest_.try_emplace(slot.hash, handle);
  slot.newer = kNoCall;
  slot.older = fresh ? kNoCall : entry->second;
  if (!fresh) {
    slots_[entry->second].newer = handle;
    entry->second = handle;
  }
}

void CallTable::unlink(std::uint32_t handle) {
  Slot& slot = slots_[handle];
  if (slot.older != kNoCall) slots_[slot.older].newer = slot.newer;
  if (slot.newer != kNoCall) {
    slots_[slot.newer].older = slot.older;
  } else if (slot.older != kNoCall) {
    newest_[slot.hash] = slot.older;
  } else {
    newest_.erase(slot.hash);
  }
}

void CallTable::release(std::uint32_t handle) {
  unlink(handle);
  slots_[handle].in_use = false;
  serials_[handle] = 0;
  free_.push_back(handle);
}

void CallTable::each(bool open, Direction requestor, std::string_view value, Visit visit) {
  const auto found = newest_.find(value_hash(requestor, value));
  std::uint32_t handle = found == newest_.end() ? kNoCall : found->second;
  for (std::size_t seen = 0; handle != kNoCall && seen < limits_.same_id_calls; ++seen) {
    Slot& slot = slots_[handle];
    handle = slot.older;
    const bool wanted = (slot.call.closed == CloseReason::open) == open && slot.call.requestor == requestor && slot.call.id.value == value;
    if (wanted && !visit(slot.call)) return;
  }
}

void CallTable::each_open_by_value(Direction requestor, std::string_view value, Visit visit) { each(true, requestor, value, visit); }
void CallTable::each_finished_by_value(Direction requestor, std::string_view value, Visit visit) { each(false, requestor, value, visit); }

Call* CallTable::newest_open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  Call* found = nullptr;
  each(true, requestor, id.value, [&](Call& call) {
    if (call.session == session && call.id.type == id.type) found = &call;
    return found == nullptr;
  });
  return found;
}

Call* CallTable::newest_finished(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  Call* found = nullptr;
  each(false, requestor, id.value, [&](Call& call) {
    if (call.session == session && call.id.type == id.type) found = &call;
    return found == nullptr;
  });
  return found;
}

Call* CallTable::other_type_open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  Call* found = nullptr;
  each(true, requestor, id.value, [&](Call& call) {
    if (call.session == session && call.id.type != id.type) found = &call;
    return found == nullptr;
  });
  return found;
}

}  // namespace mcpscan::session
