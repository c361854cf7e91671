// The text of a HAR body: escapes resolved, base64 undone, and what producers get wrong about it put right: bodies flagged as base64
// that are none (Firefox), base64 without the flag, request bodies taken apart into form parameters.
// Ownership: the result points into the body or the arena. Source: HAR 1.2 "content", "postData"; RFC 4648.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "ingest/har/har_entry.h"

namespace mcpscan::ingest {

enum class BodyOddity : std::uint8_t { none, flag_without_base64, base64_without_flag };

struct BodyText {
  std::string_view text;
  BodyOddity odd = BodyOddity::none;
};

// Empty when the body has no text; attached files are not looked at.
BodyText body_text(const HarBody& body, Arena& arena);

// unescape_json for long texts that are full of escapes, as JSON inside JSON is: 2.5 times as fast there.
std::string_view unescape_body(const JsonValue& value, Arena& arena);

// Undoes base64 (both alphabets, blanks between, padding or none); false and nothing in `out` when `text` is none.
bool decode_base64(std::string_view text, Arena& arena, std::string_view& out);

}  // namespace mcpscan::ingest
