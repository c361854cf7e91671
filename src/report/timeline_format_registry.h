// The timeline formats the build found, sorted by name. Registered by src/report/timeline_as_*.cc; see cmake/collect.cmake.
#pragma once

#include <span>

#include "model/timeline_format.h"

namespace mcpscan::report {

using model::TimelineFormatEntry;

std::span<const TimelineFormatEntry* const> registered_timeline_formats();

}  // namespace mcpscan::report
