// The rules that could not be judged, or only in part, by what they lacked: a row a reason, so that a hundred rules read as the few things that
// are missing from the evidence. A rule that lacks several things is told once, in the row for those; what they are has rows of its own.
// Threads: pure. Bound: the number of rules. Strings are as read: mask and escape before showing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace mcpscan::report {

struct CoverageGroup {
  model::RuleState state = model::RuleState::evaluated;
  std::string why, enable;         // what is missing, and how to get it; enable empty: not told
  std::vector<std::string> rules;  // in the report's order; empty: only rules that lack other things as well
  bool several = false;            // the row of the rules that lack several of the things above it; why is empty then
};

struct CoverageGroups {
  std::vector<CoverageGroup> rows;  // not judged ones first, then the most rules first, the row of several things last
  // What many of them would be enabled by alike, e.g. the loggers of the logs read, which is told once; empty: nothing.
  std::string shared_enable;
};

CoverageGroups group_coverage(const std::vector<model::RuleCoverage>& rules);

// Parts ways to enable a rule.
constexpr std::string_view kOr = "; or: ";

}  // namespace mcpscan::report
