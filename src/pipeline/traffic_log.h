// TrafficLog: what the calls of each session and tool did in each quarter of an hour, from the events of the timeline.
// Ownership: keeps names and counts only. Threads: one. Bound: kRows rows; from there on a quarter's calls fold into one row.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/run_record.h"
#include "model/timeline.h"

namespace mcpscan::pipeline {

// A row, and the server that its session is at: a proxy passes a session on, so that what is seen of one capture may be at two. Empty: not told.
struct PlacedTraffic {
  model::TrafficRow row;
  std::string server;
};

class TrafficLog {
 public:
  static constexpr std::size_t kRows = 200000;  // 150 bytes each

  explicit TrafficLog(std::size_t most = kRows) : most_(most) {}

  void on_event(std::size_t source, const model::TimelineEvent& event);
  // The rows since the last take, in order; the log goes on without them.
  std::vector<PlacedTraffic> take();

 private:
  using Key = std::tuple<std::int64_t, std::uint64_t, std::string>;  // quarter, session of a source, tool
  model::TrafficCounts& counts_of(std::int64_t quarter, std::uint64_t session, const std::string& tool);

  std::size_t most_;
  std::size_t rows_in_all_ = 0;
  std::map<Key, model::TrafficCounts> rows_;
  struct Place {
    std::string label, server;
  };
  std::map<std::uint64_t, Place> places_;  // as a session was last called
};

}  // namespace mcpscan::pipeline
