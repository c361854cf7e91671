#include "engine/client_record.h"

#include <algorithm>

namespace mcpscan::engine {

using namespace model;

std::optional<ClientRecord::Started> ClientRecord::note(const TimelineEvent& event) {
  const OutcomeFacts& facts = *event.observation->outcome;
  const std::string name(facts.call.empty() ? facts.tool : facts.call);
  if (facts.is_start) {
    if (open_.size() < kOpen) open_.emplace(name, Started{std::string(facts.tool), event.at, evidence_of(event)});
    return std::nullopt;
  }
  auto open = open_.lower_bound(name);
  if (open == open_.end() || open->first != name) open = std::find_if(open_.begin(), open_.end(), [&](const auto& each) { return each.second.tool == facts.tool; });
  if (open == open_.end()) return std::nullopt;
  std::optional<Started> ended(std::move(open->second));
  open_.erase(open);
  return ended;
}

}  // namespace mcpscan::engine
