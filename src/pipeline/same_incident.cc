#include "pipeline/same_incident.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "pipeline/share_names.h"

namespace mcpscan::pipeline {
namespace {

using model::Finding;
using model::Incident;
using model::Report;

struct CallTold {
  std::string id, method, tool;
  std::int64_t requested_at, replied_at;
  auto operator<=>(const CallTold&) const = default;
};

struct FindingTold {
  std::string rule, detail;
  model::Level level = model::Level::informational;
  model::Party party = model::Party::unknown;
  model::Certainty certainty = model::Certainty::undetermined;
  std::uint64_t count = 0, calls_left_out = 0;
  std::vector<CallTold> calls;
  auto operator<=>(const FindingTold&) const = default;
};

FindingTold told(const Finding& finding, const Renamed& renamed) {
  FindingTold told{finding.rule, renamed(finding.detail), finding.level, finding.fault.party, finding.fault.certainty, finding.count, finding.calls_left_out, {}};
  for (const auto& call : finding.calls) {
    const bool by_name = call.method.empty() || is_by_name(call.method);
    told.calls.push_back({renamed(call.id.raw), call.method, by_name ? renamed(call.tool) : std::string(), call.requested_at.us, call.replied_at.us});
  }
  std::sort(told.calls.begin(), told.calls.end());
  return told;
}

// The root first, the others in order. Which of several equal findings is the root an order of ids decides, so only its rule counts.
std::vector<FindingTold> all_told(const Report& report, const Incident& incident, const Renamed& renamed) {
  std::map<std::string_view, const Finding*> by_id;
  for (const Finding& finding : report.findings) by_id.emplace(finding.id, &finding);
  std::vector<FindingTold> all(1);
  for (const std::string& id : incident.findings) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) continue;
    all.push_back(told(*found->second, renamed));
    if (id == incident.root) all.front().rule = found->second->rule;
  }
  std::sort(all.begin() + 1, all.end());
  return all;
}

std::string as_it_stands(std::string_view text) { return std::string(text); }

}  // namespace

const Incident* find_same_incident(const Report& whole, const Incident& incident, const Report& extract, const Renamed& renamed) {
  const auto wanted = all_told(whole, incident, renamed);
  const Incident* same = nullptr;
  for (const Incident& candidate : extract.incidents) {
    if (all_told(extract, candidate, as_it_stands) != wanted) continue;
    if (candidate.id == incident.id) return &candidate;
    if (!same) same = &candidate;
  }
  return same;
}

bool shows_nothing_new(const Report& whole, const Report& extract, const Renamed& renamed) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
  for (const Finding& finding : whole.findings) counts[{finding.rule, renamed(finding.detail)}] += finding.count;
  std::map<std::pair<std::string, std::string>, std::uint64_t> shown;
  for (const Finding& finding : extract.findings) {
    if (finding.level > model::Level::informational) shown[{finding.rule, finding.detail}] += finding.count;
  }
  return std::all_of(shown.begin(), shown.end(), [&](const auto& entry) {
    const auto found = counts.find(entry.first);
    return found != counts.end() && entry.second <= found->second;
  });
}

}  // namespace mcpscan::pipeline
