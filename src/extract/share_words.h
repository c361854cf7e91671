// The words that stay in a shared bundle wherever they stand, because they are the protocol's and nobody's own: members and methods of
// JSON-RPC and MCP, HTTP's fields, the forms of client transcripts and HAR producers, classes that SDKs print.
// Pure functions over constants. Source: MCP schema 2024-11-05 to 2026-07-28; RFC 9110; JSON Schema 2020-12.
#pragma once

#include <string_view>

namespace mcpscan::extract {

// `word`: letters and digits only.
bool is_protocol_word(std::string_view word);

}  // namespace mcpscan::extract
