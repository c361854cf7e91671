// The exoneration as a table for a spreadsheet: one row the verdict, a check, a reason against it, a limit, a batch, a kind of batch, an input,
// told apart by the first column. RFC 4180 with the line ends of Unix and a header line. Threads: pure. Bound: the proof's; nothing is cut.
#pragma once

#include <string>

#include "model/exoneration.h"
#include "report/report_index.h"

namespace mcpscan::report {

std::string csv_exoneration(const ReportIndex& index, const model::Exoneration& proof, const model::ReportOptions& options);

}  // namespace mcpscan::report
