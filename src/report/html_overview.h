// The evidence's time at a glance, for the HTML report: for all sessions together and for each of the worst a row of bars,
// calls by stretch of time with those that got no reply in red, log statements of undelivered replies below. And the bar of a
// tool's latency, median to 99th percentile on a scale that all tools share. Text stands beside the pictures, not in them, so
// that they may be stretched to any width. Threads: pure. Bound: kSessionsDrawn sessions; the rest is counted.
#pragma once

#include <string>

#include "report/wording.h"

namespace mcpscan::report {

constexpr std::size_t kSessionsDrawn = 12;

// Empty where no times were in the evidence, or nothing happened in it.
std::string draw_activity(const ReportIndex& index, const Wording& wording);
// `longest` is that of all tools, in microseconds.
std::string draw_latency(const model::ToolRow& tool, std::int64_t longest);

}  // namespace mcpscan::report
