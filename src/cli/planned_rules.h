// Invariants of the protocol that no rule judges yet, so that a report's silence about them is not taken for their being kept.
#pragma once

#include <span>
#include <string_view>

namespace mcpscan::cli {

struct PlannedRule {
  std::string_view code;  // in the rules' tags
  std::string_view what;
};

std::span<const PlannedRule> planned_rules();

}  // namespace mcpscan::cli
