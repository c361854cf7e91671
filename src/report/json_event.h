// An event of the rebuilt timeline as one line of JSON, for every format that writes events in lines. Threads: pure.
#pragma once

#include <string>

#include "model/timeline_format.h"

namespace mcpscan::report {

// {"type":"event", ...} and the line end; times are UTC, durations microseconds, an rpc id keeps its JSON type.
std::string json_event_line(const model::TimelineRow& row, const model::ReportOptions& options);

}  // namespace mcpscan::report
