#include "pipeline/har_scan.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/har_intake.h"
#include "pipeline/har_replay.h"
#include "pipeline/observation_relay.h"

namespace mcpscan::pipeline {
namespace {

constexpr std::size_t kBatchExchanges = 256, kBatchBytes = 256 * 1024;
constexpr std::size_t kBatchesAhead = 4, kBytesAhead = 4 * kBatchBytes;

struct Batch {
  std::vector<std::unique_ptr<HarExchange>> exchanges;
  std::size_t bytes = 0;
  std::uint64_t offset = 0;  // read when it was full

  bool empty() const { return exchanges.empty(); }
};

// An empty batch: the input has ended.
Batch read_batch(HarIntake& intake) {
  Batch batch;
  while (batch.exchanges.size() < kBatchExchanges && batch.bytes < kBatchBytes) {
    auto exchange = intake.next();
    if (!exchange) break;
    batch.bytes += exchange->bytes();
    batch.exchanges.push_back(std::move(exchange));
  }
  batch.offset = intake.reader().offset();
  return batch;
}

// Reads ahead in a thread of its own, while fewer than kBatchesAhead batches and kBytesAhead bytes wait; one large body may go beyond. Having
// had to wait it goes on when half are taken: to be woken for each costs more than to read it.
class ReadAhead {
 public:
  explicit ReadAhead(HarIntake& intake) : thread_([this, &intake] { run(intake); }) {}
  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    taken_.notify_one();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  Batch next() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !ready_.empty(); });
    Batch batch = std::move(ready_.front());
    ready_.pop_front();
    bytes_ -= batch.bytes;
    const bool wake = holds_at_most_half();
    lock.unlock();
    if (wake) taken_.notify_one();
    return batch;
  }

 private:
  void run(HarIntake& intake) {
    for (bool more = true; more;) {
      {
        std::unique_lock lock(mutex_);
        const bool full = ready_.size() >= kBatchesAhead || bytes_ >= kBytesAhead;
        if (full) taken_.wait(lock, [this] { return stopped_ || holds_at_most_half(); });
        if (stopped_) return;
      }
      Batch batch = read_batch(intake);
      more = !batch.empty();
      {
        const std::lock_guard lock(mutex_);
        bytes_ += batch.bytes;
        ready_.push_back(std::move(batch));
      }
      filled_.notify_one();
    }
  }
  bool holds_at_most_half() const { return ready_.size() <= kBatchesAhead / 2 && bytes_ <= kBytesAhead / 2; }

  std::mutex mutex_;
  std::condition_variable filled_, taken_;
  std::deque<Batch> ready_;
  std::size_t bytes_ = 0;  // in ready_
  bool stopped_ = false;
  std::thread thread_;  // the last member: it uses the others
};

template <typename Next>
void replay_all(Next next, HarReplay& replay, FunctionRef<void(std::uint64_t)> progress) {
  for (Batch batch = next(); !batch.empty(); batch = next()) {
    for (auto& exchange : batch.exchanges) replay.add(std::move(exchange));
    progress(batch.offset);
  }
}

}  // namespace

Status scan_har(ByteReader& bytes, std::string head, std::uint32_t input, const HarScanOptions& options, const Limits& limits, CaptureNumbers& numbers,
                model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  auto zone = Zone::locate(options.time_zone);
  if (!zone) return zone.error();
  HarIntake intake(bytes, std::move(head), input, options, *zone, limits);
  const unsigned threads = options.threads == 0 ? std::thread::hardware_concurrency() : options.threads;
  std::optional<ObservationRelay> relay;
  if (threads > 1) relay.emplace(limits, row.anomalies, sink);
  HarReplay replay(input, limits, numbers, relay ? *relay : sink, row);
  const auto read = [&] {
    if (relay) {
      ReadAhead ahead(intake);
      replay_all([&] { return ahead.next(); }, replay, progress);
    } else {
      replay_all([&] { return read_batch(intake); }, replay, progress);
    }
    row.first = intake.first();
    row.last = intake.last();
    replay.finish(intake.reader().entries_cut(), row.last);
  };
  if (relay) relay->run(read);
  else read();
  row.books.merge(intake.books());
  row.anomalies.merge(intake.anomalies());
  if (intake.reader().cut()) row.anomalies.add({"cut-file", "the file ends before its JSON does", {input, model::PlaceKind::entry, 0, 0}, 1});
  if (!intake.reader().found_entries()) return Error{ErrorCode::malformed, "this HAR has no log.entries", row.path, "export it again, with content"};
  return {};
}

}  // namespace mcpscan::pipeline
