// ToolShape: what the replies of one tool of one server look like, as counts of features: what a run has learned, for a later run. Features are
// names of members and kinds of values, and the first word of a text with its digits as 9; no payload.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mcpscan::model {

struct ToolShape {
  std::uint64_t tool = 0;              // digest of server and tool
  std::uint32_t replies = 0;           // that it was learned from
  std::vector<std::pair<std::string, std::uint32_t>> features;  // with the number of replies that had it; in order
};

}  // namespace mcpscan::model
