// The head of the text report: what was read, how much could be paired, and, where nothing was found, the sentence an
// owner can forward. Threads: pure. Bound: inputs are capped on a terminal, with the number left out.
#pragma once

#include "report/page.h"
#include "report/wording.h"

namespace mcpscan::report {

void write_overview(Page& page, const ReportIndex& index, const Wording& wording);

}  // namespace mcpscan::report
