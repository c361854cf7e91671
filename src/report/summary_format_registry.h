// The formats of the daily summary that the build found, sorted by name. Generated from src/report/summary_as_*.cc.
#pragma once

#include <span>

#include "model/summary.h"

namespace mcpscan::report {

using model::SummaryFormatEntry;

std::span<const SummaryFormatEntry* const> registered_summary_formats();

}  // namespace mcpscan::report
