#include "engine/call_picture.h"

#include <fmt/format.h>

namespace mcpscan::engine {
namespace {

using namespace model;

std::string after(const Call& call, Time at) {
  return call.requested_at.known() && at.known() ? fmt::format(" after {}", format_duration(at.us - call.requested_at.us)) : std::string();
}

StoryLine outcome_of(const TimelineEvent& event, const std::string& name) {
  const Call& call = *event.call;
  switch (event.kind) {
    case EventKind::reply: return {event.at, '<', fmt::format("the reply to {}{}", name, after(call, event.at)), event.source};
    case EventKind::timeout: return {event.at, 'x', fmt::format("{} is given up{}", name, after(call, event.at)), event.source};
    case EventKind::cancel: return {event.at, 'x', fmt::format("{} is cancelled{}", name, after(call, event.at)), event.source};
    case EventKind::call_closed: return {event.at, 'x', fmt::format("{} ends without a reply{}", name, after(call, event.at)), event.source};
    default: return {};
  }
}

}  // namespace

bool is_of_tool(std::string_view method) { return method.empty() || method == kToolsCall; }

std::string call_name(const std::string& method, const std::string& target) {
  if (target.empty()) return method;
  return is_of_tool(method) ? target : method + " " + target;
}

std::vector<StoryLine> picture_of(const TimelineEvent& event) {
  if (!event.call) return {};
  const Call& call = *event.call;
  const std::string name = call_name(call.method, call.target);
  const std::string asked = call.id.raw.empty() ? name : fmt::format("{}  id {}", name, call.id.raw);
  std::vector<StoryLine> lines{{call.requested_at, '>', asked, call.source}};
  StoryLine outcome = outcome_of(event, name);
  if (!outcome.text.empty()) lines.push_back(std::move(outcome));
  for (StoryLine& line : lines) line.call = name, line.asked = call.source;
  return lines;
}

}  // namespace mcpscan::engine
