// EchoHabits: how often the replies of each tool repeat anything that their calls were asked with. Most do always or never; a reply that leaves
// its tool's habit is strange, and one of a tool that never repeats proves nothing by naming what another call was asked with.
// Owns its counts. Threads: none. Bound: kTools tools; of those beyond, nothing is known.
// Source: protocol notes RS12, C.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "engine/answered_call.h"

namespace mcpscan::engine {

class EchoHabits {
 public:
  static constexpr std::size_t kTools = 4096;
  static constexpr std::uint64_t kUsual = 10, kKnown = 5, kSettled = 1000;  // replies that show a habit, the lack of one, and all there is to know

  // Learns whether the reply repeated anything of the call, which must be parsed where it did not.
  void note(const AnsweredCall& call, bool repeats) {
    if ((!repeats && call.tokens.empty()) || (tools_.size() >= kTools && !tools_.contains(call.tool))) return;
    Counts& counts = tools_[call.tool];
    ++counts.replies;
    counts.repeating += repeats;
  }

  bool always(std::uint64_t tool) const {
    const Counts counts = of(tool);
    return counts.replies >= kUsual && counts.repeating * 10 >= counts.replies * 9;
  }
  // So many replies are known that one more tells nothing new.
  bool settled(std::uint64_t tool) const { return of(tool).replies >= kSettled; }
  bool known(std::uint64_t tool) const { return of(tool).replies >= kKnown; }
  bool seldom(std::uint64_t tool) const {
    const Counts counts = of(tool);
    return counts.replies >= kKnown && counts.repeating * 2 < counts.replies;
  }

 private:
  struct Counts {
    std::uint64_t replies = 0, repeating = 0;  // that had something to repeat
  };
  Counts of(std::uint64_t tool) const {
    const auto known = tools_.find(tool);
    return known == tools_.end() ? Counts{} : known->second;
  }

  std::unordered_map<std::uint64_t, Counts> tools_;
};

}  // namespace mcpscan::engine
