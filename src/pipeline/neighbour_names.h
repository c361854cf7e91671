// NeighbourNames: client logs that tell of a given-up request on one line and of its server on another (Zed). Stands between a log and
// its tracker: a timeout that names no session gets the one that the next record names within kNear, else the only one named so far; where
// several were named it stays without, since guessing would blame the wrong server. All else passes unchanged and in order.
// Ownership: keeps copies of what it holds back. Threads: one. Bound: kNames names, one held notice.
#pragma once

#include <string>
#include <vector>

#include "model/observation.h"

namespace mcpscan::pipeline {

class NeighbourNames : public model::ObservationSink {
 public:
  explicit NeighbourNames(model::ObservationSink& sink) : sink_(sink) {}

  // A record that only names its process ends here.
  void observe(const model::Observation& seen) override;
  void finish() { release({}); }

 private:
  static constexpr std::int64_t kNear = 2 * kSecond;
  static constexpr std::size_t kNames = 64;

  void take_name(const model::Observation& seen);
  void hold(const model::Observation& seen);
  void release(std::string_view session);

  model::ObservationSink& sink_;
  std::vector<std::string> names_;
  bool holding_ = false;
  model::Observation held_;
  model::Notice notice_;
  std::string key_, tool_, method_, text_;
};

}  // namespace mcpscan::pipeline
