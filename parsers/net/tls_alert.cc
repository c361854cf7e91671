#include "net/tls_alert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mcpscan::net {
namespace {

struct Name {
  std::uint8_t code;
  std::string_view name;
};
constexpr std::array kNames{
    Name{0, "close_notify"},         Name{10, "unexpected_message"},      Name{20, "bad_record_mac"},
    Name{22, "record_overflow"},     Name{40, "handshake_failure"},       Name{42, "bad_certificate"},
    Name{43, "unsupported_certificate"}, Name{44, "certificate_revoked"}, Name{45, "certificate_expired"},
    Name{46, "certificate_unknown"}, Name{47, "illegal_parameter"},       Name{48, "unknown_ca"},
    Name{49, "access_denied"},       Name{50, "decode_error"},            Name{51, "decrypt_error"},
    Name{70, "protocol_version"},    Name{71, "insufficient_security"},   Name{80, "internal_error"},
    Name{86, "inappropriate_fallback"}, Name{90, "user_canceled"},        Name{100, "no_renegotiation"},
    Name{109, "missing_extension"},  Name{110, "unsupported_extension"},  Name{112, "unrecognized_name"},
    Name{113, "bad_certificate_status_response"}, Name{115, "unknown_psk_identity"}, Name{116, "certificate_required"},
    Name{120, "no_application_protocol"},
};

constexpr std::uint8_t kFatalLevel = 2;

}  // namespace

std::string alert_text(std::uint8_t code) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.code == code; });
  return fmt::format("{} ({})", found == kNames.end() ? "alert" : found->name, code);
}

bool is_fatal_alert(std::uint8_t level, std::uint8_t code, bool tls13) {
  if (!tls13) return level == kFatalLevel;
  return code != static_cast<std::uint8_t>(AlertCode::close_notify) && code != static_cast<std::uint8_t>(AlertCode::user_canceled);
}

}  // namespace mcpscan::net
