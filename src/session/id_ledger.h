// IdLedger: which ids a requestor has used in a session. Integers are kept as intervals (sequential ids cost nothing), the rest
// as hashes; both bounded by Limits, after which "used before" can no longer be told (complete() is false).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/limits.h"
#include "model/rpc_message.h"
#include "model/run_record.h"
#include "model/timeline.h"

namespace mcpscan::session {

// Digest of an id's identity (type and value); finds, never decides.
std::uint64_t id_digest(const model::RpcId& id);
// Stands where digests of requests' ids would, for a stream that answers none: the server's own.
constexpr std::uint64_t kAsksNothing = 0;

bool is_among(std::span<const model::IdRange> ranges, const model::RpcId& id);

class IdLedger {
 public:
  // Notes the id; true when it had been used before.
  bool use(const model::RpcId& id, const Limits& limits);
  bool contains(const model::RpcId& id) const;
  bool complete() const { return complete_; }
  bool empty() const { return intervals_.empty() && hashes_.empty(); }
  // The integers that one who counts up has left out between those it used, and as many behind them, where it may have gone on; empty where
  // it has left out none, or more than it used: then it may not count.
  std::vector<model::IdRange> left_out() const;
  // The same where the evidence may show one of `sampled` requests only; the next one may be missing, too.
  std::vector<model::IdRange> may_be_left_out(std::uint64_t sampled) const;
  // Those right behind them that were `answered` although nobody asked.
  std::vector<model::IdRange> answered_behind(const IdLedger& answered) const;
  void clear();
  model::UsedIds memory() const;
  void recall(const model::UsedIds& used);

 private:
  struct Interval {
    std::int64_t low, high;
  };
  static bool begins_behind(std::int64_t value, const Interval& interval) { return value < interval.low; }
  std::vector<model::IdRange> between(std::uint64_t most_each, std::uint64_t& missing) const;
  bool use_integer(std::int64_t value, const Limits& limits);

  std::vector<Interval> intervals_;  // sorted, disjoint, never adjacent
  std::unordered_set<std::uint64_t> hashes_;
  bool complete_ = true;
};

}  // namespace mcpscan::session
