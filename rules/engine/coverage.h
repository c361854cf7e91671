// What each rule could see: evaluated, partly or not-evaluable, with the reason and what would enable it. Never a silent "0 findings".
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/finding.h"

namespace mcpscan::engine {

// What happened while reading that limits what absence can mean.
struct EvidenceLimits {
  std::uint32_t capabilities = 0;          // model::Capability bits that any input gave
  bool gaps = false;
  bool ledgers_complete = true;
  std::uint64_t unattributed_replies = 0, cut_records = 0, aged_out_calls = 0, retired_sessions = 0, untold_waits = 0, untimed_replies = 0, shared_ids = 0;
  std::string enable;                      // what the logs read could say more, from their dialects
  std::set<std::string, std::less<>> found;  // the rules that found something
};

std::vector<model::RuleCoverage> judge_coverage(const RuleSet& rules, const EvidenceLimits& evidence);

}  // namespace mcpscan::engine
