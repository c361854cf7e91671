// The exoneration as JSON, schema mcpscan-exoneration/1: the inputs as in the report, then the proof. Threads: pure.
#pragma once

#include <string>

#include "model/exoneration.h"
#include "report/report_index.h"

namespace mcpscan::report {

std::string json_exoneration(const ReportIndex& index, const model::Exoneration& proof, const model::ReportOptions& options);

}  // namespace mcpscan::report
