// RecordBuilder: what a rule captured becomes the fields of a LogRecord: session words that mean "none" are emptied, access
// lines become HttpFacts, times and durations become the span of the exchange. HttpFacts and Notice live in the arena.
// Source: MCP 2025-06-18 "Streamable HTTP" (Mcp-Session-Id), 2024-11-05 "HTTP with SSE" (?session_id=).
#pragma once

#include <string_view>

#include "base/arena.h"
#include "ingest/text/dialect.h"

namespace mcpscan::ingest {

// Sets kind, body, direction, session, notice, http ... of `record`, whose `at` is known already.
void apply_meaning(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record);

// "-", "None", "null", "undefined", "not-provided", "new session" and the like are no session.
std::string_view session_or_nothing(std::string_view word);

// A path of an MCP endpoint: /mcp, /x/mcp, /mcp/x, /sse, /message, /messages/.
bool is_mcp_path(std::string_view path);
// The value of session_id= or sessionId= in a path's query.
std::string_view session_in_path(std::string_view path);

}  // namespace mcpscan::ingest
