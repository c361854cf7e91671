// Whether a refused exchange was refused for its session, by status and by what the body says. A 400 has many reasons (an id in flight,
// a header, a revision), a 404 of an unknown method, tool or resource is none of the session's, nor is a page: that is sent by who has no server
// behind the path.
// Source: MCP 2025-11-25 transports "Session Management"; protocol notes SE02, A.5, D.2. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/timeline.h"
#include "model/lost_session.h"

namespace mcpscan::engine {

using model::tells_lost_session;
// `body`: a head of it, JSON or not. Some servers answer 404 to a GET because they offer no stream; that is none of the session's either.
bool refuses_session(std::string_view method, unsigned status, std::string_view body);
// HTML or XML, which no MCP server answers a message with.
bool is_page(std::string_view body);
// In the words of a server that has begun anew.
bool says_not_initialized(std::string_view text);
// The code of an error that names something else than the session as what was not found: a method, a tool or argument, a resource.
bool names_another_cause(std::int64_t error_code);
// Whether an answered exchange had been asked for before `refused`: a stream, or a slow call, that ends after the session was lost does not
// show it known again. A GET that tells no start may have been open for long.
bool asked_before(const model::TimelineEvent& answered, Time refused);

}  // namespace mcpscan::engine
