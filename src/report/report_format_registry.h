// The report formats the build found, sorted by name. Generated from src/report/format_*.cc.
#pragma once

#include <span>

#include "model/report_format.h"

namespace mcpscan::report {

using model::ReportFormatEntry;

std::span<const ReportFormatEntry* const> registered_report_formats();

}  // namespace mcpscan::report
