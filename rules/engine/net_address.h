// What an address as printed says of where it is. Names are none of these, but for what the caller knows of them.
// Source: RFC 1122 section 3.2.1.3, RFC 1918, RFC 3927, RFC 4193, RFC 4291.
#pragma once

#include <string_view>

namespace mcpscan::engine {

bool is_loopback(std::string_view address);  // 127.0.0.0/8, ::1
bool is_private(std::string_view address);   // 10/8, 172.16/12, 192.168/16, 169.254/16, fc00::/7, fe80::/10

}  // namespace mcpscan::engine
