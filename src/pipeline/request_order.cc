#include "pipeline/request_order.h"

#include <algorithm>

#include "pipeline/observation_copy.h"

namespace mcpscan::pipeline {

using model::Observation;
using model::ObservationKind;

namespace {

// What a waiting copy takes, roughly: its facts, and the text of its message.
std::size_t weight(const Observation& seen) { return sizeof(Observation) + sizeof(model::HttpFacts) + seen.text.size() + (seen.message == nullptr ? 0 : seen.message->text.size()); }

}  // namespace

void RequestOrder::observe(const Observation& seen) {
  waiting_ = waiting_ || (seen.of_access_line && seen.kind == ObservationKind::message);
  if (seen.at.known()) newest_ = std::max(newest_, seen.at.us);
  if (!waiting_) return sink_.observe(seen);
  keep(seen);
  while (!heap_.empty() && heap_.front().due < newest_ - kHorizonUs) release_earliest();
  while (heap_.size() > limits_.waiting_records || (bytes_ > limits_.waiting_record_bytes && !heap_.empty())) release_earliest();
}

// Records without a time stay where they stand.
void RequestOrder::keep(const Observation& seen) {
  if (shelf_ == nullptr || on_shelf_ >= kShelfRecords) {
    shelf_ = std::make_shared<Arena>();
    on_shelf_ = 0;
  }
  ++on_shelf_;
  bytes_ += weight(seen);
  const std::int64_t due = seen.at.known() ? seen.at.us : newest_;
  if (due < released_) ++late_;
  heap_.push_back({due, added_++, copy_observation(seen, *shelf_), shelf_});
  std::push_heap(heap_.begin(), heap_.end());
}

void RequestOrder::release_earliest() {
  std::pop_heap(heap_.begin(), heap_.end());
  const Slot slot = std::move(heap_.back());
  heap_.pop_back();
  bytes_ -= weight(slot.seen);
  released_ = std::max(released_, slot.due);
  sink_.observe(slot.seen);
}

void RequestOrder::finish() {
  while (!heap_.empty()) release_earliest();
}

}  // namespace mcpscan::pipeline
