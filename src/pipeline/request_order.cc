#include "pipeline/request_order.h"

#include <algorithm>

#include "base/hash.h"
#include "pipeline/observation_copy.h"

namespace mcpscan::pipeline {

using model::Observation;
using model::ObservationKind;

namespace {

// What a waiting copy takes, roughly: its facts, and the text of its message.
std::size_t weight(const Observation& seen) { return sizeof(Observation) + sizeof(model::HttpFacts) + seen.text.size() + (seen.message == nullptr ? 0 : seen.message->text.size()); }

}  // namespace

void RequestOrder::observe(const Observation& seen) {
  if (seen.of_access_line && is_copy(seen)) return;
  waiting_ = waiting_ || (seen.of_access_line && seen.kind == ObservationKind::message);
  if (seen.at.known()) newest_ = std::max(newest_, seen.at.us);
  if (!waiting_) return sink_.observe(seen);
  keep(seen);
  while (!heap_.empty() && heap_.front().due < newest_ - kHorizonUs) release_earliest();
  while (heap_.size() > limits_.waiting_records || (bytes_ > limits_.waiting_record_bytes && !heap_.empty())) release_earliest();
}

// Told by its first request, for all that the line tells: the same words, message and moment. Whole seconds are too coarse to tell: a client may do
// the same twice within one.
bool RequestOrder::is_copy(const Observation& seen) {
  if (seen.exchange == 0 || seen.exchange == copied_line_) return seen.exchange != 0;
  if (seen.message == nullptr || seen.exchange == told_line_ || !seen.at.known()) return false;
  if (seen.at.us % kSecond == 0 && (seen.http == nullptr || seen.http->duration_us % kSecond == 0)) return false;
  const std::uint64_t told = hash_combine(hash_bytes(seen.text, static_cast<std::uint64_t>(seen.at.us)), hash_bytes(seen.message->id.value, seen.message->digest));
  if (told == told_) return copied_line_ = seen.exchange, true;
  told_ = told;
  told_line_ = seen.exchange;
  return false;
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
