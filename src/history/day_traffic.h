// DayTraffic: what one day's calls and faults were, by session and tool, as the tables have it. Internal to the history.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/run_record.h"

namespace mcpscan::history {

// Quarters [first, end), and kNoQuarter where `undated`.
struct QuarterSpan {
  std::int64_t first = 0, end = 0;
  bool undated = false;
};

struct SessionNames {
  std::string shown, client, server;
};
std::map<std::string, SessionNames> session_names(SQLite::Database& database);

struct DayTraffic {
  struct Row {
    std::string session, tool;
    model::TrafficCounts counts;
  };
  std::vector<Row> rows;
  std::map<std::string, std::uint64_t> faults_of_session;  // occurrences of incidents' root findings
  std::uint64_t undated_faults = 0;                        // of them those that tell no time
  bool has_evidence = false, undated = false;              // undated: some of it tells no time
};
DayTraffic traffic_of(SQLite::Database& database, QuarterSpan day);

}  // namespace mcpscan::history
