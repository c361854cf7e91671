#include <catch2/catch.hpp>

#include "ingest/text/time_formats.h"
#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;

namespace {

struct Stamp {
  std::string at;
  std::size_t used;
};

Stamp read(TimeForm form, std::string_view text, const TimeContext& context = {}) {
  TimeReader reader(context);
  Time at;
  const std::size_t used = reader.read(form, text, at);
  return {used == 0 ? "" : format_rfc3339(at), used};
}

std::string whole(std::string_view text) {
  const TimeContext context;
  TimeReader reader(context);
  Time at;
  return reader.read_whole(text, at) ? format_rfc3339(at) : "";
}

TimeContext in_zone(std::string_view name) {
  TimeContext context;
  context.zone = Zone::locate(name).take();
  return context;
}

}  // namespace

TEST_CASE("ISO times: blank or T, comma or dot, any fraction, every spelling of an offset") {
  CHECK(read(TimeForm::any, "2026-11-29 16:35:09,620 - x").at == "2026-11-29T16:35:09.620000Z");
  CHECK(read(TimeForm::any, "2026-11-29 16:35:09,620 - x").used == 23);
  CHECK(read(TimeForm::any, "2026-11-29T16:35:09").at == "2026-11-29T16:35:09.000000Z");
  CHECK(read(TimeForm::any, "2026-11-29T16:35:55.274123456Z ").at == "2026-11-29T16:35:55.274123Z");
  CHECK(read(TimeForm::any, "2026-11-29T16:35:55.2Z").at == "2026-11-29T16:35:55.200000Z");
  CHECK(read(TimeForm::any, "2026-11-29T16:35:55+0000 h").used == 24);
  CHECK(read(TimeForm::any, "2026-11-29T16:35:55+01:00").at == "2026-11-29T15:35:55.000000Z");
  CHECK(read(TimeForm::any, "2026-11-29T16:35:55.5-0330").at == "2026-11-29T20:05:55.500000Z");
  CHECK(read(TimeForm::any, "2026-11-29T16:35:55+02").at == "2026-11-29T14:35:55.000000Z");
  CHECK(read(TimeForm::any, "2026-11-29 16:35:10 +0000] [1]").used == 25);
  CHECK(read(TimeForm::any, "2026-11-29 16:35:10 -1 x").used == 19);
}

TEST_CASE("a form that wants Z takes nothing else") {
  CHECK(read(TimeForm::iso_z, "2026-02-02T15:40:55.236Z [").used == 24);
  CHECK(read(TimeForm::iso_z, "2026-02-02 15:40:55.236 [").used == 0);
  CHECK(read(TimeForm::iso_z, "2026-02-02T15:40:55+00:00").used == 0);
}

TEST_CASE("a fraction without padding is a number of microseconds where the form says so") {
  CHECK(read(TimeForm::iso_unpadded, "2026-11-29T16:35:56.4567Z").at == "2026-11-29T16:35:56.004567Z");
}

TEST_CASE("slashes, US dates, access-log dates and ctime") {
  CHECK(read(TimeForm::any, "2026/11/29 16:35:56 [error]").at == "2026-11-29T16:35:56.000000Z");
  CHECK(read(TimeForm::any, "2026/11/29 16:35:56.123456 x").at == "2026-11-29T16:35:56.123456Z");
  CHECK(read(TimeForm::any, "2026/11/29 - 16:35:56 | x").at == "2026-11-29T16:35:56.000000Z");
  CHECK(read(TimeForm::any, "11/29/26 16:35:08] INFO").at == "2026-11-29T16:35:08.000000Z");
  CHECK(read(TimeForm::any, "29/Nov/2026:16:35:56 +0000] ").at == "2026-11-29T16:35:56.000000Z");
  CHECK(read(TimeForm::any, "29/Nov/2026:16:36:34.724] fe").at == "2026-11-29T16:36:34.724000Z");
  CHECK(read(TimeForm::any, "29/Nov/2026:17:35:56 +0100] ").at == "2026-11-29T16:35:56.000000Z");
  CHECK(read(TimeForm::any, "Sun Nov 29 16:35:55 2026 x").at == "2026-11-29T16:35:55.000000Z");
  CHECK(read(TimeForm::any, "Sun Nov 29 16:35:55.257791 2026] x").at == "2026-11-29T16:35:55.257791Z");
  CHECK(read(TimeForm::any, "Sun 2026-11-29 16:35:55 UTC host", in_zone("+05:00")).at == "2026-11-29T16:35:55.000000Z");
}

TEST_CASE("numbers are seconds, milliseconds, microseconds or nanoseconds by their size") {
  CHECK(whole("1795970155") == "2026-11-29T16:35:55.000000Z");
  CHECK(whole("1795970155.274") == "2026-11-29T16:35:55.274000Z");
  CHECK(whole("1795970155274") == "2026-11-29T16:35:55.274000Z");
  CHECK(whole("1795970155274001") == "2026-11-29T16:35:55.274001Z");
  CHECK(whole("1795970155274001999") == "2026-11-29T16:35:55.274001Z");
  CHECK(whole("42") == "");
  CHECK(whole("99999999999999999999999") == "");
}

