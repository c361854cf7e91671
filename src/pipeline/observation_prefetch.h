// prefetch(): asks for the memory of an observation that another thread has written, some observations ahead of its use. What a session
// tracker reads of one lies in a dozen cache lines of the other core; asked for one by one they cost more than the tracking.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/prefetch.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

inline void prefetch(const model::Observation& seen) {
  constexpr std::size_t kTextHead = 320;
  prefetch_lines(seen.text.data(), std::min(seen.text.size(), kTextHead));
  if (seen.http) prefetch_lines(seen.http, sizeof *seen.http);
  if (seen.message) prefetch_lines(seen.message, sizeof *seen.message);
}

// Gives each of `observations` to `visit` in order, those to come prefetched.
template <typename Observations, typename Visit>
void each_prefetched(Observations& observations, Visit visit) {
  constexpr std::size_t kAhead = 4, kTwiceAhead = 2 * kAhead;  // to know where an observation's texts are it must be there itself
  for (std::size_t i = 0; i < observations.size(); ++i) {
    if (i + kTwiceAhead < observations.size()) prefetch_lines(&observations[i + kTwiceAhead], sizeof observations[i]);
    if (i + kAhead < observations.size()) prefetch(observations[i + kAhead]);
    visit(observations[i]);
  }
}

}  // namespace mcpscan::pipeline
