// Redaction: what would let a reader of the report act as somebody else is replaced by ***. Masked are Bearer tokens,
// Authorization and Cookie values, API keys, passwords and secrets by their name, ?token= and its kin in URLs, passwords
// in URLs, JWTs and keys with a vendor's prefix, in headers, JSON, Python reprs and query strings alike.
// Session ids are not masked: people search for them, and by design they are no credential (MCP 2025-11-25, security
// best practices). Not a parser: it looks at words and what follows them, so it works on cut and broken text too.
// What names machines and sessions, not secrets, is replaced for --share by pseudonyms.h.
// Threads: a pure function. Bound: one pass; applying it twice changes nothing. In doubt it masks.
#pragma once

#include <string>
#include <string_view>

namespace mcpscan::report {

std::string mask_secrets(std::string_view text);

}  // namespace mcpscan::report
