// The text report of an exoneration: a document to be forwarded, with the evidence and its digests, what was checked, the batches, the sweep
// matrix, and what limits the claim. Threads: pure. Bound: lists are capped on a terminal, with the number left out.
#pragma once

#include "model/exoneration.h"
#include "report/page.h"
#include "report/wording.h"

namespace mcpscan::report {

void write_exoneration(Page& page, const model::Exoneration& proof, const ReportIndex& index, const Wording& wording);

}  // namespace mcpscan::report
