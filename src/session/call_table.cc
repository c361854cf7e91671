#include "session/call_table.h"

#include <utility>

#include "base/find_text.h"
#include "base/hash.h"
#include "base/prefetch.h"
#include "session/argument_echo.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::Direction;

namespace {

std::uint64_t value_hash(Direction requestor, std::string_view value) { return hash_bytes(value, static_cast<std::uint64_t>(requestor)); }

std::uint64_t identity_hash(std::uint32_t session, Direction requestor, model::IdType type, std::string_view value) {
  return hash_combine(value_hash(requestor, value), (static_cast<std::uint64_t>(session) << 8) | static_cast<std::uint64_t>(type));
}

bool is(const Call& call, std::uint32_t session, Direction requestor, const model::RpcId& id) {
  return call.session == session && call.requestor == requestor && call.id.view() == id;
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
  call.collided = call.maybe_answered = call.batched = call.foreign_reply = call.delivered_again = call.resumable = call.defective = false;
  call.came_instead = model::OtherBody::none;
  call.untaken = model::Untaken::no;
  call.stream_ended = CloseReason::open;
}

}  // namespace

std::uint32_t CallTable::free_slot() {
  if (free_.empty()) {
    slots_.emplace_back();
    calls_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t handle = free_.back();
  free_.pop_back();
  return handle;
}

void CallTable::keep_asked(const Call& call, std::string_view message) {
  if (asked_.size() <= call.handle) asked_.resize(call.handle + 1);
  std::string& asked = asked_[call.handle];
  asked.clear();
  if (call.head.size() < limits_.evidence_text_bytes) return;
  const std::size_t at = find_text(message, kArgumentsKey);
  if (at != std::string_view::npos) asked.assign(message.substr(at, limits_.evidence_text_bytes));
}

std::string_view CallTable::asked(const Call& call) const {
  const bool kept = call.handle < asked_.size() && slots_[call.handle].number == call.number && !asked_[call.handle].empty();
  return kept ? asked_[call.handle] : call.head;
}

Call& CallTable::open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  const std::uint32_t handle = free_slot();
  Slot& slot = slots_[handle];
  Call& call = calls_[handle];
  reset(call);
  call.handle = handle;
  call.session = session;
  call.requestor = requestor;
  call.id.type = id.type;
  call.id.value.assign(id.value);
  call.id.raw.assign(id.raw);
  slot.number = call.number = next_number_++;
  slot.open = true;
  link(kIdentity, handle, identity_hash(session, requestor, id.type, id.value));
  link(kValue, handle, value_hash(requestor, id.value));
  opened_.emplace_back(handle, slot.number);
  if (opened_.size() > 2 * (open_count_ + limits_.finished_calls)) forget_closed();
  ++open_count_;
  return call;
}

void CallTable::forget_closed_front() {
  while (!opened_.empty()) {
    const Slot& slot = slots_[opened_.front().first];
    if (slot.number == opened_.front().second && slot.open) return;
    opened_.pop_front();
  }
}

// One call that stays open for long must not keep all that were opened after it.
void CallTable::forget_closed() {
  std::erase_if(opened_, [&](const auto& entry) { return slots_[entry.first].number != entry.second || !slots_[entry.first].open; });
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
  while (finished_.size() > whole_) put_away_oldest();
}

void CallTable::put_away_oldest() {
  const std::uint32_t handle = finished_.front();
  finished_.pop_front();
  ask_for_next();
  Slot& slot = slots_[handle];
  closed_.keep(slot.links[kIdentity].hash, calls_[handle]);
  unlink(kIdentity, handle);
  slot.number = 0;
  free_.push_back(handle);
}

// Those that are put away next were last touched long ago.
void CallTable::ask_for_next() const {
  constexpr std::size_t kCall = 4, kItsHead = 2, kAskedBytes = 256;
  if (finished_.size() <= kCall) return;
  prefetch_lines(&calls_[finished_[kCall]], sizeof(Call));
  prefetch_lines(&slots_[finished_[kCall]], sizeof(Slot));
  newest_[kIdentity].ask_for(slots_[finished_[kItsHead]].links[kIdentity].hash);
  const std::string& head = calls_[finished_[kItsHead]].head;
  prefetch_lines(head.data(), head.size());
  // The handle is free then, and the next call's: so is what that was asked with.
  if (finished_[kCall] < asked_.size()) prefetch_lines(&asked_[finished_[kCall]], sizeof(std::string));
  if (finished_[kItsHead] < asked_.size()) prefetch_lines(asked_[finished_[kItsHead]].data(), kAskedBytes);
}

// It is the next to be put away again: who asked for it has done so by then.
Call* CallTable::brought_back(std::uint64_t identity, Wanted wanted) {
  if (!closed_.take(identity, wanted, back_)) return nullptr;
  const std::uint32_t handle = free_slot();
  Call& call = calls_[handle];
  std::swap(call, back_);
  call.handle = handle;
  slots_[handle].number = call.number;
  slots_[handle].open = false;
  link_behind(handle, identity);
  finished_.push_front(handle);
  return &call;
}

Call* CallTable::find(CallRef ref) {
  if (ref.handle == kNoCall) return nullptr;
  if (slots_[ref.handle].number == ref.number) return &calls_[ref.handle];
  return closed_by_hash(ref.identity, [&](const Call& call) { return call.number == ref.number; });
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

// As the oldest of its identity, as far as anybody looks.
void CallTable::link_behind(std::uint32_t handle, std::uint64_t hash) {
  std::uint32_t newer = newest_[kIdentity].find(hash);
  if (newer == kNoCall) return link(kIdentity, handle, hash);
  for (std::size_t seen = 1; slots_[newer].links[kIdentity].older != kNoCall && seen < limits_.same_id_calls; ++seen) newer = slots_[newer].links[kIdentity].older;
  Link& before = slots_[newer].links[kIdentity];
  slots_[handle].links[kIdentity] = {hash, before.older, newer};
  if (before.older != kNoCall) slots_[before.older].links[kIdentity].newer = handle;
  before.older = handle;
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

Call* CallTable::whole_by_hash(std::uint64_t identity, Wanted wanted) {
  std::uint32_t handle = newest_[kIdentity].find(identity);
  for (std::size_t seen = 0; handle != kNoCall && seen < limits_.same_id_calls; ++seen) {
    Call& call = calls_[handle];
    handle = slots_[handle].links[kIdentity].older;
    if (wanted(call)) return &call;
  }
  return nullptr;
}

Call* CallTable::closed_by_hash(std::uint64_t identity, Wanted wanted) {
  Call* const call = whole_by_hash(identity, wanted);
  return call ? call : brought_back(identity, wanted);
}

Call* CallTable::newest_open(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  return whole_by_hash(identity_hash(session, requestor, id.type, id.value), [&](const Call& call) { return is(call, session, requestor, id) && slots_[call.handle].open; });
}

Call* CallTable::newest_finished(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  return closed_by_hash(identity_hash(session, requestor, id.type, id.value), [&](const Call& call) { return is(call, session, requestor, id) && call.closed != CloseReason::open; });
}

Call* CallTable::sent_again(std::uint32_t session, Direction requestor, const model::RpcId& id) {
  return closed_by_hash(identity_hash(session, requestor, id.type, id.value), [&](const Call& call) { return is(call, session, requestor, id) && call.closed == CloseReason::sent_again; });
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
