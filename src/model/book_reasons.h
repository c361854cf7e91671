// Reasons of an input's books that more than their writer knows. Constants only.
#pragma once

namespace mcpscan::model {

inline constexpr const char* kOutOfWindow = "out-of-window";  // outside of --since and --until
inline constexpr const char* kFiltered = "filtered";            // packets that --filter does not let through

}  // namespace mcpscan::model
