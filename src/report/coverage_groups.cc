#include "report/coverage_groups.h"

#include <algorithm>
#include <map>
#include <set>

namespace mcpscan::report {

using model::RuleCoverage;
using model::RuleState;

namespace {

constexpr std::string_view kBetween = "; ";  // of things missing, and of ways to get them, in the same order

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + kBetween.size(), text.size()));
  }
  return parts;
}

// The way that stands before kOr in most of them, where several do; what follows it is what sets them apart.
std::string shared_way(const std::vector<RuleCoverage>& rules) {
  std::map<std::string_view, std::set<std::string_view>> ways;
  for (const RuleCoverage& rule : rules) {
    const std::size_t end = rule.enable.find(kOr);
    if (rule.state != RuleState::evaluated && end != std::string::npos) ways[std::string_view(rule.enable).substr(0, end)].insert(std::string_view(rule.enable).substr(end));
  }
  std::string_view shared;
  std::size_t most = 1;
  for (const auto& [way, others] : ways) {
    if (others.size() > most) most = others.size(), shared = way;
  }
  return std::string(shared);
}

class Grouping {
 public:
  explicit Grouping(std::string shared) : groups_{{}, std::move(shared)} {}

  void add(const RuleCoverage& rule) {
    std::string_view enable = rule.enable;
    const std::string_view shared = groups_.shared_enable;
    if (!shared.empty() && enable.starts_with(shared) && enable.substr(shared.size()).starts_with(kOr)) enable.remove_prefix(shared.size() + kOr.size());
    const auto missing = parts_of(rule.why), ways = parts_of(enable);
    if (rule.state != RuleState::not_evaluable || missing.size() < 2 || missing.size() != ways.size()) return row(rule.state, rule.why, enable).rules.push_back(rule.rule);
    for (std::size_t i = 0; i < missing.size(); ++i) row(rule.state, missing[i], ways[i]);
    row(rule.state, {}, {}, true).rules.push_back(rule.rule);
  }

  CoverageGroups take() {
    std::stable_sort(groups_.rows.begin(), groups_.rows.end(), [](const CoverageGroup& a, const CoverageGroup& b) {
      if (a.state != b.state) return a.state > b.state;
      if (a.several != b.several) return b.several;
      return a.rules.size() > b.rules.size();
    });
    return std::move(groups_);
  }

 private:
  CoverageGroup& row(RuleState state, std::string_view why, std::string_view enable, bool several = false) {
    auto& rows = groups_.rows;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const CoverageGroup& group) {
      return group.state == state && group.several == several && group.why == why && group.enable == enable;
    });
    return same != rows.end() ? *same : rows.emplace_back(CoverageGroup{state, std::string(why), std::string(enable), {}, several});
  }

  CoverageGroups groups_;
};

}  // namespace

CoverageGroups group_coverage(const std::vector<RuleCoverage>& rules) {
  Grouping grouping(shared_way(rules));
  for (const RuleCoverage& rule : rules) {
    if (rule.state != RuleState::evaluated) grouping.add(rule);
  }
  return grouping.take();
}

}  // namespace mcpscan::report
