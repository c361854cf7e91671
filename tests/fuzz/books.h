// What every reader of an input owes: each record it counted is used, ignored or malformed.
#pragma once

#include <cstdint>

#include "model/anomaly.h"

namespace mcpscan::tests {

inline bool adds_up(const model::Books& books) {
  std::uint64_t sum = books.used;
  for (const auto* reasons : {&books.ignored, &books.malformed}) {
    for (const auto& [reason, count] : *reasons) sum += count;
  }
  return sum == books.total;
}

}  // namespace mcpscan::tests
