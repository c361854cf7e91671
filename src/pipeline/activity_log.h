// ActivityLog: how many calls a session made, and how many went unanswered, in each stretch of time: what the overview of
// a day is drawn from. Stretches are as long as it takes for the whole evidence to fit into kStretches of them, aligned to
// the clock; the result does not depend on the order of events.
// Ownership: keeps labels and counts only. Threads: one. Bound: Limits::activity_sessions sessions, the others in one row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "model/timeline.h"

namespace mcpscan::pipeline {

class ActivityLog {
 public:
  static constexpr std::int64_t kStretches = 96;

  explicit ActivityLog(const Limits& limits) : sessions_(limits.activity_sessions) {}

  void on_event(const model::TimelineEvent& event);
  // Adds what this log holds to the report's. A session seen from several places counts once in each stretch, where more
  // was seen of it.
  void report(model::Activity& into) const;

 private:
  model::ActivityCounts* counts_at(const model::TimelineEvent& event);
  void widen_to(Time at);

  std::size_t sessions_;
  std::int64_t stretch_us_ = kSecond;
  Time first_, last_;
  std::vector<model::ActivityRow> rows_;  // by the session's index; the last one, once there are as many as may be, is the others'
};

}  // namespace mcpscan::pipeline
