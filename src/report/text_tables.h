// The lists of the text report below the incidents: findings that stand alone, sessions, tools, what was wrong with the
// inputs, what was not judged. Threads: pure. Bound: lists are capped on a terminal, with the number left out.
#pragma once

#include "report/page.h"
#include "report/wording.h"

namespace mcpscan::report {

void write_lone_findings(Page& page, const ReportIndex& index, const Wording& wording);
void write_sessions(Page& page, const ReportIndex& index, const Wording& wording);
void write_tools(Page& page, const ReportIndex& index, const Wording& wording);
void write_input_problems(Page& page, const ReportIndex& index, const Wording& wording);
// Last of all, and never left out: an absent finding means something only beside what was judged.
void write_coverage(Page& page, const ReportIndex& index, const Wording& wording);

}  // namespace mcpscan::report
