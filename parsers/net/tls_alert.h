// TLS alerts in an operator's words. Source: RFC 8446 section 6, RFC 5246 section 7.2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan::net {

enum class AlertCode : std::uint8_t { close_notify = 0, user_canceled = 90 };

// The registered name and the number: "unknown_ca (48)".
std::string alert_text(std::uint8_t code);
// Ends the connection with an error. `tls13` ignores the level, as that version does.
bool is_fatal_alert(std::uint8_t level, std::uint8_t code, bool tls13);

}  // namespace mcpscan::net
