// McpEndpoints: URLs that have shown to be MCP's, so that a request which does not say what it is (a GET, a client's answer to a
// server request) is recognised; and the sessions of the 2024-11-05 transport, which live in the URL that the endpoint event
// announced. Bounded by Limits::mcp_endpoints; past the bound nothing new is learned. Not thread-safe.
// Source: MCP 2024-11-05 "HTTP with SSE"; 2025-03-26 "Streamable HTTP".
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/limits.h"
#include "model/rpc_message.h"

namespace mcpscan::app {

// The query value that the SDKs keep a session in (sessionId, session_id); empty when there is none.
std::string_view session_in_query(std::string_view target);
std::string_view path_of(std::string_view target);

// Whether the message can be nothing but MCP: a method of its own, or its protocol version. ping, initialize without a
// version and tasks/* also live in other dialects (A2A, LSP, Ethereum nodes).
bool proves_mcp(const model::RpcMessage& message);
// The same for a reply, seen without its request: members that results of MCP methods have.
bool resembles_mcp_reply(const model::RpcMessage& message);

class McpEndpoints {
 public:
  explicit McpEndpoints(const Limits& limits) : bound_(limits.mcp_endpoints) {}

  // `server` is address:port, `target` a request target. False when the bound is reached.
  bool learn(std::string_view server, std::string_view target);
  bool knows(std::string_view server, std::string_view target) const;

  // `announced` is the data of an endpoint event, an absolute URL or a reference relative to `stream_target`. Returns the
  // session it names: the query value, else the whole path.
  std::string learn_legacy(std::string_view server, std::string_view stream_target, std::string_view announced);
  // The session of a POST to an announced URL; empty when it is none.
  std::string_view legacy_session(std::string_view server, std::string_view target) const;
  bool has_legacy() const { return !legacy_.empty(); }

 private:
  std::size_t bound_;
  std::unordered_set<std::string> known_;
  std::unordered_map<std::string, std::string> legacy_;  // server and target -> session
};

}  // namespace mcpscan::app
