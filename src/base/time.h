// Time on the evidence's clock: microseconds since 1970-01-01 UTC, or "unknown". Durations are microseconds too.
// Nothing here reads the machine's clock or its time zone.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan {

struct Time {
  static constexpr std::int64_t kUnknown = INT64_MIN;
  std::int64_t us = kUnknown;

  constexpr bool known() const { return us != kUnknown; }
  constexpr auto operator<=>(const Time&) const = default;
};

constexpr std::int64_t kMicrosecond = 1;
constexpr std::int64_t kMillisecond = 1000;
constexpr std::int64_t kSecond = 1000 * kMillisecond;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// Days since 1970-01-01 of a proleptic Gregorian date; month 1..12, day 1..31 (not checked against the month).
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day);

struct CivilTime {
  std::int64_t year = 1970;
  unsigned month = 1, day = 1, hour = 0, minute = 0, second = 0;
  unsigned microsecond = 0;
};
CivilTime civil_from_time(Time at);
Time time_from_civil(const CivilTime& civil);

// RFC 3339 in UTC with microseconds: 2026-11-29T16:35:56.286345Z. The time must be known.
std::string format_rfc3339(Time at);
// HH:MM:SS.mmm in UTC.
std::string format_clock(Time at);
// 217 ms, 60.0 s, 4 min 10 s, 2 h 5 min, 3 d 4 h: for people.
std::string format_duration(std::int64_t us);

}  // namespace mcpscan
