#include "report/local_time.h"

#include <fmt/format.h>

namespace mcpscan::report {

std::string local_short_clock(const Zone& zone, Time at) {
  const CivilTime civil = zone.civil(at);
  return fmt::format("{:02}:{:02}:{:02}", civil.hour, civil.minute, civil.second);
}

std::string local_clock(const Zone& zone, Time at) { return fmt::format("{}.{:03}", local_short_clock(zone, at), zone.civil(at).microsecond / 1000); }

std::string local_date(const Zone& zone, Time at) {
  const CivilTime civil = zone.civil(at);
  return fmt::format("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
}

std::string local_period(const Zone& zone, Time first, Time last) {
  if (!first.known() || !last.known()) return {};
  const std::string from_date = local_date(zone, first), to_date = local_date(zone, last);
  const std::string from = from_date + ' ' + local_short_clock(zone, first), to = local_short_clock(zone, last);
  if (from_date != to_date) return fmt::format("{} to {} {} {}", from, to_date, to, zone.name());
  return from == from_date + ' ' + to ? fmt::format("{} {}", from, zone.name()) : fmt::format("{} to {} {}", from, to, zone.name());
}

}  // namespace mcpscan::report
