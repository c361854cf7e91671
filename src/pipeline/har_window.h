// HarWindow: the exchanges of a HAR in the order of time. Entries stand in the order of their starts, or ends, or none; what one
// entry tells happened at several times (request, head, events, end), among those of others. Each step waits in a heap until nothing
// earlier can come: as long as no more than Limits::har_reorder_entries exchanges wait for their start.
// Ownership: owns what waits. Threads: one. Bounds: Limits::har_reorder_entries, har_pending_entries, har_pending_bytes; past one,
// the earliest step is taken too early.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "pipeline/har_exchange.h"

namespace mcpscan::pipeline {

// Who takes the steps.
class HarStepTaker {
 public:
  virtual ~HarStepTaker() = default;
  // `exchange.step` is due.
  virtual void take(HarExchange& exchange) = 0;
};

class HarWindow {
 public:
  HarWindow(const Limits& limits, HarStepTaker& taker) : limits_(limits), taker_(taker) {}

  void add(std::unique_ptr<HarExchange> exchange);
  // The input ends: everything is taken.
  void finish();

  // One whose start is not due yet.
  HarExchange* find_waiting(FunctionRef<bool(const HarExchange&)> fits) const;

  std::uint64_t taken_early() const { return taken_early_; }
  std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  struct Slot {
    std::int64_t due;
    std::uint64_t order;
    std::unique_ptr<HarExchange> exchange;
    bool operator<(const Slot& other) const;  // later is less: the heap's top is the earliest
  };
  void push(std::unique_ptr<HarExchange> exchange, std::uint64_t order);
  void take_earliest();

  const Limits& limits_;
  HarStepTaker& taker_;
  std::vector<Slot> heap_;
  std::size_t not_started_ = 0, bytes_ = 0;
  std::int64_t last_start_ = 0, last_taken_ = INT64_MIN;
  std::uint64_t added_ = 0, taken_early_ = 0, out_of_order_ = 0;
};

}  // namespace mcpscan::pipeline
