// RowsTap: what a scan sees, as rows of the timeline. Ownership: the rows outlive it. Threads: as TimelineTap.
#pragma once

#include <cstdint>

#include "pipeline/timeline_tap.h"
#include "report/timeline_rows.h"

namespace mcpscan::pipeline {

class RowsTap : public TimelineTap {
 public:
  explicit RowsTap(report::TimelineRows& rows) : rows_(rows) {}
  void on_input(const model::InputRow& input) override { rows_.on_input(input); }
  void on_input_read(const model::InputRow& input) override { rows_.on_input_read(input); }
  void on_observation(const model::Observation&) override {}
  void on_event(std::size_t source, const model::TimelineEvent& event) override { rows_.on_event(static_cast<std::uint32_t>(source), event); }

 private:
  report::TimelineRows& rows_;
};

}  // namespace mcpscan::pipeline
