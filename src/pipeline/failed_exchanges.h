// FailedExchanges: requests that an access log shows answered by an error of HTTP which no rule judges, since a status alone names nobody (502, 503,
// 500 and their kin). Counted, so that a log full of them is not one without a fault.
// Ownership: keeps counts only. Threads: one. Bound: the statuses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/timeline.h"

namespace mcpscan::pipeline {

class FailedExchanges {
 public:
  void on_event(const model::TimelineEvent& event);
  // For the report's notes; none where all was answered.
  std::optional<std::string> note() const;

 private:
  std::uint64_t requests_ = 0;
  std::map<unsigned, std::uint64_t> failed_;  // by status
  Time first_;                                // of those
};

}  // namespace mcpscan::pipeline
