#include "engine/rewritten_id.h"

#include <string_view>

namespace mcpscan::engine {
namespace {

constexpr std::size_t kShortestSuffix = 6, kLongestSuffix = 32;

}  // namespace

namespace {

// agw_<upstream>_<n or s>_<id>: agentgateway's.
bool is_agentgateways(std::string_view value) {
  if (!value.starts_with("agw_")) return false;
  for (const std::string_view type : {"_n_", "_s_"}) {
    const std::size_t at = value.find(type, 4);
    if (at != std::string_view::npos && at > 4 && at + type.size() < value.size()) return true;
  }
  return false;
}

// <id>__<i or s>__<backend>: Envoy AI Gateway's, for what servers ask of clients.
bool is_envoys(std::string_view value) {
  for (const std::string_view type : {"__i__", "__s__"}) {
    const std::size_t at = value.find(type);
    if (at != std::string_view::npos && at > 0 && at + type.size() < value.size()) return true;
  }
  return false;
}

}  // namespace

bool has_rewritten_form(model::IdType type, const std::string& value) {
  if (type != model::IdType::string) return false;
  if (is_agentgateways(value) || is_envoys(value)) return true;
  const std::size_t separator = value.find_last_of("_-:");
  if (separator == std::string::npos || separator == 0) return false;
  const std::string_view suffix = std::string_view(value).substr(separator + 1), original = std::string_view(value).substr(0, separator);
  if (suffix.size() < kShortestSuffix || suffix.size() > kLongestSuffix) return false;
  const bool hex = suffix.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  const bool varied = suffix.find_first_not_of(suffix.front()) != std::string_view::npos;
  return hex && varied && original.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_unrestored(const model::TimelineEvent& reply) {
  if (reply.verdict != model::ReplyVerdict::orphan || !reply.other || !reply.observation || !reply.observation->message) return false;
  const model::RpcId& id = reply.observation->message->id;
  const std::string& asked = reply.other->id.value;
  return !asked.empty() && id.value.size() > asked.size() && id.value.find(asked) != std::string_view::npos && has_rewritten_form(id.type, std::string(id.value));
}

}  // namespace mcpscan::engine
