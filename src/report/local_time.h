// Times as a person in a zone reads them: clock, date, period. Reports for programs stay in UTC (format_rfc3339).
// Times given here are known. Threads: pure.
#pragma once

#include <string>

#include "base/time.h"
#include "base/zone.h"

namespace mcpscan::report {

std::string local_clock(const Zone& zone, Time at);         // 08:13:23.104
std::string local_short_clock(const Zone& zone, Time at);   // 08:13:23
std::string local_date(const Zone& zone, Time at);          // 2026-11-28
// "2026-11-28 00:00:04 to 23:59:58 UTC"; empty where no time is known.
std::string local_period(const Zone& zone, Time first, Time last);

}  // namespace mcpscan::report
