// Deadlines are told by their length, within 2 %, and clients' apart from proxies'.
#include "engine/known_waits.h"

#include <catch2/catch.hpp>

using mcpscan::kMillisecond;
using mcpscan::kSecond;
using mcpscan::engine::client_wait;
using mcpscan::engine::idle_limit;

TEST_CASE("a wait within 2 % of a known one is that one, beyond it none") {
  REQUIRE(client_wait(60 * kSecond + 1200 * kMillisecond));
  CHECK(client_wait(60 * kSecond + 1200 * kMillisecond)->seconds == 60);
  CHECK_FALSE(client_wait(60 * kSecond + 1201 * kMillisecond));
  CHECK_FALSE(client_wait(0));
  CHECK_FALSE(client_wait(-60 * kSecond));
}

TEST_CASE("no proxy is known to cut after 5 s, and no client to wait for 600 s") {
  CHECK(client_wait(5 * kSecond));
  CHECK_FALSE(idle_limit(5 * kSecond));
  CHECK(idle_limit(600 * kSecond));
  CHECK_FALSE(client_wait(600 * kSecond));
}
