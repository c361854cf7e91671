// FailedExchanges: requests that were answered by an error of HTTP which no rule judges, since a status alone names nobody (502, 503, 500 and their
// kin). Counted, so that evidence full of them is not one without a fault.
// Ownership: keeps counts only. Threads: one. Bound: kServers, and the statuses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace mcpscan::pipeline {

class FailedExchanges {
 public:
  void on_event(const model::TimelineEvent& event);
  // For the report's notes, one of each server; none where all was answered.
  std::vector<std::string> notes() const;

 private:
  static constexpr std::size_t kServers = 16;
  struct OfServer {
    std::uint64_t requests = 0;
    std::map<unsigned, std::uint64_t> failed;  // by status
    Time first;                                // of those
  };
  void count(std::string_view server, unsigned status, bool failed, Time at);

  std::map<std::string, OfServer, std::less<>> servers_;  // by address; empty: not told
  decltype(servers_)::iterator last_ = servers_.end();    // counted last, as the next one mostly is
};

}  // namespace mcpscan::pipeline
