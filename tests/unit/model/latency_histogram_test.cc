#include <catch2/catch.hpp>

#include "model/timeline.h"

using namespace mcpscan;
using model::LatencyHistogram;

TEST_CASE("an empty histogram has no quantile and no longest") {
  const LatencyHistogram latency;
  CHECK(latency.count() == 0);
  CHECK(latency.quantile(0.5) == -1);
  CHECK(latency.longest() == -1);
}

TEST_CASE("one duration is every quantile of itself: no bucket's edge is told where the longest is known") {
  LatencyHistogram latency;
  latency.add(217 * kMillisecond);
  CHECK(latency.quantile(0.0) == 217 * kMillisecond);
  CHECK(latency.quantile(0.99) == 217 * kMillisecond);
  CHECK(latency.longest() == 217 * kMillisecond);
}

TEST_CASE("a quantile is never below the true one, and above it by a half at most") {
  LatencyHistogram latency;
  for (std::int64_t ms = 1; ms <= 1000; ++ms) latency.add(ms * kMillisecond);
  for (const double q : {0.1, 0.5, 0.9, 0.99}) {
    const auto exact = static_cast<std::int64_t>(q * 1000) * kMillisecond;
    CHECK(latency.quantile(q) >= exact);
    CHECK(latency.quantile(q) <= exact * 3 / 2);
  }
}

TEST_CASE("a duration below zero, of a clock set back, counts as none; one of years keeps its length") {
  LatencyHistogram latency;
  latency.add(-kHour);
  CHECK(latency.quantile(0.5) == 0);
  latency.add(INT64_MAX);
  CHECK(latency.longest() == INT64_MAX);
  CHECK(latency.quantile(0.99) > 24 * kHour);
  CHECK(latency.count() == 2);
}
