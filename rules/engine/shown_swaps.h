// Payloads that a client's own record shows under another call than the one whose arguments they repeat, found in the record alone: two calls that ran
// together and show each other's payload, or one that timed out while a sibling shows what fits the first, and either the sibling's tool else repeats its
// own arguments or the first, made again, brought that very payload. Which hop did it no record can tell.
// Source: protocol notes part C, H1 H4; docs/architecture.md "Shape never accuses alone".
// Ownership: keeps heads of texts. Threads: none. Bound: kRecent calls that others are compared with, kPairs pairs found, kTools tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/detector.h"

namespace mcpscan::engine {

class ShownSwaps {
 public:
  // An outcome.
  void note(const model::TimelineEvent& event);
  // To be called where no wire stands beside the record, which would tell more.
  void finish(model::FindingSink& findings) const;

 private:
  static constexpr std::size_t kRecent = 64, kPairs = 1024, kTools = 1024;
  static constexpr std::size_t kHabit = 3;  // calls of a tool that all repeat their arguments

  struct Shown {
    std::string client_id, tool, server, conversation, text;
    std::vector<std::string> tokens;
    Time from, to;
    model::Evidence evidence;
    std::uint64_t arguments = 0;  // digest
    bool gave_up = false;
  };
  struct Pair {
    Shown first, second;
    bool mutual = false;
    bool brought_again = false;  // the second call, made again, showed what the first had shown
  };
  struct Habit {
    std::size_t calls = 0, repeated = 0;
  };

  static bool ran_together(const Shown& a, const Shown& b);
  static bool shows_payload_of(const Shown& shown, const Shown& other);
  void compare(const Shown& a, const Shown& b);
  void note_again(const Shown& shown);
  // All other calls of the tool repeat what they were asked.
  bool repeats(const std::string& tool) const;
  static void tell(const Shown& shown, const Shown& other, bool mutual, model::FindingSink& findings);

  std::deque<Shown> recent_;
  std::vector<Pair> pairs_;
  std::unordered_map<std::string, Habit> habits_;  // by tool
};

}  // namespace mcpscan::engine
