// The calls that a client's own record tells of and has not yet told the end of. An end may name its call by the client's own id or by its tool only,
// and may stand in several lines, of which the first one counts.
// Ownership: keeps copies. Threads: none. Bound: kOpen calls.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "model/detector.h"

namespace mcpscan::engine {

class ClientRecord {
 public:
  struct Started {
    std::string tool;
    Time at;
    model::Evidence evidence;
  };

  // An outcome. Gives the call that it ends, if that one was open.
  std::optional<Started> note(const model::TimelineEvent& event);
  // The call that is open, if it is the only one.
  const Started* only() const { return open_.size() == 1 ? &open_.begin()->second : nullptr; }
  void forget() { open_.clear(); }

  // A call as a finding shows it: the record knows no JSON-RPC ids.
  static model::FindingCall call_of(const Started& started) { return {{}, "tools/call", started.tool, started.at, {}}; }

 private:
  static constexpr std::size_t kOpen = 1024;

  std::multimap<std::string, Started> open_;  // by the client's call id, else its tool; those of one name in order
};

}  // namespace mcpscan::engine
