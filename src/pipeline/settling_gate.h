// SettlingGate: stands between a log and its tracker where a history is kept. It tells records that an earlier run has judged from new ones, and
// holds the newest record back until another one follows: what the evidence ends with may go on in a later run, and is judged as open.
// Ownership: owns copies of what it holds. Threads: the merger's. Bound: one record.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/arena.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

class SettlingGate : public model::ObservationSink {
 public:
  // `quiet` is told when records begin, or cease, to be ones that were judged before.
  SettlingGate(model::ObservationSink& next, std::function<void(bool)> quiet) : next_(next), quiet_(std::move(quiet)) {}

  // A file of the source begins: records in the lines up to `judged_lines` were judged before.
  void begin(std::uint64_t judged_lines);
  void observe(const model::Observation& seen) override;
  // What is held goes on.
  void release();
  bool holds() const { return !held_.empty(); }
  const model::SourceRef& held_place() const { return held_.front().source; }

 private:
  void pass(const model::Observation& seen);

  model::ObservationSink& next_;
  std::function<void(bool)> quiet_;
  std::uint64_t judged_lines_ = 0;
  std::uint32_t judged_input_ = UINT32_MAX;
  bool is_quiet_ = false, fresh_file_ = true;
  Arena arena_;
  std::vector<model::Observation> held_;
};

}  // namespace mcpscan::pipeline
