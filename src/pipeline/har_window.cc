#include "pipeline/har_window.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mcpscan::pipeline {
namespace {

HarStep next_step(const HarExchange& exchange) {
  if (exchange.step == HarStep::start && exchange.has_response) return HarStep::head;
  if (exchange.step != HarStep::end && exchange.next_event < exchange.events.size()) return HarStep::events;
  return HarStep::end;
}

}  // namespace

bool HarWindow::Slot::operator<(const Slot& other) const {
  return std::tie(other.due, other.exchange->step, other.order) < std::tie(due, exchange->step, order);
}

void HarWindow::add(std::unique_ptr<HarExchange> exchange) {
  bytes_ += exchange->bytes();
  ++not_started_;
  push(std::move(exchange), ++added_);
  while (not_started_ > limits_.har_reorder_entries) take_earliest();
  while (!heap_.empty() && (heap_.size() > limits_.har_pending_entries || bytes_ > limits_.har_pending_bytes)) {
    ++taken_early_;
    take_earliest();
  }
}

void HarWindow::finish() {
  while (!heap_.empty()) take_earliest();
}

HarExchange* HarWindow::find_waiting(FunctionRef<bool(const HarExchange&)> fits) const {
  const auto found = std::find_if(heap_.begin(), heap_.end(), [&](const Slot& slot) { return slot.exchange->step == HarStep::start && fits(*slot.exchange); });
  return found == heap_.end() ? nullptr : found->exchange.get();
}

// A start of coarse precision may have been later than it says; so an exchange that ended within that time went before it. Two calls
// are never called concurrent because a clock was rounded.
void HarWindow::push(std::unique_ptr<HarExchange> exchange, std::uint64_t order) {
  Time at = exchange->end_at;
  if (exchange->step == HarStep::start) at = exchange->started;
  else if (exchange->step == HarStep::head) at = exchange->head_at;
  else if (exchange->step == HarStep::events) at = exchange->events[exchange->next_event].at;
  if (exchange->step == HarStep::start && at.known()) last_start_ = at.us + exchange->precision_us - 1;
  const bool start = exchange->step == HarStep::start;
  const std::int64_t due = start || !at.known() ? last_start_ : at.us;
  heap_.push_back({due, order, std::move(exchange)});
  std::push_heap(heap_.begin(), heap_.end());
}

void HarWindow::take_earliest() {
  std::pop_heap(heap_.begin(), heap_.end());
  Slot slot = std::move(heap_.back());
  heap_.pop_back();
  HarExchange& exchange = *slot.exchange;
  const HarStep taken = exchange.step;
  if (taken == HarStep::start) {
    --not_started_;
    if (slot.due < last_taken_) ++out_of_order_;
  }
  last_taken_ = std::max(last_taken_, slot.due);
  const std::size_t held = exchange.bytes();
  taker_.take(exchange);
  if (taken == HarStep::events) ++exchange.next_event;
  bytes_ -= exchange.left_out ? exchange.bytes() : held;  // what a copy lent is held on
  if (exchange.left_out) return;
  if (taken == HarStep::end) return;
  bytes_ += exchange.bytes();
  exchange.step = next_step(exchange);
  push(std::move(slot.exchange), slot.order);
}

}  // namespace mcpscan::pipeline
