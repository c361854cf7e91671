// Server-sent events in a text that is there as a whole (a log body). Not for connections: their events come in pieces, have
// retry times and need bounds (SseReader). Linear; views point into the text, or into the arena where lines were joined.
// Source: WHATWG HTML section 9.2.6 (interpreting an event stream).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "base/function_ref.h"

namespace mcpscan::app {

struct SseLine {
  std::string_view field;  // empty: a comment
  std::string_view value;  // without the one blank after the colon
};

// A line without its line end, not empty.
SseLine split_sse_line(std::string_view line);

struct SseTextEvent {
  std::string_view type;  // empty: message
  std::string_view data;  // several data lines joined by '\n', in the arena
  std::string_view id;
  bool closed = false;    // ended by a blank line
};

struct SseCounts {
  std::uint32_t comments = 0;
  std::uint32_t without_data = 0;  // events with an id or a type only
};

// Delivers each event that has data; one that the text ends in is delivered too, with closed = false.
SseCounts for_each_sse_event(std::string_view text, Arena& arena, FunctionRef<void(const SseTextEvent&)> on_event);

}  // namespace mcpscan::app
