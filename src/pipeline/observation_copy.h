// A copy of an observation with all it points to, for whoever looks at it later or in another thread than its reader's.
// Ownership: everything copied lives in the arena.
#pragma once

#include <array>
#include <string_view>

#include "base/arena.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

model::Observation copy_observation(const model::Observation& seen, Arena& arena);

// Copies one observation after the other into one arena. Most HTTP heads say what those before them said: such texts are not copied again.
class ObservationCopier {
 public:
  explicit ObservationCopier(Arena& arena) : arena_(arena) {}
  model::Observation copy(const model::Observation& seen);
  // The arena was reset.
  void forget() { texts_ = {}; }

 private:
  static constexpr std::size_t kNextCopy = 2 * sizeof(model::HttpFacts);  // of the arena, asked for before it is written
  const model::HttpFacts* copy_http(const model::HttpFacts& http);

  Arena& arena_;
  std::array<std::string_view, model::kHttpTexts.size()> texts_;  // of HTTP heads, each as it was copied last
};

}  // namespace mcpscan::pipeline
