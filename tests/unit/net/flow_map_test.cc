#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "net/capture_clock.h"
#include "net/flow_map.h"
#include "net/piece_buffer.h"

using namespace mcpscan;
using net::FlowMap;
using net::FlowTuple;

TEST_CASE("A flow map finds what was put in and nothing else, through growth and removal") {
  std::mt19937 random(3);
  std::vector<FlowTuple> keys(2000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i].low_port = static_cast<std::uint16_t>(i + 1);
  std::vector<bool> present(keys.size());
  FlowMap map;
  const auto key_of = [&](std::uint32_t slot) -> const FlowTuple& { return keys[slot]; };
  for (int step = 0; step < 20000; ++step) {
    const auto slot = static_cast<std::uint32_t>(random() % keys.size());
    REQUIRE(map.find(keys[slot], key_of) == (present[slot] ? slot : FlowMap::kNone));
    if (present[slot]) map.erase(keys[slot], slot);
    else map.insert(keys[slot], slot);
    present[slot] = !present[slot];
  }
}

TEST_CASE("A piece buffer holds each byte's first copy, for any order of overlapping pieces") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    net::PieceBuffer buffer;
    std::map<std::uint64_t, char> first;
    std::size_t duplicates = 0, told = 0;
    for (int i = 0; i < 12; ++i) {
      const std::uint64_t begin = random() % 40, size = 1 + random() % 9;
      const std::string bytes(size, static_cast<char>('a' + i));
      told += buffer.add(begin, begin + size, bytes, 0, {}).duplicate_bytes;
      for (std::uint64_t at = begin; at < begin + size; ++at) duplicates += first.emplace(at, bytes[0]).second ? 0 : 1;
    }
    REQUIRE(told == duplicates);
    std::map<std::uint64_t, char> held;
    while (!buffer.empty()) {
      std::uint64_t at = buffer.head();
      for (const char byte : buffer.pop().bytes) REQUIRE(held.emplace(at++, byte).second);
    }
    REQUIRE(held == first);
    REQUIRE(buffer.cost() == 0);
  }
}

TEST_CASE("The capture's clock never goes back, and believes a leap only when it is confirmed") {
  net::CaptureClock clock(kHour);
  CHECK_FALSE(clock.time().known());
  CHECK(clock.advance({10 * kDay}) == 10 * kDay);
  CHECK(clock.advance({9 * kDay}) == 10 * kDay);
  CHECK(clock.advance({}) == 10 * kDay);
  CHECK(clock.advance({90 * kDay}) == 10 * kDay);
  CHECK(clock.advance({10 * kDay + 1}) == 10 * kDay + 1);
  CHECK(clock.advance({20 * kDay}) == 10 * kDay + 1);
  CHECK(clock.advance({20 * kDay + 5}) == 20 * kDay + 5);
}
