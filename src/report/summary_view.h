// SummaryView: the daily summary as headings, sentences and tables, the same for every format for people. Texts that come from evidence go
// through the format's own `safe`; the words around them are plain ASCII. Threads: pure. Bound: the summary's; `most` rows a table, `names` of rules a
// row of what was not judged.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/summary.h"
#include "report/wording.h"

namespace mcpscan::report {

struct ViewColumn {
  std::string title;
  bool number = false;
  bool shrinks = false, optional = false;
};

struct ViewTable {
  std::string title;
  std::vector<ViewColumn> columns;
  std::vector<std::vector<std::string>> rows;
  std::string more;                        // what was left out; empty: nothing
};

struct ViewIncident {
  const model::SummaryIncident* incident = nullptr;
  std::string state, level, title, id;     // state and level in capitals
  std::vector<std::pair<std::string, std::string>> lines;  // label (may be empty), text
};

struct SummaryView {
  std::string title;                       // Saturday 2026-11-28, Europe/Berlin
  std::vector<std::string> lead;           // sentences under it
  ViewTable numbers;                       // the day, and the days it is compared with
  std::vector<ViewIncident> incidents;
  std::vector<ViewTable> tables;           // offenders, clients, servers, tools, sessions
  std::vector<CoverageBlock> not_judged;
  std::string more_evidence;               // what several rows of it have in common of how to enable them; empty: nothing
  std::vector<std::string> problems;
};

using Safe = std::function<std::string(std::string_view)>;
SummaryView view_of(const model::Summary& summary, const Safe& safe, const Safe& safe_id, std::size_t most, std::size_t names = kAllNames);

// 2026-11-28
std::string date_of_day(std::int64_t day);

}  // namespace mcpscan::report
