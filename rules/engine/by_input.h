// ByInput: what a detector keeps of one session in each input, in the order they came. Most sessions are in one: a list, which is looked
// through. Owns what is kept. Not thread-safe. Bound: the inputs of a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace mcpscan::engine {

template <typename Kept>
class ByInput {
 public:
  auto begin() { return kept_.begin(); }
  auto end() { return kept_.end(); }
  auto find(std::uint32_t input) {
    return std::find_if(begin(), end(), [input](const auto& each) { return each.first == input; });
  }

  // Begun when it is asked for first.
  Kept& operator[](std::uint32_t input) {
    const auto found = find(input);
    return found != end() ? found->second : kept_.emplace_back(input, Kept()).second;
  }

 private:
  std::vector<std::pair<std::uint32_t, Kept>> kept_;
};

}  // namespace mcpscan::engine
