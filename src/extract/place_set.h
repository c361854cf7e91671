// PlaceSet: which records of one input an extract keeps: line, packet or entry numbers from 1, as SourceRef counts them.
// Filled in any order, asked only after settle(). Owns its numbers, 8 bytes each; who fills it keeps to Limits::extract_places.
// Threads: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mcpscan::extract {

class PlaceSet {
 public:
  // Every record there is.
  static PlaceSet all() {
    PlaceSet set;
    set.all_ = true;
    return set;
  }
  void add(std::uint64_t number) {
    if (number > 0 && (numbers_.empty() || numbers_.back() != number)) numbers_.push_back(number);
  }
  // Puts the numbers in order, each once.
  void settle() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  }
  // Whether any number from `first` to `last` is in the set.
  bool holds(std::uint64_t first, std::uint64_t last) const {
    if (all_) return true;
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), first);
    return found != numbers_.end() && *found <= last;
  }
  bool holds(std::uint64_t number) const { return holds(number, number); }
  bool empty() const { return !all_ && numbers_.empty(); }
  std::size_t size() const { return numbers_.size(); }
  bool operator==(const PlaceSet&) const = default;

 private:
  bool all_ = false;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace mcpscan::extract
