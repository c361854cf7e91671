// Counts for the history what the report counts: a call that a proxy passed on is one, and goes by the name that its session has nearest to the
// client. A session's calls are those of the server where one file shows most of them, as the report's table of sessions has it.
// Ownership: keeps names and counts only. Threads: one. Bound: that of the traffic log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipeline/traffic_log.h"

namespace mcpscan::pipeline {

// Of one source: what a session is called in it, and what it is called in the report.
using ReportedNames = std::map<std::string, std::string>;

// How the report was put together from its sources.
struct Assembled {
  std::map<std::size_t, ReportedNames> names;         // by source: sessions that the report has under another name
  std::vector<model::OccurrenceRow> occurrences;      // of its findings, whichever source showed them, and of what only their comparison did
};

class CountedOnce {
 public:
  explicit CountedOnce(const ReportedNames& names) : names_(names) {}

  // Of one file, all that it showed, before any of it is asked for.
  void look_at(const std::vector<PlacedTraffic>& rows);
  std::vector<model::TrafficRow> rows_of(std::vector<PlacedTraffic> rows) const;

 private:
  // A session as one server knew it.
  struct Hop {
    std::string label, server;
    auto operator<=>(const Hop&) const = default;
  };
  struct Seen {
    std::uint64_t requests = 0;
    std::int64_t answered_us = 0;   // longest where the client waits
    auto operator<=>(const Seen&) const = default;
  };

  std::string reported(const std::string& label) const;

  const ReportedNames& names_;
  std::map<std::string, std::map<Hop, Seen>> hops_;   // by the session's name in the report
};

// No finding occurred more often than the report says: what stood in several places, or was answered later, it has left out.
void count_no_more(const std::map<std::string, std::uint64_t>& reported, std::map<std::string, std::uint64_t>& counted, std::vector<model::OccurrenceRow>& rows);

}  // namespace mcpscan::pipeline
