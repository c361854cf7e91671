// RequestOrder: requests that access lines tell, put among the other records at the time they came. An access line is written when its
// exchange is over, its request came up to minutes before: of two calls that shared an id the one that hung is written last. Stands
// between a log and its tracker; a log whose access lines tell no requests passes unchanged, without a copy.
// From the first such request on everything waits until nothing earlier can come: `kHorizonUs` behind the newest record.
// A line that two handlers of one process write is one line: its copy, word for word right behind it, goes no further.
// Ownership: owns copies of what waits. Threads: one. Bounds: Limits::waiting_records, waiting_record_bytes; past one, the earliest
// goes on too early.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/limits.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

class RequestOrder : public model::ObservationSink {
 public:
  RequestOrder(const Limits& limits, model::ObservationSink& sink) : limits_(limits), sink_(sink) {}

  void observe(const model::Observation& seen) override;
  // The input ends: everything goes on.
  void finish();
  // Records that were read when later ones had gone on.
  std::uint64_t late() const { return late_; }

 private:
  static constexpr std::int64_t kHorizonUs = 600 * kSecond;  // longer than any client is known to wait for a reply
  static constexpr std::size_t kShelfRecords = 256;
  struct Slot {
    std::int64_t due;
    std::uint64_t order;
    model::Observation seen;
    std::shared_ptr<Arena> shelf;  // where the copy lives, together with its neighbours'
    bool operator<(const Slot& other) const { return due != other.due ? due > other.due : order > other.order; }
  };

  bool is_copy(const model::Observation& seen);
  void keep(const model::Observation& seen);
  void release_earliest();

  const Limits& limits_;
  model::ObservationSink& sink_;
  std::vector<Slot> heap_;
  std::shared_ptr<Arena> shelf_;
  std::size_t on_shelf_ = 0, bytes_ = 0;
  std::int64_t newest_ = INT64_MIN, released_ = INT64_MIN;
  std::uint64_t added_ = 0, late_ = 0;
  std::uint64_t told_ = 0, told_line_ = 0, copied_line_ = 0;  // digest and number of the last line's request; the number of the last line that is a copy
  bool waiting_ = false;
};

}  // namespace mcpscan::pipeline
