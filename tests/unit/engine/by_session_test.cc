#include "engine/by_session.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using mcpscan::engine::BySession;

TEST_CASE("what is kept of a session is found under its index, stays in its place, and goes when it is taken") {
  BySession<int> kept;
  CHECK(kept.find(7) == nullptr);
  int& seven = kept[7];
  seven = 70;
  for (std::uint32_t session = 100; session < 200; ++session) kept[session] = static_cast<int>(session);
  CHECK(&kept[7] == &seven);
  const auto taken = kept.take(7);
  REQUIRE(taken);
  CHECK(*taken == 70);
  CHECK(kept.find(7) == nullptr);
  CHECK(kept.take(7) == nullptr);
  CHECK(kept[7] == 0);
}

TEST_CASE("sessions that share a place, come and go in any order: the same as a map") {
  constexpr std::uint32_t kApart = 64;  // so many indexes on, they share a place in small tables
  BySession<std::uint32_t> kept;
  std::map<std::uint32_t, std::uint32_t> expected;
  std::mt19937 random(1);
  const auto any_session = [&random] { return static_cast<std::uint32_t>(random() % 8 + random() % 8 * kApart); };
  for (std::uint32_t step = 0; step < 20000; ++step) {
    const std::uint32_t session = any_session();
    if (random() % 2 == 0) {
      kept[session] = expected[session] = step;
    } else {
      kept.erase(session);
      expected.erase(session);
    }
    const std::uint32_t asked = any_session();
    const std::uint32_t* const found = kept.find(asked);
    const auto wanted = expected.find(asked);
    REQUIRE((found != nullptr) == (wanted != expected.end()));
    if (found) REQUIRE(*found == wanted->second);
  }
}
