// TimelineTap: sees what a scan sees, beside the rules: each observation as it was read, each event of the rebuilt timeline, source by source
// in their order. For commands that need the evidence again after the report has told what to look for.
// Ownership: what it is given is valid during the call. Threads: calls come one after the other, not always from one thread.
#pragma once

#include <cstddef>

#include "model/observation.h"
#include "model/timeline.h"

namespace mcpscan::pipeline {

class TimelineTap {
 public:
  virtual ~TimelineTap() = default;
  // An input, before anything is read of it: the next index of the report's inputs.
  virtual void on_input(const model::InputRow&) {}
  // The same input when it is read to its end; in the report its vantage may still become another one.
  virtual void on_input_read(const model::InputRow&) {}
  virtual void on_observation(const model::Observation& seen) = 0;
  // Hands an observation on to the tracker; a tap that seeds faults hands on another one, none, or several.
  virtual void pass(const model::Observation& seen, model::ObservationSink& next) {
    on_observation(seen);
    next.observe(seen);
  }
  // `source` counts the sources of evidence in the order they were met; a session's index is unique within one.
  virtual void on_event(std::size_t source, const model::TimelineEvent& event) = 0;
};

}  // namespace mcpscan::pipeline
