#include "session/id_ledger.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/hash.h"

namespace mcpscan::session {
namespace {

std::optional<std::int64_t> small_integer(const model::RpcId& id) {
  if (id.type != model::IdType::integer) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(id.value.data(), id.value.data() + id.value.size(), value);
  if (error != std::errc() || end != id.value.data() + id.value.size()) return std::nullopt;
  return value;
}

}  // namespace

std::uint64_t id_digest(const model::RpcId& id) { return hash_bytes(id.value, static_cast<std::uint64_t>(id.type)); }

bool is_among(std::span<const model::IdRange> ranges, const model::RpcId& id) {
  const auto value = small_integer(id);
  return value && std::any_of(ranges.begin(), ranges.end(), [&](const model::IdRange& range) { return range.first <= *value && *value <= range.last; });
}

bool IdLedger::use(const model::RpcId& id, const Limits& limits) {
  if (const auto value = small_integer(id)) return use_integer(*value, limits);
  if (hashes_.size() >= limits.id_hashes) {
    complete_ = false;
    return hashes_.contains(id_digest(id));
  }
  return !hashes_.insert(id_digest(id)).second;
}

bool IdLedger::use_integer(std::int64_t value, const Limits& limits) {
  auto after = std::upper_bound(intervals_.begin(), intervals_.end(), value, begins_behind);
  const bool has_before = after != intervals_.begin();
  auto before = has_before ? after - 1 : after;
  if (has_before && value <= before->high) return true;
  const bool joins_before = has_before && before->high + 1 == value;
  const bool joins_after = after != intervals_.end() && after->low - 1 == value;
  if (joins_before && joins_after) {
    before->high = after->high;
    intervals_.erase(after);
  } else if (joins_before) {
    before->high = value;
  } else if (joins_after) {
    after->low = value;
  } else if (intervals_.size() < limits.id_intervals) {
    intervals_.insert(after, {value, value});
  } else {
    complete_ = false;
  }
  return false;
}

bool IdLedger::contains(const model::RpcId& id) const {
  const auto value = small_integer(id);
  if (!value) return hashes_.contains(id_digest(id));
  const auto after = std::upper_bound(intervals_.begin(), intervals_.end(), *value, begins_behind);
  return after != intervals_.begin() && *value <= (after - 1)->high;
}

std::vector<model::IdRange> IdLedger::answered_behind(const IdLedger& answered) const {
  const bool counts = complete_ && !intervals_.empty() && intervals_.back().high > intervals_.back().low;  // one id is no count
  if (!counts || intervals_.back().high == std::numeric_limits<std::int64_t>::max()) return {};
  const std::int64_t next = intervals_.back().high + 1;
  for (const Interval& run : answered.intervals_) {
    if (run.low == next) return {{run.low, run.high}};
  }
  return {};
}

// Who counts uses most of what lies between its first and its last: numbers by chance, times and hashes lie far apart.
std::vector<model::IdRange> IdLedger::between(std::uint64_t most_each, std::uint64_t& missing) const {
  std::vector<model::IdRange> ranges;
  std::uint64_t used = 0;
  for (std::size_t i = 0; complete_ && i < intervals_.size(); ++i) {
    const Interval& run = intervals_[i];
    used += static_cast<std::uint64_t>(run.high) - static_cast<std::uint64_t>(run.low) + 1;
    if (i == 0) continue;
    ranges.push_back({intervals_[i - 1].high + 1, run.low - 1});
    missing += static_cast<std::uint64_t>(run.low) - static_cast<std::uint64_t>(intervals_[i - 1].high) - 1;
  }
  if (missing / most_each > used) missing = 0, ranges.clear();
  return ranges;
}

std::vector<model::IdRange> IdLedger::left_out() const {
  std::uint64_t missing = 0;
  std::vector<model::IdRange> ranges = between(1, missing);
  if (missing > 0) ranges.push_back({intervals_.back().high + 1, intervals_.back().high + static_cast<std::int64_t>(missing)});
  return ranges;
}

std::vector<model::IdRange> IdLedger::may_be_left_out(std::uint64_t sampled) const {
  std::uint64_t missing = 0;
  std::vector<model::IdRange> ranges = between(sampled, missing);
  const bool room = complete_ && !intervals_.empty() && intervals_.back().high < INT64_MAX - static_cast<std::int64_t>(missing);
  if (room) ranges.push_back({intervals_.back().high + 1, intervals_.back().high + std::max<std::int64_t>(static_cast<std::int64_t>(missing), 1)});
  return ranges;
}

void IdLedger::clear() {
  intervals_.clear();
  hashes_.clear();
  complete_ = true;
}

model::UsedIds IdLedger::memory() const {
  model::UsedIds used;
  for (const Interval& interval : intervals_) used.intervals.emplace_back(interval.low, interval.high);
  used.digests.assign(hashes_.begin(), hashes_.end());
  std::sort(used.digests.begin(), used.digests.end());
  used.complete = complete_;
  return used;
}

void IdLedger::recall(const model::UsedIds& used) {
  clear();
  for (const auto& [low, high] : used.intervals) intervals_.push_back({low, high});
  hashes_.insert(used.digests.begin(), used.digests.end());
  complete_ = used.complete;
}

}  // namespace mcpscan::session
