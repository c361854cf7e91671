#include "history/session_rows.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace mcpscan::history {

using model::SessionMemory;
using model::UsedIds;
using nlohmann::json;

namespace {

json json_of(const UsedIds& used) { return {{"intervals", used.intervals}, {"digests", used.digests}, {"complete", used.complete}}; }

UsedIds used_from(const json& value) {
  UsedIds used;
  value.at("intervals").get_to(used.intervals);
  value.at("digests").get_to(used.digests);
  value.at("complete").get_to(used.complete);
  return used;
}

// Names come from evidence and may be no UTF-8.
std::string text_of(const SessionMemory& m) {
  const json value{{"id", m.id}, {"endpoint", m.server_endpoint}, {"transport", m.transport}, {"protocol", m.protocol_version},
                   {"client", m.client_name}, {"client_version", m.client_version}, {"server", m.server_name}, {"server_version", m.server_version},
                   {"keyed_by", static_cast<int>(m.keyed_by)}, {"first", m.first.us}, {"last", m.last.us}, {"start_seen", m.start_seen},
                   {"initialize_seen", m.initialize_seen}, {"initialize_answered", m.initialize_answered}, {"initialized_seen", m.initialized_seen},
                   {"was_alive", m.was_alive}, {"ended", m.ended}, {"mixed", m.mixed}, {"addresses", m.addresses}, {"principals", m.principals},
                   {"client_ids", json_of(m.client_ids)}, {"server_ids", json_of(m.server_ids)}};
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

SessionMemory memory_from(const json& value) {
  SessionMemory m;
  value.at("id").get_to(m.id);
  value.at("endpoint").get_to(m.server_endpoint);
  value.at("transport").get_to(m.transport);
  value.at("protocol").get_to(m.protocol_version);
  value.at("client").get_to(m.client_name);
  value.at("client_version").get_to(m.client_version);
  value.at("server").get_to(m.server_name);
  value.at("server_version").get_to(m.server_version);
  m.keyed_by = static_cast<model::SessionKeying>(std::clamp(value.at("keyed_by").get<int>(), 0, static_cast<int>(model::SessionKeying::source)));
  value.at("first").get_to(m.first.us);
  value.at("last").get_to(m.last.us);
  value.at("start_seen").get_to(m.start_seen);
  value.at("initialize_seen").get_to(m.initialize_seen);
  value.at("initialize_answered").get_to(m.initialize_answered);
  value.at("initialized_seen").get_to(m.initialized_seen);
  value.at("was_alive").get_to(m.was_alive);
  value.at("ended").get_to(m.ended);
  value.at("mixed").get_to(m.mixed);
  value.at("addresses").get_to(m.addresses);
  value.at("principals").get_to(m.principals);
  m.client_ids = used_from(value.at("client_ids"));
  m.server_ids = used_from(value.at("server_ids"));
  return m;
}

}  // namespace

std::vector<SessionMemory> known_sessions(SQLite::Database& database) {
  std::vector<SessionMemory> sessions;
  SQLite::Statement query(database, "SELECT source, memory FROM memories ORDER BY source, session");
  while (query.executeStep()) {
    try {
      sessions.push_back(memory_from(json::parse(query.getColumn(1).getString())));
      sessions.back().source = query.getColumn(0).getString();
    } catch (const json::exception&) {
      continue;
    }
  }
  return sessions;
}

void remember_sessions(SQLite::Database& database, const std::vector<std::string>& sources, const std::vector<SessionMemory>& sessions) {
  SQLite::Statement forget(database, "DELETE FROM memories WHERE source = ?");
  for (const std::string& source : sources) {
    forget.bind(1, source);
    forget.exec();
    forget.reset();
  }
  SQLite::Statement put(database, "INSERT OR REPLACE INTO memories VALUES(?, ?, ?)");
  for (const SessionMemory& session : sessions) {
    put.bind(1, session.source);
    put.bind(2, session.id + '@' + session.server_endpoint);
    put.bind(3, text_of(session));
    put.exec();
    put.reset();
  }
}

}  // namespace mcpscan::history
