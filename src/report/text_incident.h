// One incident as a person reads it: level, title, causal story, who is at fault, the picture with places and times,
// what it led to, tallies, the fix. Threads: pure. Bound: lists are capped on a terminal, with the number left out.
#pragma once

#include "model/finding.h"
#include "report/page.h"
#include "report/wording.h"

namespace mcpscan::report {

void write_incident(Page& page, const ReportIndex& index, const Wording& wording, const model::Incident& incident);
// The picture alone, or where there is none the root's evidence: what happened when, and where it stands.
void write_places(Page& page, const ReportIndex& index, const Wording& wording, const model::Incident& incident);

}  // namespace mcpscan::report
