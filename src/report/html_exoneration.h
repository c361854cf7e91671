// The exoneration as a self-contained HTML page, with the frame of the report's. Threads: pure. Bound: lists of kRows rows.
#pragma once

#include <string>

#include "model/exoneration.h"
#include "report/wording.h"

namespace mcpscan::report {

// `wording` escapes for HTML.
std::string html_exoneration(const ReportIndex& index, const model::Exoneration& proof, const Wording& wording);

}  // namespace mcpscan::report
