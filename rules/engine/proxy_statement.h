// Whose statement a timeout is: a proxy names the HTTP request that it gave up on, a client the JSON-RPC request or none. A gateway that speaks MCP
// to the servers behind it says so as their client, by the tool; by an id it tells of its own client.
// Threads: pure functions.
#pragma once

#include "model/observation.h"

namespace mcpscan::engine {

inline bool is_of_proxy(const model::Observation& seen) {
  const std::string_view method = seen.notice->method;
  const bool as_client = seen.vantage == model::Vantage::gateway && seen.notice->key.empty();
  return as_client || method == "POST" || method == "GET" || method == "DELETE";
}

}  // namespace mcpscan::engine
