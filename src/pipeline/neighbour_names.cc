#include "pipeline/neighbour_names.h"

#include <algorithm>

namespace mcpscan::pipeline {

using model::NoticeKind;
using model::Observation;
using model::ObservationKind;

void NeighbourNames::observe(const Observation& seen) {
  const bool names_only = seen.kind == ObservationKind::context && seen.keying == model::SessionKeying::process;
  if (names_only) return take_name(seen);
  release({});
  const bool nameless = seen.kind == ObservationKind::notice && seen.notice->kind == NoticeKind::request_timed_out && seen.session.empty();
  nameless && !names_.empty() ? hold(seen) : sink_.observe(seen);
}

void NeighbourNames::take_name(const Observation& seen) {
  if (holding_) {
    const bool near = held_.at.known() && seen.at.known() && seen.at.us - held_.at.us <= kNear && seen.at >= held_.at;
    release(near ? seen.session : std::string_view{});
  }
  const bool known = std::find(names_.begin(), names_.end(), seen.session) != names_.end();
  if (!known && names_.size() < kNames) names_.emplace_back(seen.session);
}

void NeighbourNames::hold(const Observation& seen) {
  held_ = seen;
  notice_ = *seen.notice;
  key_ = seen.notice->key;
  tool_ = seen.notice->tool;
  method_ = seen.notice->method;
  text_ = seen.text;
  holding_ = true;
}

// With no name from the next record, the only one known so far will do.
void NeighbourNames::release(std::string_view session) {
  if (!holding_) return;
  holding_ = false;
  if (session.empty() && names_.size() == 1) session = names_.front();
  notice_.key = key_;
  notice_.tool = tool_;
  notice_.method = method_;
  notice_.second_key = notice_.reason = {};
  held_.notice = &notice_;
  held_.text = text_;
  held_.http = nullptr;
  held_.session = session;
  if (!session.empty()) held_.keying = model::SessionKeying::process;
  sink_.observe(held_);
}

}  // namespace mcpscan::pipeline
