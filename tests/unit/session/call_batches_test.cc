#include "session/call_batches.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "unit/session/watched.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using session::batches_of;
using session::SlowCall;

namespace {

// `size` calls at once, the one at `slow` taking 5 s.
void batch(Watched& source, int first, double at, int size, int slow) {
  for (int i = 0; i < size; ++i) source.request(std::to_string(first + i), at + 0.001 * i, {"s1", "tool", fmt::format("amber-{}", first + i)});
  for (int i = 0; i < size; ++i) {
    if (i != slow) source.reply(std::to_string(first + i), at + 0.1 + 0.001 * i, fmt::format("about amber-{}", first + i));
  }
  source.reply(std::to_string(first + slow), at + 5, fmt::format("about amber-{}", first + slow));
}

}  // namespace

TEST_CASE("calls in flight together are one batch, and the place of the slow one is told") {
  Watched source;
  batch(source, 10, 100, 3, 0);
  batch(source, 20, 200, 12, 5);
  batch(source, 40, 300, 3, 2);
  source.answered("90", 400, 0.1);
  const auto batches = batches_of(source.ledger);
  REQUIRE(batches.size() == 3);
  CHECK(batches[0].calls.size() == 3);
  CHECK(batches[0].slow == SlowCall::first);
  CHECK(batches[1].calls.size() == 12);
  CHECK(batches[1].slow == SlowCall::middle);
  CHECK(batches[2].slow == SlowCall::last);
}

TEST_CASE("a call that never ends holds no batch together for longer than a client waits") {
  Watched source;
  source.request("1", 100);
  source.answered("2", 101, 0.1);
  source.answered("3", 500, 0.1);
  source.tracker.finish();
  const auto batches = batches_of(source.ledger);
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].calls.size() == 2);
}

TEST_CASE("a reply repeats its own arguments where no other call of the batch asked with them") {
  Watched source;
  source.request("1", 100, {"s1", "tool", "amber-1"});
  source.request("2", 100, {"s1", "tool", "amber-2"});
  source.request("3", 100, {"s1", "tool", "amber-2"});
  source.reply("1", 101, "about amber-1");
  source.reply("2", 101, "about amber-2");
  source.reply("3", 101, "nothing");
  const auto batches = batches_of(source.ledger);
  REQUIRE(batches.size() == 1);
  const auto& records = source.ledger.records();
  CHECK(repeats_its_own(source.ledger, batches[0], records[0]));
  CHECK_FALSE(repeats_its_own(source.ledger, batches[0], records[1]));
  CHECK_FALSE(tells_itself_apart(source.ledger, batches[0], records[1]));
}
