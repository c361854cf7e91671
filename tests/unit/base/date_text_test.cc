#include "base/date_text.h"

#include <catch2/catch.hpp>

#include "base/time.h"

using namespace mcpscan;

TEST_CASE("A date is ten characters that the calendar has as a day") {
  CHECK(read_date("1970-01-01") == 0);
  CHECK(read_date("2026-11-28") == days_from_civil(2026, 11, 28));
  CHECK(read_date("2028-02-29") == days_from_civil(2028, 2, 29));
  for (const char* text : {"", "2026-11-2", "2026-11-280", "2026/11/28", "2026-13-01", "2026-00-10", "2026-02-29", "2026-11-31", "2026-11-00", " 2026-11-28", "2026-1a-28", "+026-11-28"}) {
    INFO(text);
    CHECK_FALSE(read_date(text));
  }
}
