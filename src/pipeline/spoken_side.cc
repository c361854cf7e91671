#include "pipeline/spoken_side.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mcpscan::pipeline {
namespace {

using model::Direction;

// Source: MCP 2025-11-25, schema ClientRequest and ClientNotification, less what both sides send.
bool is_client_method(std::string_view method) {
  constexpr std::array<std::string_view, 14> kMethods{"tools/call",           "tools/list",      "initialize",          "prompts/list",
                                                      "prompts/get",          "resources/list",  "resources/read",      "resources/templates/list",
                                                      "resources/subscribe",  "resources/unsubscribe", "completion/complete", "logging/setLevel",
                                                      "notifications/initialized", "notifications/roots/list_changed"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

Direction told_by(std::string_view method) {
  if (is_client_method(method)) return Direction::client_to_server;
  return model::is_server_method(method) ? Direction::server_to_client : Direction::unknown;
}

}  // namespace

void SpokenSide::settle(model::Observation& seen) {
  if (seen.message == nullptr || seen.direction == Direction::unknown) return;
  const Direction told = told_by(seen.message->method);
  contradicted_ = contradicted_ || (told != Direction::unknown && told != seen.direction);
  if (contradicted_) seen.direction = told;
}

}  // namespace mcpscan::pipeline
