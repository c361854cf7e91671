// SpokenSide: logs whose words for the direction (in, out, sent, received) are meant from the other side than readers take them, or from
// each hop's own. A request tells for itself who sends it; once one contradicts its word, the words of this log tell nothing about replies
// either: those go on without a direction, and are paired by their ids. Words that agree with all requests change nothing.
// Threads: one. Memory: a flag.
#pragma once

#include "model/observation.h"

namespace mcpscan::pipeline {

class SpokenSide {
 public:
  void settle(model::Observation& seen);

 private:
  bool contradicted_ = false;
};

}  // namespace mcpscan::pipeline
