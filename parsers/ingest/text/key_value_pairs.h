// Key=value pairs as loggers write them (logfmt, Go's slog and logrus, Rust's tracing, agentgateway): read as the JSON object of the
// same members, so that one set of rules serves both forms of a logger.
// A value is quoted, or a bracketed value whole, or goes to the blank before the next key. All values become JSON strings.
// No state; the result lives in the arena. Linear in the text.
#pragma once

#include <string_view>

#include "base/arena.h"

namespace mcpscan::ingest {

// Whether a line is pairs from its first byte on, and the first one is what a logger puts there: a time, a level or a message.
bool begins_with_pair(std::string_view line);

// The pairs of the first line of `text` as a JSON object; what stands before the first pair is left out. Empty when there is none.
std::string_view pairs_as_json(std::string_view text, Arena& arena);

}  // namespace mcpscan::ingest
