#include "pipeline/settling_gate.h"

#include "pipeline/observation_copy.h"

namespace mcpscan::pipeline {

void SettlingGate::begin(std::uint64_t judged_lines) {
  release();
  judged_lines_ = judged_lines;
  fresh_file_ = true;
}

void SettlingGate::observe(const model::Observation& seen) {
  if (fresh_file_) judged_input_ = seen.source.input, fresh_file_ = false;
  const bool same_record = !held_.empty() && held_.front().source.number == seen.source.number && held_.front().source.input == seen.source.input;
  if (!same_record) release();
  held_.push_back(copy_observation(seen, arena_));
}

void SettlingGate::release() {
  for (const model::Observation& seen : held_) pass(seen);
  held_.clear();
  arena_.reset();
}

void SettlingGate::pass(const model::Observation& seen) {
  const bool judged = seen.source.input == judged_input_ && seen.source.number <= judged_lines_;
  if (judged != is_quiet_) quiet_(judged);
  is_quiet_ = judged;
  next_.observe(seen);
}

}  // namespace mcpscan::pipeline
