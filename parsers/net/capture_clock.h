// CaptureClock: how far the capture's time has come: the latest packet time, except that a step beyond `bound_us` counts only
// once a second packet agrees with it. One damaged time stamp must not expire every connection.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace mcpscan::net {

class CaptureClock {
 public:
  explicit CaptureClock(std::int64_t bound_us) : bound_us_(bound_us) {}

  std::int64_t now() const { return now_; }  // 0 before the first known time
  Time time() const { return started_ ? Time{now_} : Time{}; }

  std::int64_t advance(Time at) {
    if (!at.known() || at.us <= now_) return now_;
    const bool step = started_ && at.us - now_ > bound_us_;
    if (step && (doubted_ == 0 || at.us < doubted_ || at.us - doubted_ > bound_us_)) {
      doubted_ = at.us;
      return now_;
    }
    doubted_ = 0;
    started_ = true;
    return now_ = at.us;
  }

 private:
  std::int64_t bound_us_;
  std::int64_t now_ = 0;
  std::int64_t doubted_ = 0;
  bool started_ = false;
};

}  // namespace mcpscan::net
