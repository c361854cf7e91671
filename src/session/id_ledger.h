// IdLedger: which ids a requestor has used in a session. Integers are kept as intervals (sequential ids cost nothing), the rest
// as hashes; both bounded by Limits, after which "used before" can no longer be told (complete() is false).
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/limits.h"
#include "model/rpc_message.h"
#include "model/run_record.h"

namespace mcpscan::session {

// Digest of an id's identity (type and value); finds, never decides.
std::uint64_t id_digest(const model::RpcId& id);

class IdLedger {
 public:
  // Notes the id; true when it had been used before.
  bool use(const model::RpcId& id, const Limits& limits);
  bool contains(const model::RpcId& id) const;
  bool complete() const { return complete_; }
  bool empty() const { return intervals_.empty() && hashes_.empty(); }
  void clear();
  model::UsedIds memory() const;
  void recall(const model::UsedIds& used);

 private:
  struct Interval {
    std::int64_t low, high;
  };
  static bool begins_behind(std::int64_t value, const Interval& interval) { return value < interval.low; }
  bool use_integer(std::int64_t value, const Limits& limits);

  std::vector<Interval> intervals_;  // sorted, disjoint, never adjacent
  std::unordered_set<std::uint64_t> hashes_;
  bool complete_ = true;
};

}  // namespace mcpscan::session
