#include "app/mcp_endpoints.h"

#include <algorithm>

#include "app/message_head.h"

namespace mcpscan::app {
namespace {

std::string key_of(std::string_view server, std::string_view target) {
  std::string key(server);
  key += ' ';
  key += target;
  return key;
}

// The request target of a URL reference: its path and query, resolved against the target of the stream that announced it.
std::string target_of(std::string_view stream_target, std::string_view reference) {
  if (const std::size_t scheme = reference.find("://"); scheme != std::string_view::npos && scheme < 8) {
    const std::size_t slash = reference.find('/', scheme + 3);
    return slash == std::string_view::npos ? "/" : std::string(reference.substr(slash));
  }
  if (!reference.empty() && reference.front() == '/') return std::string(reference);
  const std::string_view path = path_of(stream_target);
  if (!reference.empty() && reference.front() == '?') return std::string(path) + std::string(reference);
  return std::string(path.substr(0, path.rfind('/') + 1)) + std::string(reference);
}

bool starts_with(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

}  // namespace

std::string_view path_of(std::string_view target) { return target.substr(0, target.find_first_of("?#")); }

std::string_view session_in_query(std::string_view target) {
  std::size_t at = target.find('?');
  while (at < target.size()) {
    const std::string_view rest = target.substr(at + 1);
    const std::string_view pair = rest.substr(0, rest.find('&'));
    for (const std::string_view name : {"sessionId=", "session_id=", "sessionid="}) {
      if (starts_with(pair, name)) return pair.substr(name.size());
    }
    at = pair.size() == rest.size() ? target.size() : at + 1 + pair.size();
  }
  return {};
}

bool proves_mcp(const model::RpcMessage& message) {
  if (!message.protocol_version.empty()) return true;
  const std::string_view method = message.method;
  if (method == "ping" || method == model::kInitialize || starts_with(method, "tasks/")) return false;
  return !method.empty() && is_mcp_method(method);
}

bool resembles_mcp_reply(const model::RpcMessage& message) {
  using namespace model;
  constexpr std::uint32_t kTelling = kContent | kStructuredContent | kTools | kResources | kResourceTemplates | kContents | kPrompts |
                                     kProtocolVersionKey | kServerInfo | kSupportedVersions | kInputRequired;
  return proves_mcp(message) || (message.kind == MessageKind::result && (message.result_keys & kTelling) != 0);
}

bool McpEndpoints::learn(std::string_view server, std::string_view target) {
  if (known_.size() >= bound_) return knows(server, target);
  known_.insert(key_of(server, path_of(target)));
  return true;
}

bool McpEndpoints::knows(std::string_view server, std::string_view target) const {
  return !known_.empty() && known_.count(key_of(server, path_of(target))) > 0;
}

std::string McpEndpoints::learn_legacy(std::string_view server, std::string_view stream_target, std::string_view announced) {
  const std::string target = target_of(stream_target, announced);
  const std::string_view named = session_in_query(target);
  std::string session(named.empty() ? std::string_view(target) : named);
  if (legacy_.size() < bound_) legacy_.insert_or_assign(key_of(server, target), session);
  return session;
}

std::string_view McpEndpoints::legacy_session(std::string_view server, std::string_view target) const {
  if (legacy_.empty()) return {};
  const auto entry = legacy_.find(key_of(server, target));
  return entry == legacy_.end() ? std::string_view{} : std::string_view(entry->second);
}

}  // namespace mcpscan::app
