#include <catch2/catch.hpp>

#include "base/zone.h"

using namespace mcpscan;

namespace {

std::int64_t day(std::int64_t year, unsigned month, unsigned number) { return days_from_civil(year, month, number); }
Time utc(std::int64_t year, unsigned month, unsigned number, unsigned hour, unsigned minute = 0) { return time_from_civil({year, month, number, hour, minute}); }

}  // namespace

TEST_CASE("a day begins at local midnight, and is 23 or 25 hours long where the clock changes") {
  const Zone berlin = Zone::locate("Europe/Berlin").take();
  CHECK(berlin.day_start(day(2026, 11, 28)) == utc(2026, 11, 27, 23));
  CHECK(berlin.day_start(day(2026, 3, 30)).us - berlin.day_start(day(2026, 3, 29)).us == 23 * kHour);
  CHECK(berlin.day_start(day(2026, 10, 26)).us - berlin.day_start(day(2026, 10, 25)).us == 25 * kHour);
}

TEST_CASE("a midnight that the clock jumps over begins with the jump") {
  const Zone beirut = Zone::locate("Asia/Beirut").take();
  CHECK(beirut.day_start(day(2026, 3, 29)) == utc(2026, 3, 28, 22));
  CHECK(beirut.day_of(utc(2026, 3, 28, 22)) == day(2026, 3, 29));
}

TEST_CASE("an instant has the zone's calendar and clock, before 1970 as well") {
  const Zone kathmandu = Zone::locate("Asia/Kathmandu").take();
  CHECK(kathmandu.civil(utc(2026, 11, 28, 18, 15)).hour == 0);
  CHECK(kathmandu.day_of(utc(2026, 11, 28, 18, 15)) == day(2026, 11, 29));
  CHECK(Zone().day_of(Time{-1}) == -1);
}

TEST_CASE("a zone is an IANA name or an offset, and nothing else") {
  CHECK(Zone::locate("+05:30").take().day_start(0).us == -330 * kMinute);
  CHECK(Zone::locate("-0800").take().day_start(0).us == 8 * kHour);
  CHECK(Zone::locate("-08").ok());
  for (const char* name : {"Mars/Olympus", "../../etc/passwd", "+5", "+99:00", "+05:3x"}) CHECK_FALSE(Zone::locate(name).ok());
}
