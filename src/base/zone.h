// Zone: a time zone by its IANA name or a fixed offset: what a log's local times mean, and where a day of the operator begins.
// The machine's own zone is never asked. Reads the system's zone files when a named zone is located.
// Ownership: a value; the zone behind it lives as long as the program. Threads: any, once located.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace mcpscan {

class Zone {
 public:
  Zone() = default;  // UTC
  // An IANA name (Europe/Berlin), UTC, or an offset (+02:00).
  static Result<Zone> locate(std::string_view name);
  const std::string& name() const { return name_; }

  // The offset to subtract from a local time to get UTC; of two the first; a time that the clock jumped over is the jump.
  std::int64_t offset_us(std::int64_t local_us) const;
  // The calendar and clock of the zone at that instant.
  CivilTime civil(Time at) const;
  // Days since 1970-01-01 of the zone's calendar, and the first instant of such a day. A day has 23 to 25 hours.
  std::int64_t day_of(Time at) const;
  Time day_start(std::int64_t day) const;

 private:
  std::int64_t local_us(Time at) const;

  std::string name_ = "UTC";
  const void* zone_ = nullptr;
  std::int64_t fixed_us_ = 0;
};

}  // namespace mcpscan
