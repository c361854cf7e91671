#include "pipeline/fullest_lines.h"

namespace mcpscan::pipeline {

using model::ObservationKind;

bool FullestLines::repeats(const model::Observation& seen) {
  if (seen.tells_all && seen.kind == ObservationKind::message) {
    if (telling_.size() < kProcesses || telling_.contains(seen.connection)) telling_[seen.connection] = seen.at.known();
    return false;
  }
  if (telling_.empty() || (seen.kind != ObservationKind::message && seen.kind != ObservationKind::notice)) return false;
  const auto known = telling_.find(seen.connection);
  if (known == telling_.end()) return false;
  return seen.kind == ObservationKind::message || (known->second && !seen.at.known());
}

}  // namespace mcpscan::pipeline
