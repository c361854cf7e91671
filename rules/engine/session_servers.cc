#include "engine/session_servers.h"

#include <algorithm>

#include "model/session_id.h"

namespace mcpscan::engine {
namespace {

// Its address as the evidence tells it; empty: it does not.
std::string_view server_of(const model::TimelineEvent& event) {
  return event.exchange ? std::string_view(event.exchange->server) : event.observation->http ? event.observation->http->server : std::string_view();
}

bool has(const std::vector<std::size_t>& list, std::size_t one) { return std::find(list.begin(), list.end(), one) != list.end(); }

}  // namespace

void SessionServers::note_answer(const model::TimelineEvent& event) {
  const std::string_view address = server_of(event);
  Known* const session = known(*event.session);
  if (!session || address.empty()) return;
  if (session->server == kNone || servers_[session->server].address != address) {
    session->server = place_of(address);
    if (session->server == kNone) return;
    if (!has(session->of_id->knowing, session->server)) session->of_id->knowing.push_back(session->server);
  }
  const std::string_view method = event.exchange ? std::string_view(event.exchange->method) : event.observation->http ? event.observation->http->method : std::string_view();
  if (method == "DELETE") session->of_id->over = true;
  const Time at = event.exchange ? event.exchange->responded_at : event.at;  // a stream may be over long after
  Server& server = servers_[session->server];
  if (!at.known()) return;
  if (!server.first_seen.known()) server.first_seen = at;
  if (!server.last_answer.known() || server.last_answer < at) server.last_answer = at;
}

void SessionServers::note_refusal(const model::TimelineEvent& event) {
  Known* const session = known(*event.session);
  const std::size_t server = place_of(server_of(event));
  if (!session || server == kNone || !event.at.known()) return;
  if (!servers_[server].first_seen.known()) servers_[server].first_seen = event.at;
  OfId& id = *session->of_id;
  if (id.knowing.empty() || id.over) return;
  if (has(id.knowing, server)) return note_own_refusal(id, event.at);
  if (id.strayed++ == 0) id.first_stray = event.at;
  id.last_stray = event.at;
  id.strayed_to = server;
  if (id.strays.size() < kStrays) id.strays.push_back(evidence_of(event));
}

// A proxy passes the refusal of the one behind it on at once; else the session was forgotten where it was known.
void SessionServers::note_own_refusal(OfId& id, Time at) {
  if (id.strayed > 0 && at.us - id.last_stray.us <= kSecond) return;
  forgets_ = id.over = true;
  id.strayed = 0;
  id.strays.clear();
}

SessionServers::OfId* SessionServers::strays_of(const model::Session& session) {
  const Known* const kept = find(session);
  if (!kept || kept->of_id->strayed == 0) return nullptr;
  OfId& id = *kept->of_id;
  return std::any_of(id.knowing.begin(), id.knowing.end(), [&](std::size_t server) { return was_there(servers_[server], id); }) ? &id : nullptr;
}

// It answered afterwards; or just before, and the two are seen to work side by side: else the one may have come for the other.
bool SessionServers::was_there(const Server& server, const OfId& id) const {
  if (!server.last_answer.known()) return false;
  if (server.last_answer >= id.last_stray) return true;
  const Time other_began = servers_[id.strayed_to].first_seen;
  return id.last_stray.us - server.last_answer.us <= kSecond && other_began.known() && other_began < server.last_answer;
}

void SessionServers::forget(const model::Session& session) {
  const Known* const kept = find(session);
  if (!kept) return;
  if (--kept->of_id->open == 0) ids_.erase(model::normalise_session_id(kept->id));
  const auto other = others_.find(session.id);
  if (other != others_.end() && kept == &other->second) others_.erase(other);
  else sessions_.erase(session.index);
}

// kNone: not told, or one too many.
std::size_t SessionServers::place_of(std::string_view address) {
  if (address.empty()) return kNone;
  const auto found = std::find_if(servers_.begin(), servers_.end(), [address](const Server& each) { return each.address == address; });
  if (found != servers_.end()) return static_cast<std::size_t>(found - servers_.begin());
  if (servers_.size() >= kServers) return kNone;
  servers_.push_back({std::string(address), {}, {}});
  return servers_.size() - 1;
}

SessionServers::Known* SessionServers::find(const model::Session& session) {
  Known* const kept = sessions_.find(session.index);
  if (kept && kept->id == session.id) return kept;
  const auto other = others_.empty() ? others_.end() : others_.find(session.id);
  return other == others_.end() ? nullptr : &other->second;
}

SessionServers::Known* SessionServers::known(const model::Session& session) {
  if (Known* const kept = find(session)) return kept;
  if (session.id.empty()) return nullptr;
  Known& fresh = sessions_.find(session.index) ? others_[session.id] : sessions_[session.index];
  fresh.id = session.id;
  fresh.of_id = &ids_[model::normalise_session_id(session.id)];
  ++fresh.of_id->open;
  return &fresh;
}

}  // namespace mcpscan::engine
