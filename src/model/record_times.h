// RecordTimes: the times of a log's records in their order, and how much time they show to have gone by. A step forward may be no time at all: a line
// of another zone or another clock, a date that is none, a machine that slept. Threads: none, a block of a log has its own. Bounds: kSteps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace mcpscan::model {

class RecordTimes {
 public:
  static constexpr std::size_t kSteps = 64;

  void clear();
  void note(Time at) {
    if (!at.known()) return;
    if (!last_.known()) first_ = at;
    else if (at.us - last_.us > kTellingStepUs || at.us < last_.us - kUnorderedUs) add_step(last_, at);
    last_ = at;
  }
  // What was read behind these.
  void append(const RecordTimes& later);

  Time first() const { return first_; }  // of the first record and of the last one, not the earliest and the latest
  Time last() const { return last_; }
  // Records of several clocks: how long something waited, other records do not tell.
  bool clocks_differ() const { return clocks_differ_; }
  // To when they certainly go on behind `since`, which is when they do but for the longest step that may be none. Unknown where clocks differ.
  Time reach(Time since) const;
  // The records behind it are not of the window that is looked at.
  void end_at(Time until);

 private:
  static constexpr std::int64_t kTellingStepUs = 14 * kMinute;  // zones lie a quarter of an hour apart, or more
  static constexpr std::int64_t kUnorderedUs = 30 * kSecond;  // lines of one clock are not written later than that

  struct Step {
    Time to;
    std::int64_t us = 0;
  };
  void add_step(Time from, Time to);
  void keep(Step step);

  Time first_, last_;
  bool clocks_differ_ = false;
  std::vector<Step> steps_;  // each shorter than the one before it: the longest since any time is the first one behind that
};

}  // namespace mcpscan::model
