#include "session/call_table.h"

#include "base/hash.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::Direction;

namespace {

std::uint64_t value_hash(Direction requestor, std::string_view value) { return hash_bytes(value, static_cast<std::uint64_t>(requestor)); }

std::uint64_t identity_hash(std::uint32_t session, Direction requestor, model::IdType type, std::string_view value) {
  return hash_combine(value_hash(requestor, value), (static_cast<std::uint64_t>(session) << 8) | static_cast<std::uint64_t>(type));
}

void reset(Call& call) {
  call.id.raw.clear();
  call.id.value.clear();
  call.method.clear();
  call.target.clear();
  call.head.clear();
  call.progress_token = {};
  call.taken_by_method.clear();
  call.taken_by_target.clear();
  call.requested_at = call.replied_at = call.closed_at = call.gave_up_at = call.taken_at = call.stream_ended_at = Time{};
  call.reply_source = {};
  call.exchange = call.params_digest = call.reply_digest = 0;
  call.replies = call.generation = 0;
  call.closed = CloseReason::open;
  call.collided = call.maybe_answered = call.batched = call.foreign_reply = call.resumable = false;
  call.untaken = model::Untaken::no;
  call.stream_ended = CloseReason::open;
}

}  // namespace

Call& CallTable::open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  std::uint32_t handle;
  if (free_.empty()) {
    handle = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
    calls_.emplace_back();
  } else {
    handle = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[handle];
  Call& call = calls_[handle];
  reset(call);
  call.handle = handle;
  call.session = session;
  call.requestor = requestor;
  call.id.type = id.type;
  call.id.value.assign(id.value);
  call.id.raw.assign(id.raw);
  slot.serial = next_serial_++;
  slot.open = true;
  link(kIdentity, handle, identity_hash(session, requestor, id.type, id.value));
  link(kValue, handle, value_hash(requestor, id.value));
  opened_.emplace_back(handle, slot.serial);
  if (opened_.size() > 2 * (open_count_ + limits_.finished_calls)) forget_closed();
  ++open_count_;
  return call;
}

void CallTable::forget_closed_front() {
  while (!opened_.empty()) {
    const Slot& slot = slots_[opened_.front().first];
    if (slot.serial == opened_.front().second && slot.open) return;
    opened_.pop_front();
  }
}

// One call that stays open for long must not keep all that were opened after it.
void CallTable::forget_closed() {
  std::erase_if(opened_, [&](const auto& entry) { return slots_[entry.first].serial != entry.second || !slots_[entry.first].open; });
}

std::uint32_t CallTable::oldest_open() {
  forget_closed_front();
  return opened_.empty() ? kNoCall : opened_.front().first;
}

void CallTable::close(Call& call, CloseReason reason, Time at) {
  call.closed = reason;
  call.closed_at = at;
  slots_[call.handle].open = false;
  unlink(kValue, call.handle);
  --open_count_;
  finished_.push_back(call.handle);
  forget_closed_front();
  if (finished_.size() > limits_.finished_calls) {
    release(finished_.front());
    finished_.pop_front();
    prefetch_next_released();
  }
}

// Calls leave in the order they were closed, long after they were last looked at: their memory is asked for a few closes ahead.
void CallTable::prefetch_next_released() const {
  constexpr std::size_t kLinkAhead = 8, kCallAhead = 4, kTextAhead = 2, kLine = 64;
  if (finished_.size() <= kLinkAhead) return;
  __builtin_prefetch(&slots_[finished_[kLinkAhead]]);
  const Slot& slot = slots_[finished_[kCallAhead]];
  newest_[kIdentity].prefetch(slot.links[kIdentity].hash);
  const char* call = reinterpret_cast<const char*>(&calls_[finished_[kCallAhead]]);
  for (std::size_t at = 0; at < sizeof(Call); at += kLine) __builtin_prefetch(call + at, 1);
  const std::string& head = calls_[finished_[kTextAhead]].head;
  for (std::size_t at = 0; at < head.size(); at += kLine) __builtin_prefetch(head.data() + at, 1);
}

void CallTable::move(Call& call, std::uint32_t session) {
  unlink(kIdentity, call.handle);
  call.session = session;
  link(kIdentity, call.handle, identity_hash(session, call.requestor, call.id.type, call.id.value));
}

void CallTable::link(Chain chain, std::uint32_t handle, std::uint64_t hash) {
  const std::uint32_t older = newest_[chain].exchange(hash, handle);
  slots_[handle].links[chain] = {hash, older, kNoCall};
  if (older != kNoCall) slots_[older].links[chain].newer = handle;
}

void CallTable::unlink(Chain chain, std::uint32_t handle) {
  const Link link = slots_[handle].links[chain];
  if (link.older != kNoCall) slots_[link.older].links[chain].newer = link.newer;
  if (link.newer != kNoCall) {
    slots_[link.newer].links[chain].older = link.older;
  } else if (link.older != kNoCall) {
    newest_[chain].exchange(link.hash, link.older);
  } else {
    newest_[chain].erase(link.hash);
  }
}

void CallTable::release(std::uint32_t handle) {
  unlink(kIdentity, handle);
  slots_[handle].serial = 0;
  free_.push_back(handle);
}

void CallTable::each_open_by_value(Direction requestor, std::string_view value, Visit visit) {
  std::uint32_t handle = newest_[kValue].find(value_hash(requestor, value));
  for (std::size_t seen = 0; handle != kNoCall && seen < limits_.same_id_calls; ++seen) {
    Call& call = calls_[handle];
    handle = slots_[handle].links[kValue].older;
    const bool wanted = call.requestor == requestor && call.id.value == value;
    if (wanted && !visit(call)) return;
  }
}

void CallTable::each_finished_by_value(Direction requestor, std::string_view value, Visit visit) {
  std::size_t seen = 0;
  for (auto it = finished_.rbegin(); it != finished_.rend() && seen < limits_.same_id_calls; ++it, ++seen) {
    Call& call = calls_[*it];
    if (call.requestor == requestor && call.id.value == value && !visit(call)) return;
  }
}

void CallTable::each_finished_of(std::uint32_t session, Visit visit) {
  std::size_t seen = 0;
  for (auto it = finished_.rbegin(); it != finished_.rend() && seen < limits_.same_id_calls; ++it, ++seen) {
    if (calls_[*it].session == session && !visit(calls_[*it])) return;
  }
}

Call* CallTable::newest(std::uint32_t session, Direction requestor, const model::RpcId& id, FunctionRef<bool(const Call&)> wanted) {
  std::uint32_t handle = newest_[kIdentity].find(identity_hash(session, requestor, id.type, id.value));
  for (std::size_t seen = 0; handle != kNoCall && seen < limits_.same_id_calls; ++seen) {
    Call& call = calls_[handle];
    handle = slots_[handle].links[kIdentity].older;
    if (call.session == session && call.requestor == requestor && call.id.view() == id && wanted(call)) return &call;
  }
  return nullptr;
}

Call* CallTable::newest_open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  return newest(session, requestor, id, [&](const Call& call) { return slots_[call.handle].open; });
}

Call* CallTable::newest_finished(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  return newest(session, requestor, id, [&](const Call& call) { return !slots_[call.handle].open; });
}

Call* CallTable::sent_again(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  return newest(session, requestor, id, [](const Call& call) { return call.closed == CloseReason::sent_again; });
}

Call* CallTable::other_type_open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  Call* found = nullptr;
  each_open_by_value(requestor, id.value, [&](Call& call) {
    if (call.session == session && call.id.type != id.type) found = &call;
    return found == nullptr;
  });
  return found;
}

}  // namespace mcpscan::session
