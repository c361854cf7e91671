// Base64 of whole texts (RFC 4648 section 4). Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mcpscan::extract {

std::string encode_base64(std::string_view bytes);
// Nothing when it is no base64. `\/` of JSON is read as `/`.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace mcpscan::extract
