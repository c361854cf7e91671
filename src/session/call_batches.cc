#include "session/call_batches.h"

#include <algorithm>
#include <map>
#include <set>

namespace mcpscan::session {
namespace {

constexpr std::int64_t kAtOnceUs = 20 * kMillisecond;  // between a reply and the next request of a queue
constexpr std::int64_t kPatienceUs = 60 * kSecond;     // a call that got nothing for longer holds no batch together
constexpr double kStandsOut = 2.0;                     // times the median duration
constexpr std::size_t kLargest = 256;                  // calls of one batch; each is compared with each

Time end_of(const CallRecord& record) {
  if (record.answered) return record.replied.known() ? record.replied : record.requested;
  const Time patience{record.requested.us + kPatienceUs};
  return record.ended.known() ? std::min(record.ended, patience) : patience;
}

// Builds the batches of one session from its calls in order.
class Batcher {
 public:
  Batcher(const CallLedger& ledger, std::vector<CallBatch>& batches) : records_(ledger.records()), batches_(batches) {}

  void add(std::uint32_t index) {
    const CallRecord& record = records_[index];
    const bool overlaps = !calls_.empty() && record.requested <= until_;
    const bool queued = !calls_.empty() && !overlapping_ && record.on_wire && record.connection == records_[calls_.back()].connection &&
                        record.requested.us - until_.us <= kAtOnceUs;
    const bool joins = calls_.size() < kLargest && (overlaps ? overlapping_ || calls_.size() == 1 : queued);
    if (!joins) close();
    overlapping_ = overlapping_ || (joins && overlaps);
    until_ = calls_.empty() ? end_of(record) : std::max(until_, end_of(record));
    calls_.push_back(index);
  }

  void close() {
    if (calls_.size() > 1) batches_.push_back({calls_, slow_call(), mode()});
    calls_.clear();
    overlapping_ = false;
  }

 private:
  SlowCall slow_call() const {
    std::vector<std::int64_t> durations;
    std::size_t slowest = 0;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      durations.push_back(end_of(records_[calls_[i]]).us - records_[calls_[i]].requested.us);
      if (durations[i] > durations[slowest]) slowest = i;
    }
    const std::int64_t longest = durations[slowest];
    std::nth_element(durations.begin(), durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2), durations.end());
    const std::int64_t middle = durations[durations.size() / 2];
    if (middle <= 0 || static_cast<double>(longest) < kStandsOut * static_cast<double>(middle)) return SlowCall::none;
    if (slowest == 0) return SlowCall::first;
    return slowest + 1 == calls_.size() ? SlowCall::last : SlowCall::middle;
  }

  ConnectionMode mode() const {
    std::set<std::uint64_t> connections;
    for (const std::uint32_t call : calls_) connections.insert(records_[call].on_wire ? records_[call].connection : 0);
    if (connections.contains(0)) return ConnectionMode::unknown;
    if (connections.size() > 1) return ConnectionMode::pooled;
    return overlapping_ ? ConnectionMode::shared : ConnectionMode::in_turn;
  }

  const std::vector<CallRecord>& records_;
  std::vector<CallBatch>& batches_;
  std::vector<std::uint32_t> calls_;
  bool overlapping_ = false;
  Time until_;                           // the latest end of the batch's calls
};

bool others_say(const CallLedger& ledger, const CallBatch& batch, const CallRecord& record, std::uint32_t token) {
  return std::any_of(batch.calls.begin(), batch.calls.end(), [&](std::uint32_t index) {
    const CallRecord& other = ledger.records()[index];
    return &other != &record && std::find(other.tokens.begin(), other.tokens.begin() + other.told, token) != other.tokens.begin() + other.told;
  });
}

}  // namespace

std::vector<CallBatch> batches_of(const CallLedger& ledger) {
  std::vector<CallBatch> batches;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_session;
  for (std::uint32_t i = 0; i < ledger.records().size(); ++i) {
    const CallRecord& record = ledger.records()[i];
    if (record.is_tool_call && !record.shown && record.requested.known()) by_session[record.session].push_back(i);
  }
  for (auto& [session, calls] : by_session) {
    std::stable_sort(calls.begin(), calls.end(), [&](std::uint32_t a, std::uint32_t b) { return ledger.records()[a].requested < ledger.records()[b].requested; });
    Batcher batcher(ledger, batches);
    for (const std::uint32_t call : calls) batcher.add(call);
    batcher.close();
  }
  std::stable_sort(batches.begin(), batches.end(), [&](const CallBatch& a, const CallBatch& b) {
    return ledger.records()[a.calls.front()].requested < ledger.records()[b.calls.front()].requested;
  });
  return batches;
}

bool repeats_its_own(const CallLedger& ledger, const CallBatch& batch, const CallRecord& record) {
  for (std::size_t i = 0; i < record.told; ++i) {
    if ((record.repeated & (1u << i)) != 0 && !others_say(ledger, batch, record, record.tokens[i])) return true;
  }
  return false;
}

bool tells_itself_apart(const CallLedger& ledger, const CallBatch& batch, const CallRecord& record) {
  for (std::size_t i = 0; i < record.told; ++i) {
    if (!others_say(ledger, batch, record, record.tokens[i])) return true;
  }
  return false;
}

}  // namespace mcpscan::session
