#include "ingest/text/json_keys.h"

#include <algorithm>
#include <array>

namespace mcpscan::ingest {
namespace {

enum class Role : std::uint8_t { message, time, level, logger, session, direction, process, peer, error, pod };
constexpr std::size_t kRoles = 10;

struct KnownKey {
  std::string_view name;
  Role role;
  int rank;  // the lower one wins when several stand in a line
};
// Sorted by length so that a look-up sees only the names of one length.
constexpr std::array<KnownKey, 83> kKnownKeys{{
    {"t", Role::time, 8},
    {"ts", Role::time, 3},
    {"msg", Role::message, 1}, {"log", Role::message, 4}, {"lvl", Role::level, 2}, {"dir", Role::direction, 0}, {"pid", Role::process, 0}, {"pod", Role::pod, 0},
    {"err", Role::error, 0},
    {"time", Role::time, 2}, {"date", Role::time, 6}, {"body", Role::message, 6}, {"name", Role::logger, 1}, {"peer", Role::peer, 0},
    {"_PID", Role::process, 0},
    {"level", Role::level, 0}, {"event", Role::message, 5}, {"debug", Role::message, 7}, {"error", Role::message, 8},
    {"scope", Role::logger, 4},
    {"source", Role::process, 2}, {"stream", Role::process, 2}, {"logger", Role::logger, 0}, {"client", Role::peer, 1},
    {"target", Role::logger, 5},
    {"asctime", Role::time, 5}, {"message", Role::message, 0}, {"MESSAGE", Role::message, 2}, {"session", Role::session, 3},
    {"process", Role::process, 0}, {"podName", Role::pod, 0},
    {"pod_name", Role::pod, 0},
    {"datetime", Role::time, 4}, {"severity", Role::level, 1}, {"PRIORITY", Role::level, 4}, {"exc_info", Role::error, 1},
    {"timestamp", Role::time, 1}, {"eventTime", Role::time, 4}, {"levelname", Role::level, 0}, {"log.level", Role::level, 2},
    {"sessionId", Role::session, 2}, {"direction", Role::direction, 0}, {"exception", Role::error, 2},
    {"@timestamp", Role::time, 0}, {"session_id", Role::session, 1}, {"log.logger", Role::logger, 2}, {"process_id", Role::process, 0},
    {"session-id", Role::session, 1}, {"kubernetes", Role::pod, 1},
    {"textPayload", Role::message, 3}, {"jsonPayload", Role::message, 3}, {"logger_name", Role::logger, 2}, {"remote_addr", Role::peer, 2},
    {"container_id", Role::process, 1}, {"k8s.pod.name", Role::pod, 0},
    {"sid", Role::session, 4}, {"mcp_sid", Role::session, 0}, {"mcpSession", Role::session, 0}, {"mcp_session", Role::session, 0},
    {"mcp-session", Role::session, 0}, {"sessionID", Role::session, 2}, {"SessionId", Role::session, 2}, {"SessionID", Role::session, 2},
    {"mcpSessionID", Role::session, 0}, {"Mcp-Session-Id", Role::session, 0}, {"MCP-Session-Id", Role::session, 0}, {"mcp.session_id", Role::session, 0},
    {"x-mcp-session-id", Role::session, 0},
    {"mcp_session_id", Role::session, 0}, {"mcp-session-id", Role::session, 0}, {"mcp.session.id", Role::session, 0},
    {"container_name", Role::process, 1},
    {"Log_s", Role::message, 3}, {"LogEntry", Role::message, 3}, {"TimeGenerated", Role::time, 7},  // Azure Log Analytics
    {"kubernetes.pod_name", Role::pod, 0}, {"kubernetes.pod.name", Role::pod, 0},
    {"receiveTimestamp", Role::time, 7}, {"observedTimestamp", Role::time, 7},
    {"@message", Role::message, 0}, {"mcpSessionId", Role::session, 0}, {"@m", Role::message, 0}, {"@t", Role::time, 0},
}};
constexpr std::size_t kLongestKey = 24;

using ByLength = std::array<std::array<std::uint8_t, 12>, kLongestKey>;  // indexes + 1 into kKnownKeys, 0 ends
constexpr ByLength make_by_length() {
  ByLength table{};
  for (std::size_t i = 0; i < kKnownKeys.size(); ++i) {
    auto& row = table[kKnownKeys[i].name.size()];
    std::size_t at = 0;
    while (row[at] != 0) ++at;
    row[at] = static_cast<std::uint8_t>(i + 1);
  }
  return table;
}
constexpr ByLength kByLength = make_by_length();

const KnownKey* known(std::string_view key) {
  if (key.size() >= kLongestKey) return nullptr;
  for (const std::uint8_t index : kByLength[key.size()]) {
    if (index == 0) return nullptr;
    if (kKnownKeys[index - 1u].name == key) return &kKnownKeys[index - 1u];
  }
  return nullptr;
}

bool holds_rpc(const JsonValue& value) { return value.text.size() > 16 && value.text.find("jsonrpc") != std::string_view::npos; }

constexpr int kDeepest = 3;  // objects around a message, or around a header

// An array of objects; [MCP][pid 12] is the head of a sentence.
bool is_batch_text(std::string_view text) {
  const std::size_t first = text.starts_with('[') ? text.find_first_not_of(" \\nrt", 1) : std::string_view::npos;  // its escapes stand as they came
  return first != std::string_view::npos && text[first] == '{';
}

// A string that holds nothing but a message: JSON, a JSON string of it, SSE text, Python's bytes.
bool is_message_text(std::string_view text) {
  constexpr std::array<std::string_view, 8> kBegin{"{", "\\\"", "event:", "data:", "id:", "retry:", "b'", "b\\\""};
  return is_batch_text(text) || std::any_of(kBegin.begin(), kBegin.end(), [&](std::string_view begin) { return text.starts_with(begin); });
}

// The message that a member is or holds: an object with "jsonrpc" among its own keys, at most kDeepest objects further in, an array, or a
// string that holds nothing but one. Absent: none.
JsonValue body_in(JsonValue value) {
  for (int depth = 0; holds_rpc(value); ++depth) {
    if (value.type == JsonType::array) return value;
    if (value.is_text()) return is_message_text(value.text) ? value : JsonValue{};
    JsonMembers members;
    if (value.type != JsonType::object || !members.read(value.text) || depth > kDeepest) return {};
    if (members.find("jsonrpc").present()) return value;
    const auto inner = std::find_if(members.begin(), members.end(), [](const JsonMember& member) { return holds_rpc(member.value); });
    if (inner == members.end()) return {};
    value = inner->value;
  }
  return {};
}

// What a shipper tells of Kubernetes, in the forms of Fluent Bit and Vector, or of Elastic.
JsonValue pod_within(const JsonValue& about) {
  JsonMembers members;
  if (!members.read(about.text)) return {};
  const JsonValue name = members.find("pod_name");
  return name.present() ? name : find_path(members, "pod.name");
}

// The session id among headers or other objects beside a message, or in the object around it, by a name that only a session id has. What
// stands in a message itself is its own.
JsonValue session_within(const JsonMembers& members, int depth = 0) {
  for (const JsonMember& member : members) {
    const bool is_session = member.key == "session";
    if (member.value.type != JsonType::object || (!is_session && member.value.text.find("ession") == std::string_view::npos)) continue;
    JsonMembers inner;
    if (!inner.read(member.value.text) || inner.find("jsonrpc").present()) continue;
    if (const JsonValue id = is_session ? inner.find("id") : JsonValue{}; id.is_text()) return id;
    for (const JsonMember& candidate : inner) {
      const KnownKey* key = known(candidate.key);
      if (key != nullptr && key->role == Role::session && key->rank <= 2 && candidate.value.is_text()) return candidate.value;
    }
    if (const JsonValue deeper = depth < kDeepest ? session_within(inner, depth + 1) : JsonValue{}; deeper.present()) return deeper;
  }
  return {};
}

}  // namespace

JsonKeys JsonKeys::of(const JsonMembers& members, bool rpc) {
  JsonKeys keys;
  const std::array<JsonValue*, kRoles> slots{&keys.message, &keys.time,      &keys.level,   &keys.logger,
                                             &keys.session, &keys.direction, &keys.process, &keys.peer, &keys.error, &keys.pod};
  std::array<int, kRoles> ranks;
  ranks.fill(100);
  bool cwd = false;
  for (const JsonMember& member : members) {
    if (rpc && member.key == "jsonrpc") keys.is_rpc = true;
    if (rpc && !keys.second_body.present() && holds_rpc(member.value)) {
      JsonValue& body = keys.body.present() ? keys.second_body : keys.body;
      body = body_in(member.value);
      if (body.present()) continue;
    }
    cwd = cwd || member.key == "cwd";
    if (member.key == "error" && !keys.error.present()) keys.error = member.value;
    const KnownKey* key = known(member.key);
    if (key == nullptr || !member.value.present()) continue;
    const auto role = static_cast<std::size_t>(key->role);
    if (key->rank >= ranks[role]) continue;
    ranks[role] = key->rank;
    *slots[role] = member.value;
  }
  if (keys.pod.type == JsonType::object) keys.pod = pod_within(keys.pod);
  if (keys.error.text.data() == keys.message.text.data()) keys.error = {};
  if (rpc && !keys.session.is_text()) {
    if (const JsonValue session = session_within(members); session.present()) keys.session = session;
  }
  keys.conversation = cwd;
  keys.own_session = cwd || keys.session.text.substr(0, 6) == "stdio:";
  return keys;
}

}  // namespace mcpscan::ingest