TEST_CASE("a whole text may be the time as Kibana shows it") {
  const TimeContext utc;
  TimeReader times(utc);
  Time at;
  CHECK(times.read_whole("Nov 29, 2026 @ 16:35:55.274", at));
  CHECK(format_rfc3339(at) == "2026-11-29T16:35:55.274000Z");
  CHECK(times.read_whole("Nov 9, 2026 @ 16:35:55.274", at));
  CHECK(format_rfc3339(at) == "2026-11-09T16:35:55.274000Z");
  CHECK_FALSE(times.read_whole("Nov 39, 2026 @ 16:35:55.274", at));
  CHECK_FALSE(times.read_whole("Nov 29, 2026 @ 16:35:55.274 and more", at));
  CHECK_FALSE(times.read_whole("Nov 29, 2026 at 16:35:55.274", at));
}

TEST_CASE("impossible dates and clocks are no times") {
  for (const char* text : {"2026-13-01 00:00:00", "2026-02-30 00:00:00", "2026-11-29 24:00:00", "2026-11-29 16:60:00", "2026-11-29 16:35:61", "2026-11-29 16:35",
                           "20x6-11-29 16:35:00", "00/00/26 00:00:00", "31/Foo/2026:00:00:00 +0000"}) {
    CHECK(read(TimeForm::any, text).used == 0);
  }
  CHECK(read(TimeForm::any, "2028-02-29 00:00:00").used == 19);
}

TEST_CASE("syslog times take the year of the head of the file, and the next one behind New Year") {
  TimeContext context;
  context.year = 2026;
  context.month = 12;
  CHECK(read(TimeForm::syslog, "Dec 31 23:59:59 host", context).at == "2026-12-31T23:59:59.000000Z");
  CHECK(read(TimeForm::syslog, "Jan  1 00:00:01 host", context).at == "2027-01-01T00:00:01.000000Z");
  CHECK(read(TimeForm::syslog, "Nov 29 16:35:55.274000 h", context).at == "2026-11-29T16:35:55.274000Z");
}

TEST_CASE("where the file's own age is known no syslog time lies behind it") {
  TimeContext context;
  context.newest = time_from_civil({2027, 1, 2, 0, 0, 0, 0});
  CHECK(read(TimeForm::syslog, "Jan  1 00:00:01 host", context).at == "2027-01-01T00:00:01.000000Z");
  CHECK(read(TimeForm::syslog, "Dec 31 23:59:59 host", context).at == "2026-12-31T23:59:59.000000Z");
}

TEST_CASE("a clock without a date stands on the day of the file") {
  TimeContext context;
  context.day_us = days_from_civil(2026, 11, 29) * kDay;
  CHECK(read(TimeForm::clock, "16:35:09.123 - x", context).at == "2026-11-29T16:35:09.123000Z");
}

TEST_CASE("local times: daylight saving, the hour that is missing, the hour that comes twice") {
  const TimeContext berlin = in_zone("Europe/Berlin");
  CHECK(read(TimeForm::any, "2026-07-01 12:00:00", berlin).at == "2026-07-01T10:00:00.000000Z");
  CHECK(read(TimeForm::any, "2026-12-01 12:00:00", berlin).at == "2026-12-01T11:00:00.000000Z");
  CHECK(read(TimeForm::any, "2026-03-29 02:30:00", berlin).at == "2026-03-29T01:00:00.000000Z");
  CHECK(read(TimeForm::any, "2026-10-25 02:30:00", berlin).at == "2026-10-25T00:30:00.000000Z");
  CHECK(read(TimeForm::any, "2026-07-01T12:00:00Z", berlin).at == "2026-07-01T12:00:00.000000Z");
}

TEST_CASE("an unknown zone is refused with a hint, offsets are zones") {
  const Result<Zone> unknown = Zone::locate("Mars/Olympus");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().what == "unknown time zone 'Mars/Olympus'");
  CHECK(read(TimeForm::any, "2026-07-01 12:00:00", in_zone("+02:00")).at == "2026-07-01T10:00:00.000000Z");
  CHECK_FALSE(Zone::locate("../../etc/passwd").ok());
}

TEST_CASE("the remembered minute changes nothing: the same reader over many stamps gives what fresh readers give") {
  const TimeContext context = in_zone("America/New_York");
  TimeReader reader(context);
  for (int minute = 0; minute < 3000; ++minute) {
    const Time local{days_from_civil(2026, 10, 31) * kDay + minute * 37 * kSecond};
    const std::string text = format_rfc3339(local).substr(0, 19);
    Time at;
    REQUIRE(reader.read(TimeForm::iso, text, at) == 19);
    REQUIRE(format_rfc3339(at) == read(TimeForm::iso, text, context).at);
  }
}

TEST_CASE("the parser takes the year of a syslog file from a date in its head") {
  const auto parsed = tests::parse("Nov 29 16:35:55 gw app[1]: started 2025-11-29 16:35:54,000\nNov 29 16:35:56 gw app[1]: more\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[1].at == "2025-11-29T16:35:56.000000Z");
}

TEST_CASE("a year given by hand outranks what the file says") {
  ParserOptions options;
  options.year_hint = 2024;
  CHECK(tests::parse("Nov 29 16:35:55 gw app[1]: started 2025-11-29 16:35:54,000\n", options).records[0].transport_at == "2024-11-29T16:35:55.000000Z");
}
