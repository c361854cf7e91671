// prefetch(): asks for the memory of an observation that another thread has written, some observations ahead of its use. What a session
// tracker reads of one lies in a dozen cache lines of the other core; asked for one by one they cost more than the tracking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/prefetch.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

inline void prefetch(const model::Observation& seen) {
  constexpr std::size_t kTextHead = 320;
  prefetch_lines(seen.text.data(), std::min(seen.text.size(), kTextHead));
  prefetch_lines(seen.session.data(), seen.session.size());
  if (seen.http) prefetch_lines(seen.http, sizeof *seen.http);
  if (seen.message) prefetch_lines(seen.message, sizeof *seen.message);
}

// Where a reply repeats what was asked, most often.
inline void prefetch_end(std::string_view text) {
  constexpr std::size_t kTextEnd = 128;
  if (text.size() > kTextEnd) prefetch_lines(text.data() + text.size() - kTextEnd, kTextEnd);
}

// Gives each of `observations` to `visit` in order, those to come prefetched.
template <typename Observations, typename Visit>
void each_prefetched(Observations& observations, Visit visit) {
  constexpr std::size_t kNext = 2, kAhead = 4, kTwiceAhead = 2 * kAhead;  // to know where an observation's texts are it must be there itself
  for (std::size_t i = 0; i < observations.size(); ++i) {
    if (i + kTwiceAhead < observations.size()) prefetch_lines(&observations[i + kTwiceAhead], sizeof observations[i]);
    if (i + kAhead < observations.size()) prefetch(observations[i + kAhead]);
    if (i + kNext < observations.size()) {
      const model::Observation& next = observations[i + kNext];
      prefetch_end(next.message ? next.message->text : next.text);
    }
    visit(observations[i]);
  }
}

}  // namespace mcpscan::pipeline
