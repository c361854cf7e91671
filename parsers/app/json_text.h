// JSON strings to text and back to sound JSON: decoding of escapes, repair of what parsers refuse (invalid UTF-8, lone
// surrogates become U+FFFD), unwrapping of JSON that stands in a JSON string. Results live in the arena. Source: RFC 8259 section 7.
#pragma once

#include <string_view>

#include "app/json_skipper.h"
#include "base/arena.h"

namespace mcpscan::app {

// The characters of a string's content, escapes decoded. Never fails: a bad escape stays as it stands, a lone surrogate
// becomes U+FFFD. Without escapes the content itself.
std::string_view decode_string(const JsonToken& token, Arena& arena);
std::string_view decode_escapes(std::string_view content, Arena& arena);

// A copy in which each byte that is not UTF-8 and each lone surrogate escape is U+FFFD.
std::string_view repaired_copy(std::string_view text, Arena& arena);

}  // namespace mcpscan::app
