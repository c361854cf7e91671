// What the others mean that a fault names beside its party. Where the party is sure they let it happen; where it is not, it may have been they.
#pragma once

#include "model/finding.h"

namespace mcpscan::model {

inline bool names_rivals(const Fault& fault) {
  return !fault.contributing.empty() && (fault.party == Party::unknown || fault.certainty < Certainty::strong);
}

}  // namespace mcpscan::model
