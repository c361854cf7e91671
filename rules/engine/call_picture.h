// The picture of a finding whose rule draws none of its own: the request of the call, and what happened to it then.
// Text here is put together from evidence and as hostile as that. Threads: pure. Bound: two lines.
#pragma once

#include <vector>

#include "model/timeline.h"

namespace mcpscan::engine {

// Empty where the event is about no call.
std::vector<model::StoryLine> picture_of(const model::TimelineEvent& event);

}  // namespace mcpscan::engine
