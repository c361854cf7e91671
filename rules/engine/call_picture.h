// The picture of a finding whose rule draws none of its own: the request of the call, and what happened to it then.
// Text here is put together from evidence and as hostile as that. Threads: pure. Bound: two lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace mcpscan::engine {

// Also where nothing tells the method: a client's record is of tools.
bool is_of_tool(std::string_view method);
// A tool by its name alone; what else is asked for by the method, too: a target says little without what was asked of it.
std::string call_name(const std::string& method, const std::string& target);
// Empty where the event is about no call.
std::vector<model::StoryLine> picture_of(const model::TimelineEvent& event);

}  // namespace mcpscan::engine
