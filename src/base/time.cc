#include "base/time.h"

#include <fmt/compile.h>

namespace mcpscan {

// After Howard Hinnant's description of civil calendars; valid for all years of an int64.
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<std::int64_t>(year - era * 400);
  const std::int64_t day_of_year = (153 * (static_cast<std::int64_t>(month) + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

CivilTime civil_from_time(Time at) {
  std::int64_t days = at.us / kDay, rest = at.us % kDay;
  if (rest < 0) rest += kDay, --days;
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  CivilTime civil;
  civil.day = static_cast<unsigned>(day_of_year - (153 * shifted + 2) / 5 + 1);
  civil.month = static_cast<unsigned>(shifted < 10 ? shifted + 3 : shifted - 9);
  civil.year = year_of_era + era * 400 + (civil.month <= 2);
  civil.hour = static_cast<unsigned>(rest / kHour);
  civil.minute = static_cast<unsigned>(rest / kMinute % 60);
  civil.second = static_cast<unsigned>(rest / kSecond % 60);
  civil.microsecond = static_cast<unsigned>(rest % kSecond);
  return civil;
}

Time time_from_civil(const CivilTime& civil) {
  return {days_from_civil(civil.year, civil.month, civil.day) * kDay + civil.hour * kHour + civil.minute * kMinute +
          civil.second * kSecond + civil.microsecond};
}

std::string format_rfc3339(Time at) {
  const CivilTime c = civil_from_time(at);
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z"), c.year, c.month, c.day, c.hour, c.minute, c.second, c.microsecond);
}

std::string format_clock(Time at) {
  const CivilTime c = civil_from_time(at);
  return fmt::format("{:02}:{:02}:{:02}.{:03}", c.hour, c.minute, c.second, c.microsecond / 1000);
}

std::string format_duration(std::int64_t us) {
  const std::string sign = us < 0 ? "-" : "";
  if (us < 0) us = us == INT64_MIN ? INT64_MAX : -us;
  if (us < kMillisecond) return fmt::format("{}{} us", sign, us);
  if (us < kSecond - 500) return fmt::format("{}{} ms", sign, (us + 500) / kMillisecond);
  if (us < 2 * kMinute - 50 * kMillisecond) return fmt::format("{}{:.1f} s", sign, static_cast<double>(us) / kSecond);
  if (us < 2 * kMinute) us = 2 * kMinute;  // what would be rounded to 120.0 s
  if (us < kHour) return fmt::format("{}{} min {} s", sign, us / kMinute, us % kMinute / kSecond);
  if (us < kDay) return fmt::format("{}{} h {} min", sign, us / kHour, us % kHour / kMinute);
  return fmt::format("{}{} d {} h", sign, us / kDay, us % kDay / kHour);
}

}  // namespace mcpscan
