// FullestLines: logs of programs that tell one message by several lines: by its method or id alone, by its whole text, and by a line that all
// messages have (a dialect's `tells_all`). Once a process has written one of the latter, its other messages are repetitions and end here. So do
// statements without a time of a process that writes its times: each of them stands there again with one.
// Threads: one. Bound: kProcesses processes; of later ones each line counts.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/observation.h"

namespace mcpscan::pipeline {

class FullestLines {
 public:
  bool repeats(const model::Observation& seen);

 private:
  static constexpr std::size_t kProcesses = 1024;

  std::unordered_map<std::uint64_t, bool> telling_;  // by process: whether such a line of it told its time
};

}  // namespace mcpscan::pipeline
