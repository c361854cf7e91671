// Calls, replies and latencies by tool name. Bounded by whoever fills it, see Limits::tools.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "model/timeline.h"

namespace mcpscan::session {

struct ToolStatistics {
  std::uint64_t calls = 0, replies = 0, errors = 0;
  model::LatencyHistogram latency;
};

// Found by a view of the name.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return hash_bytes(name); }
};
using ToolTable = std::unordered_map<std::string, ToolStatistics, NameHash, std::equal_to<>>;

}  // namespace mcpscan::session
