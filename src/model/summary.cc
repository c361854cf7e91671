#include "model/summary.h"

#include <array>

namespace mcpscan::model {

std::string_view to_string(IncidentState state) {
  constexpr std::array<std::string_view, 5> kStates{"new", "ongoing", "returned", "resolved", "unclear"};
  return kStates[static_cast<std::size_t>(state)];
}

}  // namespace mcpscan::model
