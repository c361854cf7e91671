// What a timeline event says, as fields and in words, the same for every way of writing it.
// Texts are as read (hostile): mask and escape before showing. Threads: pure. Bound: one row.
#pragma once

#include <string>

#include "model/timeline_format.h"

namespace mcpscan::report {

// All fields but `input` and `what`.
model::TimelineRow timeline_row(const model::TimelineEvent& event);
// "result of fetch_rates  id 1, 217 ms", "GET /mcp 200, closed by the client, 3 messages"
std::string words_of(const model::TimelineEvent& event, const model::TimelineRow& row);
// An enumerator's word as people write it: stream_closed -> stream closed.
std::string spoken(std::string_view word);

}  // namespace mcpscan::report
