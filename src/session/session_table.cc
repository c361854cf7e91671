#include "session/session_table.h"

#include <algorithm>

#include "base/hash.h"

namespace mcpscan::session {
std::string SessionTable::key_of(std::string_view id, std::string_view server) {
  std::string key = normalise_session_id(id);
  if (!server.empty()) {
    key += '@';
    key += server;
  }
  return key;
}

SessionState& SessionTable::create(std::string key) {
  const auto index = static_cast<std::uint32_t>(slots_.size());
  slots_.push_back(std::make_unique<SessionState>());
  SessionState& state = *slots_.back();
  state.session.index = index;
  state.session.key = key;
  by_key_.emplace(std::move(key), index);
  ++live_;
  touch(state);
  return state;
}

SessionState& SessionTable::named(std::string_view id, std::string_view server, model::SessionKeying keyed_by, bool& created) {
  created = false;
  const std::uint64_t hash = hash_combine(hash_bytes(id), hash_bytes(server));
  Remembered& known = remembered(hash);
  if (known.naming == naming_ && known.hash == hash) {
    SessionState& state = at(known.index);
    if (state.session.label == id && state.session.server_endpoint == server) {  // a process has no id, but its name
      touch(state);
      return state;
    }
  }
  std::string key = key_of(id, server);
  const auto found = by_key_.find(key);
  SessionState& state = found != by_key_.end() ? at(found->second) : create(std::move(key));
  if (found == by_key_.end()) {
    created = true;
    state.session.keyed_by = keyed_by;
    state.session.id = state.session.label = std::string(id);
    state.session.server_endpoint = std::string(server);
    if (keyed_by == model::SessionKeying::process) state.session.id.clear();
  }
  touch(state);
  known = {hash, naming_, state.session.index};
  return state;
}

SessionTable::Remembered& SessionTable::remembered(std::uint64_t hash) {
  if (remembered_.size() < std::min(kRemembered, by_key_.size() + 1)) {
    const std::size_t room = remembered_.empty() ? kFirstRemembered : kRemembered;
    remembered_.clear();
    remembered_.resize(room);
  }
  return remembered_[hash & (remembered_.size() - 1)];
}

SessionState* SessionTable::find(std::string_view id, std::string_view server) {
  const auto found = by_key_.find(key_of(id, server));
  return found == by_key_.end() ? nullptr : &at(found->second);
}

SessionState* SessionTable::find_any_server(std::string_view id) {
  if (SessionState* exact = find(id, {})) return exact;
  const std::string wanted = normalise_session_id(id);
  for (const auto& state : slots_) {
    if (state && !state->session.id.empty() && normalise_session_id(state->session.id) == wanted) return state.get();
  }
  return nullptr;
}

SessionState& SessionTable::unnamed(std::string_view key, model::SessionKeying keyed_by, bool& created) {
  const auto found = by_key_.find(std::string(key));
  created = found == by_key_.end();
  SessionState& state = created ? create(std::string(key)) : at(found->second);
  if (created) {
    state.session.keyed_by = keyed_by;
    state.session.label = state.session.key;
  }
  touch(state);
  return state;
}

bool SessionTable::give_id(SessionState& from, std::string_view id, std::string_view server, model::SessionKeying keyed_by) {
  std::string key = key_of(id, server);
  if (by_key_.contains(key)) return false;
  by_key_.erase(from.session.key);
  ++naming_;
  from.session.key = key;
  from.session.id = from.session.label = std::string(id);
  from.session.server_endpoint = std::string(server);
  from.session.keyed_by = keyed_by;
  from.pending = false;
  by_key_.emplace(std::move(key), from.session.index);
  return true;
}

bool SessionTable::also_named(SessionState& state, std::string_view id, model::SessionKeying keyed_by) {
  std::string key = key_of(id, {});
  if (!by_key_.try_emplace(key, state.session.index).second) return false;
  ++naming_;
  state.second_key = std::move(key);
  state.session.id = state.session.label = std::string(id);
  state.session.keyed_by = keyed_by;
  return true;
}

void SessionTable::remove(SessionState& state) {
  const std::uint32_t index = state.session.index;
  by_key_.erase(state.session.key);
  if (!state.second_key.empty()) by_key_.erase(state.second_key);
  ++naming_;
  slots_[index].reset();
  --live_;
}

void SessionTable::retire_oldest(Retire retire) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ages;
  for (const auto& state : slots_) {
    if (state) ages.emplace_back(state->last_touch, state->session.index);
  }
  const std::size_t count = std::max<std::size_t>(1, ages.size() / 10);
  std::nth_element(ages.begin(), ages.begin() + static_cast<std::ptrdiff_t>(count - 1), ages.end());
  std::sort(ages.begin(), ages.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    SessionState& state = at(ages[i].second);
    retire(state);
    remove(state);
  }
}

void SessionTable::each(FunctionRef<void(SessionState&)> visit) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i]) visit(*slots_[i]);
  }
}

void SessionTable::note_unread(std::string_view server) {
  if (unread_.size() < limits_.sessions) unread_.emplace(server);
}

bool SessionTable::has_unread(std::string_view server) const { return unread_.size() >= limits_.sessions || unread_.contains(std::string(server)); }

void SessionTable::note_restart(Time at) {
  if (!at.known()) return;
  restarts_.insert(at);
  if (restarts_.size() > kRestarts) restarts_.erase(restarts_.begin());
}

Time SessionTable::restart_behind(Time at) const {
  const auto next = restarts_.upper_bound(at);
  return next == restarts_.end() ? Time{} : *next;
}

}  // namespace mcpscan::session
