// What a Content-Type says of a body of MCP's HTTP transports. Only its words are looked at, whatever parameters stand behind them.
// Source: MCP 2025-11-25 transports "Sending Messages to the Server". Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace mcpscan::model {

// What a response holds in the place of messages.
enum class OtherBody : std::uint8_t {
  none,      // it is JSON or an event stream, or does not say what it is
  page,      // HTML: a proxy's, a login's
  foreign,
};

bool is_json_type(std::string_view content_type);
OtherBody other_body(std::string_view content_type);

}  // namespace mcpscan::model
