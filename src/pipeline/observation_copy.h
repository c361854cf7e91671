// A copy of an observation with all it points to, for whoever looks at it later or in another thread than its reader's.
// Ownership: everything copied lives in the arena.
#pragma once

#include "base/arena.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

model::Observation copy_observation(const model::Observation& seen, Arena& arena);

}  // namespace mcpscan::pipeline
