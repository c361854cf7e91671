#include "session/handle_index.h"

#include <catch2/catch.hpp>

#include <random>
#include <unordered_map>

using mcpscan::session::HandleIndex;

TEST_CASE("a handle is found under its hash, a second one takes its place, and erasing leaves nothing") {
  HandleIndex index;
  CHECK(index.find(7) == HandleIndex::kNone);
  CHECK(index.exchange(7, 1) == HandleIndex::kNone);
  CHECK(index.exchange(7, 2) == 1);
  CHECK(index.find(7) == 2);
  CHECK(index.size() == 1);
  index.erase(7);
  index.erase(7);
  CHECK(index.find(7) == HandleIndex::kNone);
  CHECK(index.size() == 0);
}

TEST_CASE("after many insertions and erasures it holds what a plain map holds") {
  HandleIndex index;
  std::unordered_map<std::uint64_t, std::uint32_t> plain;
  std::mt19937_64 random(1);
  for (std::uint32_t step = 0; step < 200000; ++step) {
    const std::uint64_t hash = random() % 3000;  // few hashes: every place is used again and again
    if (random() % 3 == 0) {
      index.erase(hash);
      plain.erase(hash);
    } else {
      index.exchange(hash, step);
      plain[hash] = step;
    }
  }
  REQUIRE(index.size() == plain.size());
  std::size_t equal = 0;
  for (std::uint64_t hash = 0; hash < 3000; ++hash) {
    const auto found = plain.find(hash);
    equal += index.find(hash) == (found == plain.end() ? HandleIndex::kNone : found->second);
  }
  CHECK(equal == 3000);
}
