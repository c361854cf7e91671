#include <catch2/catch.hpp>

#include <string>

#include "base/time.h"

using namespace mcpscan;

TEST_CASE("days are counted over leap years, centuries and before 1970") {
  CHECK(days_from_civil(1970, 1, 1) == 0);
  CHECK(days_from_civil(2000, 3, 1) - days_from_civil(2000, 2, 28) == 2);
  CHECK(days_from_civil(1900, 3, 1) - days_from_civil(1900, 2, 28) == 1);
  CHECK(days_from_civil(1969, 12, 31) == -1);
}

TEST_CASE("every day of four hundred years, and moments before 1970, come back from their civil form") {
  for (std::int64_t day = -200 * 366; day < 200 * 366; ++day) {
    const Time at{day * kDay + 86399 * kSecond + 999999};
    const CivilTime civil = civil_from_time(at);
    if (time_from_civil(civil) == at && civil.hour == 23 && civil.microsecond == 999999) continue;
    FAIL("day " << day << " does not come back");
  }
  CHECK(civil_from_time({-1}).year == 1969);
}

TEST_CASE("times are written in UTC with microseconds, clocks with milliseconds") {
  const Time at = time_from_civil({2026, 11, 29, 16, 35, 56, 286345});
  CHECK(format_rfc3339(at) == "2026-11-29T16:35:56.286345Z");
  CHECK(format_clock(at) == "16:35:56.286");
  CHECK(format_rfc3339({-1}) == "1969-12-31T23:59:59.999999Z");
}

TEST_CASE("a duration is written in the unit a person would take, and never as a thousand of the smaller one") {
  CHECK(format_duration(0) == "0 us");
  CHECK(format_duration(999) == "999 us");
  CHECK(format_duration(217 * kMillisecond) == "217 ms");
  CHECK(format_duration(999600) == "1.0 s");
  CHECK(format_duration(60 * kSecond) == "60.0 s");
  CHECK(format_duration(119990 * kMillisecond) == "2 min 0 s");
  CHECK(format_duration(250 * kSecond) == "4 min 10 s");
  CHECK(format_duration(2 * kHour + 5 * kMinute) == "2 h 5 min");
  CHECK(format_duration(3 * kDay + 4 * kHour) == "3 d 4 h");
  CHECK(format_duration(-5 * kSecond) == "-5.0 s");
  CHECK(format_duration(INT64_MIN).substr(0, 4) == "-106");
}

TEST_CASE("an unknown time is less than every known one") {
  CHECK_FALSE(Time{}.known());
  CHECK(Time{} < Time{-kDay});
}
