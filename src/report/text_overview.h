// The head of the text report: what was read, how much could be paired, and, where nothing was found, the sentence an
// owner can forward. It claims no more than the evidence holds. Threads: pure. Bound: inputs are capped on a terminal.
#pragma once

#include "report/page.h"
#include "report/report_index.h"

namespace mcpscan::report {

void write_overview(Page& page, const ReportIndex& index);
void write_verdict(Page& page, const ReportIndex& index);

// "2026-11-28 00:00:04 to 23:59:58 UTC"; empty where no time is known.
std::string period(Time first, Time last);

}  // namespace mcpscan::report
