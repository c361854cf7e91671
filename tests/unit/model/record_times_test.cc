#include "model/record_times.h"

#include <catch2/catch.hpp>

#include <initializer_list>

using mcpscan::kMinute;
using mcpscan::Time;
using mcpscan::model::RecordTimes;

namespace {

Time at(std::int64_t minute) { return {minute * kMinute}; }

RecordTimes times_of(std::initializer_list<std::int64_t> minutes) {
  RecordTimes times;
  for (const std::int64_t minute : minutes) times.note(at(minute));
  return times;
}

}  // namespace

TEST_CASE("how far records reach behind a time leaves out the longest step since that may be another zone, wherever it is") {
  CHECK(times_of({0, 10, 20, 30}).reach(at(0)) == at(30));
  CHECK(times_of({0, 10, 130, 131}).reach(at(10)) == at(11));
  CHECK(times_of({0, 60, 120, 121, 160}).reach(at(0)) == at(100));
  CHECK(times_of({0, 60, 120, 121, 160}).reach(at(121)) == at(121));
  CHECK(times_of({0, 120, 130, 140}).reach(at(120)) == at(140));
  CHECK(times_of({0, 100, 140}).reach(at(90)) == at(100));  // of the step that it lies within only the rest counts
  CHECK_FALSE(RecordTimes().reach(at(0)).known());
  CHECK_FALSE(times_of({0, 10}).reach({}).known());
}

TEST_CASE("records that step back far go by several clocks, and those that are a little late do not") {
  const RecordTimes two = times_of({120, 10, 20, 30});
  CHECK(two.clocks_differ());
  CHECK_FALSE(two.reach(at(10)).known());
  RecordTimes late = times_of({0, 10});
  late.note({10 * kMinute - 20 * mcpscan::kSecond});
  CHECK_FALSE(late.clocks_differ());
}

TEST_CASE("blocks of a log come to what the whole comes to") {
  const RecordTimes whole = times_of({0, 5, 65, 70, 100, 101, 130, 131});
  RecordTimes parts = times_of({0, 5});
  parts.append(times_of({65, 70, 100}));
  parts.append(RecordTimes());
  parts.append(times_of({101, 130, 131}));
  CHECK(parts.first() == at(0));
  CHECK(parts.last() == at(131));
  for (const std::int64_t since : {0, 5, 60, 65, 70, 100, 101, 130}) CHECK(parts.reach(at(since)) == whole.reach(at(since)));
  parts.append(times_of({7}));
  CHECK(parts.clocks_differ());
}

TEST_CASE("what is behind the end of a window shows nothing, nor does a step over that end") {
  RecordTimes times = times_of({0, 10, 20, 3600, 3610, 3620});
  times.end_at(at(1800));
  CHECK(times.last() == at(1800));
  CHECK(times.reach(at(0)) == at(20));
}

TEST_CASE("beyond kSteps steps a short one counts as a longer one: what is told of a wait is never too much") {
  RecordTimes times;
  std::int64_t now = 0;
  times.note(at(0));
  const std::int64_t longest = 2 * RecordTimes::kSteps + 20;
  for (std::int64_t step = longest; step > 20; --step) times.note(at(now += step));
  CHECK(times.reach(at(now - 30)) <= at(now - 21));
  CHECK(times.reach(at(0)) == at(now - longest));
}
