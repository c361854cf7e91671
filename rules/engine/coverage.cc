#include "engine/coverage.h"

#include <fmt/format.h>

#include "engine/capabilities.h"

namespace mcpscan::engine {

using model::RuleCoverage;
using model::RuleState;

namespace {

RuleCoverage not_evaluable(const Rule& rule, std::uint32_t missing, const EvidenceLimits& evidence) {
  RuleCoverage coverage{rule.id, RuleState::not_evaluable, {}, {}, rule.title, rule.level};
  for (const CapabilityEntry& entry : capabilities()) {
    if ((missing & entry.bit) == 0) continue;
    coverage.why += (coverage.why.empty() ? "" : "; ") + std::string(entry.missing);
    coverage.enable += (coverage.enable.empty() ? "" : "; ") + std::string(entry.enable);
  }
  if (!evidence.enable.empty()) coverage.enable = evidence.enable + "; or: " + coverage.enable;
  return coverage;
}

std::string held_back(const Rule& rule, const EvidenceLimits& evidence) {
  std::string why;
  const auto add = [&](std::string text) { why += (why.empty() ? "" : "; ") + text; };
  if (rule.needs_absence && evidence.gaps) add("the evidence has gaps");
  if (rule.needs_absence && evidence.unattributed_replies > 0) {
    add(fmt::format("{} replies name no session and several calls fit them", evidence.unattributed_replies));
  }
  if (rule.needs_absence && evidence.cut_records > 0) add("records that hold JSON-RPC messages break off");
  if (rule.needs_absence && evidence.aged_out_calls > 0) add(fmt::format("{} calls were let go because too many were open", evidence.aged_out_calls));
  if (rule.needs_waits && evidence.untold_waits > 0) {
    const bool one = evidence.untold_waits == 1;
    add(one ? "of a call without a reply nothing tells how long it waited, or whose replies came to its id"
            : fmt::format("of {} calls without a reply nothing tells how long they waited, or whose replies came to their ids", evidence.untold_waits));
  }
  if (rule.needs_order && evidence.untimed_replies > 0) {
    add(evidence.untimed_replies == 1 ? "nothing tells when 1 reply came" : fmt::format("nothing tells when {} replies came", evidence.untimed_replies));
  }
  if (rule.needs_clients && evidence.shared_ids > 0) {
    add(fmt::format("{} had the id of another one in flight where no session tells whether they are of one client, or of several at one address", evidence.shared_ids == 1 ? "1 request" : fmt::format("{} requests", evidence.shared_ids)));
  }
  if (rule.needs_history && !evidence.ledgers_complete) add("more ids were used than are remembered");
  if (rule.needs_history && evidence.retired_sessions > 0) add(fmt::format("{} sessions were let go because too many were open", evidence.retired_sessions));
  return why;
}

}  // namespace

std::vector<RuleCoverage> judge_coverage(const RuleSet& rules, const EvidenceLimits& evidence) {
  std::vector<RuleCoverage> coverage;
  for (const auto& rule : rules.rules()) {
    const std::uint32_t missing = rule->needs & ~evidence.capabilities;
    if (missing != 0) {
      coverage.push_back(not_evaluable(*rule, missing, evidence));
      if (evidence.found.contains(rule->id)) coverage.back().state = RuleState::partly;  // some of the evidence says it all the same
      continue;
    }
    std::string why = held_back(*rule, evidence);
    coverage.push_back({rule->id, why.empty() ? RuleState::evaluated : RuleState::partly, std::move(why), {}, rule->title, rule->level});
  }
  return coverage;
}

}  // namespace mcpscan::engine
