// A date as people type it. Not the times of logs: those have a grammar of their own (parsers/ingest/text/time_formats.h). Threads: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mcpscan {

// "2026-11-28", nothing before or behind it, and a day that the calendar has: days since 1970-01-01.
std::optional<std::int64_t> read_date(std::string_view text);

}  // namespace mcpscan
