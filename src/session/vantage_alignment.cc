#include "session/vantage_alignment.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "session/session_table.h"

namespace mcpscan::session {
namespace {

constexpr std::size_t kClockCalls = 64;
constexpr std::int64_t kFarthestUs = 10 * kMinute;   // skew of clocks that are still the same incident
constexpr std::int64_t kWidestUs = 5 * kSecond;      // scatter of the single offsets that one clock can still have
constexpr std::int64_t kNearUs = 10 * kSecond;       // on the common clock, between the two sightings of one call
constexpr std::size_t kCandidates = 64;              // calls alike looked at for the nearest one
constexpr std::size_t kFewest = 3;                   // calls in common that are no coincidence

using Key = std::uint64_t;
using Index = std::unordered_map<Key, std::vector<std::uint32_t>>;

std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Aligner {
 public:
  Aligner(const CallLedger& first, const CallLedger& second) : first_(first), second_(second), taken_(second.records().size()) {
    result_.partner.assign(first.records().size(), Alignment::kAlone);
    result_.sure.assign(first.records().size(), false);
  }

  Alignment run() {
    pair_by([&](const CallLedger& ledger, const CallRecord& record) { return by_identity(ledger, record, record.asked); });
    pair_by([](const CallLedger&, const CallRecord& record) { return record.arguments == 0 || record.shown ? 0 : hash_combine(id_hash(record), record.asked); });
    pair_by([](const CallLedger&, const CallRecord& record) { return record.arguments == 0 ? 0 : record.asked; });
    pair_by([](const CallLedger&, const CallRecord& record) { return record.is_tool_call ? record.arguments : 0; }, &Aligner::may_be_one_tool);
    pair_by([&](const CallLedger& ledger, const CallRecord& record) { return by_identity(ledger, record, hash_bytes(ledger.name(record).target)); });
    read_clock();
    if (result_.clock_known) pair_nearest();
    settle();
    return std::move(result_);
  }

 private:
  static std::uint64_t id_hash(const CallRecord& record) { return hash_bytes(record.id, static_cast<std::uint64_t>(record.id_type)); }

  // 0: a client's record knows neither MCP sessions nor ids.
  static Key by_identity(const CallLedger& ledger, const CallRecord& record, std::uint64_t what) {
    if (record.shown) return 0;
    return hash_combine(hash_combine(hash_bytes(normalise_session_id(ledger.session(record))), id_hash(record)), what);
  }

  template <typename KeyOf>
  Index index_of(const CallLedger& ledger, KeyOf key_of, const std::vector<bool>& done) const {
    Index index;
    for (std::uint32_t i = 0; i < ledger.records().size(); ++i) {
      const Key key = done[i] ? 0 : key_of(ledger, ledger.records()[i]);
      if (key != 0) index[key].push_back(i);
    }
    return index;
  }

  // Gateways put a backend's name before a tool's.
  bool may_be_one_tool(std::uint32_t mine, std::uint32_t theirs) const {
    const std::string& a = first_.name(first_.records()[mine]).target;
    const std::string& b = second_.name(second_.records()[theirs]).target;
    return a.find(b) != std::string::npos || b.find(a) != std::string::npos;
  }

  // What stands once in each source under this key is the same call.
  template <typename KeyOf>
  void pair_by(KeyOf key_of, bool (Aligner::*fits)(std::uint32_t, std::uint32_t) const = nullptr) {
    std::vector<bool> joined(result_.partner.size());
    for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = result_.partner[i] != Alignment::kAlone;
    const Index mine = index_of(first_, key_of, joined), theirs = index_of(second_, key_of, taken_);
    for (const auto& [key, records] : mine) {
      const auto found = theirs.find(key);
      if (records.size() != 1 || found == theirs.end() || found->second.size() != 1) continue;
      if (!fits || (this->*fits)(records[0], found->second[0])) pair(records[0], found->second[0], true);
    }
  }

  void pair(std::uint32_t mine, std::uint32_t theirs, bool sure) {
    result_.partner[mine] = theirs;
    result_.sure[mine] = sure;
    taken_[theirs] = true;
    ++result_.joined;
    sessions_.emplace(first_.records()[mine].session, second_.records()[theirs].session);
  }

  // As between two clocks that exchange messages: halfway between what the request and what the reply say. A client's record is no
  // message: a call waits there for a permission, a result for its siblings; the steadier of the two counts.
  void read_clock() {
    std::vector<std::pair<Time, std::int64_t>> middle, asked, answered;
    for (std::size_t i = 0; i < result_.partner.size(); ++i) {
      if (result_.partner[i] == Alignment::kAlone) continue;
      const CallRecord& mine = first_.records()[i];
      const CallRecord& theirs = second_.records()[result_.partner[i]];
      if (!mine.requested.known() || !theirs.requested.known()) continue;
      const std::int64_t request = theirs.requested.us - mine.requested.us;
      asked.emplace_back(mine.requested, request);
      if (!mine.answered || !theirs.answered || !mine.replied.known() || !theirs.replied.known()) continue;
      const std::int64_t reply = theirs.replied.us - mine.replied.us;
      answered.emplace_back(mine.requested, reply);
      middle.emplace_back(mine.requested, request + (reply - request) / 2);
    }
    const bool record = !first_.records().empty() && (first_.records().front().shown || (!second_.records().empty() && second_.records().front().shown));
    take_clock(record || middle.empty() ? asked : middle);
    if (record && !answered.empty()) {
      const Alignment by_request = result_;
      take_clock(answered);
      if (result_.spread_us >= by_request.spread_us) result_ = by_request;
    }
  }

  void take_clock(std::vector<std::pair<Time, std::int64_t>>& offsets) {
    if (offsets.empty()) return;
    std::sort(offsets.begin(), offsets.end());
    offsets.resize(std::min(offsets.size(), kClockCalls));
    std::vector<std::int64_t> values;
    for (const auto& [at, offset] : offsets) values.push_back(offset);
    result_.offset_us = median(values);
    for (std::int64_t& value : values) value = std::abs(value - result_.offset_us);
    result_.spread_us = median(values);
    result_.clock_calls = values.size();
    result_.clock_known = true;
  }

  // Calls that are alike (a ping, the same question twice): each to the nearest in time, in the session its neighbours belong to.
  void pair_nearest() {
    Index theirs = index_of(second_, [](const CallLedger&, const CallRecord& record) { return record.asked; }, taken_);
    std::unordered_map<Key, std::size_t> from;   // the first candidate that is not too old
    for (std::uint32_t i = 0; i < result_.partner.size(); ++i) {
      const CallRecord& mine = first_.records()[i];
      const auto found = result_.partner[i] == Alignment::kAlone ? theirs.find(mine.asked) : theirs.end();
      if (found == theirs.end() || !mine.requested.known()) continue;
      const std::uint32_t best = nearest(mine, found->second, from[mine.asked]);
      if (best != Alignment::kAlone) pair(i, best, is_rewriting_of(mine, second_.records()[best]));
    }
  }

  std::uint32_t nearest(const CallRecord& mine, const std::vector<std::uint32_t>& candidates, std::size_t& from) const {
    const std::int64_t at = mine.requested.us + result_.offset_us;
    const auto record = [&](std::size_t i) -> const CallRecord& { return second_.records()[candidates[i]]; };
    while (from < candidates.size() && (!record(from).requested.known() || record(from).requested.us < at - kNearUs)) ++from;
    std::uint32_t best = Alignment::kAlone;
    std::int64_t best_distance = kNearUs;
    for (std::size_t i = from; i < std::min(candidates.size(), from + kCandidates); ++i) {
      if (taken_[candidates[i]] || !record(i).requested.known() || !may_share_session(mine, record(i))) continue;
      const std::int64_t distance = std::abs(record(i).requested.us - at);
      if (distance < best_distance) best = candidates[i], best_distance = distance;
    }
    return best;
  }

  bool may_share_session(const CallRecord& mine, const CallRecord& other) const {
    const auto found = sessions_.find(mine.session);
    return mine.shown || other.shown || found == sessions_.end() || found->second == other.session;
  }

  void settle() {
    const std::size_t fewer = std::min(first_.records().size(), second_.records().size());
    const bool common = result_.joined >= kFewest || (result_.joined > 0 && result_.joined * 2 >= fewer);
    const bool apart = result_.clock_known && (std::abs(result_.offset_us) > kFarthestUs || result_.spread_us > kWidestUs);
    if (common) result_.state = apart ? AlignmentState::clocks_apart : AlignmentState::joined;
    if (result_.state != AlignmentState::joined) return result_.partner.assign(result_.partner.size(), Alignment::kAlone);
    for (std::size_t i = 0; i < result_.partner.size(); ++i) {
      if (result_.partner[i] != Alignment::kAlone) learn_ids(first_.records()[i], second_.records()[result_.partner[i]]);
    }
  }

  void learn_ids(const CallRecord& mine, const CallRecord& theirs) {
    if (mine.shown || theirs.shown || (mine.id_type == theirs.id_type && mine.id == theirs.id)) return;
    if (result_.rewritten++ > 0) return;
    result_.id_before = first_.call_of(mine).id.raw;
    result_.id_after = second_.call_of(theirs).id.raw;
  }

  const CallLedger& first_;
  const CallLedger& second_;
  std::vector<bool> taken_;
  std::unordered_map<std::uint32_t, std::uint32_t> sessions_;   // of the first: the second's, by the first pair
  Alignment result_;
};

}  // namespace

bool is_rewriting_of(const CallRecord& before, const CallRecord& after) {
  if (before.id.empty()) return false;
  if (before.id == after.id) return true;
  for (std::size_t at = after.id.find(before.id); at != std::string::npos; at = after.id.find(before.id, at + 1)) {
    const std::size_t end = at + before.id.size();
    if ((at == 0 || !is_alphanumeric(after.id[at - 1])) && (end == after.id.size() || !is_alphanumeric(after.id[end]))) return true;
  }
  return false;
}

Alignment align(const CallLedger& first, const CallLedger& second) { return Aligner(first, second).run(); }

}  // namespace mcpscan::session
