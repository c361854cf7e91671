// The two bounds of TCP that are about belief: how long a hole may be filled, and how far a sequence number may leap.
#include <catch2/catch.hpp>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("A hole is given up after Limits::hole_age_us, not before") {
  Limits limits;
  limits.hole_age_us = 30 * kSecond;
  Table table(limits);
  table.handshake();
  table.client(1004, 5001, "def");
  table.wait(29 * kSecond);
  CHECK(table.told.events.empty());
  table.wait(2 * kSecond);
  CHECK(table.told.events == Events{"C gap 3", "C def"});
}

TEST_CASE("A segment that leaps beyond Limits::sequence_jump_bytes is not believed, one within is a hole") {
  Limits limits;
  limits.sequence_jump_bytes = 1000;
  limits.hole_age_us = kSecond;
  for (const std::uint32_t leap : {900u, 5000u}) {
    Table table(limits);
    table.handshake();
    table.client(1001, 5001, "abc");
    table.client(1004 + leap, 5001, "far");
    table.wait(10 * kSecond);
    const Events believed{"C abc", "C gap 900", "C far"}, refused{"C abc"};
    CHECK(table.told.events == (leap == 900u ? believed : refused));
  }
}
