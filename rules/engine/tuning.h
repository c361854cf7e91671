// Tuning: what an operator decides about findings, in a file of their own: other levels, suppressions with a reason and an end, and the
// incidents that are known already. It changes what a report alarms on, never what was counted: each entry that took something away is
// named with what it took. Immutable. Whether a suppression has ended is asked of the evidence's time, not of a clock.
//     levels: {late-reply: informational}
//     suppress:
//       - {rule: lost-reply, tool: slow_export, reason: "ticket 4711", until: 2026-12-31}
//     baseline: [inc-5c097b]
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/finding.h"

namespace mcpscan::engine {

class RuleSet;

class Tuning {
 public:
  // An unknown key, rule or level, a suppression without a reason, or a bad date is an error with file:line.
  static Result<Tuning> load(std::string_view yaml, std::string_view path, const RuleSet& rules);

  // Changes levels, takes away what is suppressed or known, and adds a note for each.
  void apply(model::Report& report) const;

 private:
  struct Suppression {
    std::string rule, session, tool, client, reason, place;
    Time until;                   // the first moment it no longer holds; unknown: none
  };
  bool covers(const Suppression& suppression, const model::Finding& finding, const model::Report& report) const;
  void change_levels(model::Report& report) const;

  std::map<std::string, model::Level> levels_;
  std::vector<Suppression> suppressions_;
  std::set<std::string> baseline_;  // ids of incidents or findings
  std::string path_;
};

}  // namespace mcpscan::engine
