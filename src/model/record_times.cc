#include "model/record_times.h"

#include <algorithm>
#include <iterator>

namespace mcpscan::model {

void RecordTimes::clear() {
  first_ = last_ = Time{};
  clocks_differ_ = false;
  steps_.clear();
}

void RecordTimes::add_step(Time from, Time to) {
  if (to < from) clocks_differ_ = true;
  else keep({to, to.us - from.us});
}

void RecordTimes::keep(Step step) {
  while (!steps_.empty() && steps_.back().us <= step.us) steps_.pop_back();
  if (steps_.size() < kSteps) steps_.push_back(step);
  else steps_.back().to = step.to;  // taken for as long as one before it, which shows less time
}

void RecordTimes::append(const RecordTimes& later) {
  if (!later.first_.known()) return;
  const Time first = first_;
  note(later.first_);
  clocks_differ_ = clocks_differ_ || later.clocks_differ_;
  for (const Step& step : later.steps_) keep(step);
  if (first.known()) first_ = first;
  last_ = later.last_;
}

Time RecordTimes::reach(Time since) const {
  if (clocks_differ_ || !last_.known() || !since.known()) return {};
  const auto behind = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) { return step.to > since; });
  if (behind == steps_.end()) return last_;
  const std::int64_t next = std::next(behind) == steps_.end() ? 0 : std::next(behind)->us;  // where `since` lies within a step, only its rest counts
  return {last_.us - std::max(std::min(behind->us, behind->to.us - since.us), next)};
}

void RecordTimes::end_at(Time until) {
  if (!until.known() || !last_.known() || last_ <= until) return;
  last_ = until;
  std::erase_if(steps_, [&](const Step& step) { return step.to.us - step.us >= until.us; });
  if (!steps_.empty() && steps_.back().to > until) steps_.back() = {until, steps_.back().us - (steps_.back().to.us - until.us)};
}

}  // namespace mcpscan::model
