#include "pipeline/log_scan.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "ingest/text/block_reader.h"
#include "ingest/text/oldest_first.h"
#include "ingest/text/parser_memo.h"
#include "pipeline/fullest_lines.h"
#include "pipeline/input_head.h"
#include "pipeline/neighbour_names.h"
#include "pipeline/observation_prefetch.h"
#include "pipeline/record_observer.h"
#include "pipeline/request_order.h"
#include "pipeline/spoken_side.h"

namespace mcpscan::pipeline {
namespace {

// One block on its way: read and parsed by whoever is free, merged by the caller.
struct Job {
  ingest::TextBlock block;
  ParsedBlock parsed;
  std::uint64_t read_to = 0;  // decoded bytes of the input, with this block
  bool done = false;
};

std::vector<model::Vantage> vantages_of(const ingest::LogParser& parser) {
  std::vector<model::Vantage> vantages;
  for (std::size_t i = 0; i < parser.dialects().size(); ++i) vantages.push_back(parser.vantage_of(static_cast<std::uint16_t>(i)));
  return vantages;
}

// Blocks read ahead of the merger, so that the others need not wait while it works on one that takes long.
constexpr std::size_t kLeastAhead = 5;

// What a thread keeps from block to block.
struct Desk {
  Desk(const Limits& limits, std::vector<model::Vantage> vantage_of, bool tokens_are_sessions) : observer(limits, std::move(vantage_of), tokens_are_sessions) {}
  RecordObserver observer;
  ingest::ParserMemo memo;
};

// Blocks of a log, parsed and in order. Whoever is free reads the next block: one at a time, so that the order is the log's. The caller is
// one of the threads: where the block it waits for is not there yet it parses one itself, so that no core is without work and no two threads
// want the same one.
class Workers {
 public:
  Workers(unsigned threads, ingest::BlockReader& blocks, const ingest::LogParser& parser, bool tokens_are_sessions, std::uint32_t input, const Limits& limits)
      : blocks_(blocks), parser_(parser), tokens_are_sessions_(tokens_are_sessions), input_(input), limits_(limits), desk_(limits, vantages_of(parser), tokens_are_sessions) {
    const std::size_t window = threads > 1 ? std::max<std::size_t>(2 * threads + 1, kLeastAhead) : 1;
    for (std::size_t i = 0; i < window; ++i) {
      jobs_.push_back(std::make_unique<Job>());
      jobs_.back()->parsed.records_by_dialect.assign(parser.dialects().size() + 1, 0);
    }
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    free_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // The next block; null behind the last one. It is the caller's until release().
  Job* next() {
    Job& job = *jobs_[merged_ % jobs_.size()];
    std::unique_lock lock(mutex_);
    while (!job.done) {
      if (ended_ && !reading_ && merged_ == read_) return nullptr;
      if (may_read()) take_block(lock, desk_);
      else done_.wait(lock);
    }
    return &job;
  }
  void release(Job& job) {
    {
      const std::lock_guard lock(mutex_);
      job.done = false;
      ++merged_;
      if (read_ - merged_ > jobs_.size() / 2) return;
      full_ = false;
    }
    free_.notify_one();
  }

 private:
  void run() {
    Desk desk(limits_, vantages_of(parser_), tokens_are_sessions_);
    for (std::unique_lock lock(mutex_);;) {
      free_.wait(lock, [this] { return ended_ || (may_read() && !full_); });
      if (ended_) return;
      take_block(lock, desk);
    }
  }

  bool may_read() const { return !ended_ && !reading_ && read_ - merged_ < jobs_.size(); }

  // Reads a block and parses it; the lock is held when it begins and when it returns.
  void take_block(std::unique_lock<std::mutex>& lock, Desk& desk) {
    Job& job = *jobs_[read_ % jobs_.size()];
    reading_ = true;
    lock.unlock();
    const bool more = blocks_.next(job.block);
    job.read_to = blocks_.decoded_bytes();
    lock.lock();
    reading_ = false;
    ended_ = ended_ || !more;
    if (more) ++read_;
    full_ = read_ - merged_ == jobs_.size();
    free_.notify_all();
    done_.notify_one();
    if (!more) return;
    lock.unlock();
    parse(job, desk);
    lock.lock();
    job.done = true;
    done_.notify_one();
  }

  void parse(Job& job, Desk& desk) const {
    job.parsed.clear();
    const auto observe = [&](const ingest::LogRecord& record) { desk.observer.observe(record, job.parsed); };
    parser_.parse(job.block, input_, job.parsed.arena, observe, desk.memo);
    job.parsed.settle();
  }

  ingest::BlockReader& blocks_;
  const ingest::LogParser& parser_;
  const bool tokens_are_sessions_;
  std::uint32_t input_;
  const Limits& limits_;
  Desk desk_;                                // the caller's
  std::vector<std::unique_ptr<Job>> jobs_;   // block n is in place n modulo their number
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable free_, done_;
  std::size_t read_ = 0, merged_ = 0;        // blocks
  bool reading_ = false, ended_ = false;
  bool full_ = false;                        // no place is free, until half are: to be woken for each costs more than it gains
};

class LogScan {
 public:
  // `turned`: what turned the log round; null: nothing did.
  LogScan(const LogScanOptions& options, const Limits& limits, model::ObservationSink& sink, model::InputRow& row, const ingest::OldestFirst* turned)
      : options_(options), order_(limits, sink), sink_(order_), row_(row), turned_(turned) {}

  void merge(ParsedBlock& parsed) {
    const Time first = parsed.times.first(), last = parsed.times.last();
    if (first.known() && (!row_.first.known() || first < row_.first)) row_.first = first;
    if (last.known() && (!row_.last.known() || last > row_.last)) row_.last = last;
    times_.append(parsed.times);
    row_.books.merge(parsed.books);
    for (const auto& [kind, anomaly] : parsed.anomalies.entries()) {
      model::Anomaly placed = anomaly;
      placed.source = original(anomaly.source);
      row_.anomalies.add(placed);
    }
    tallies_.resize(parsed.records_by_dialect.size());
    for (std::size_t i = 0; i < tallies_.size(); ++i) tallies_[i] += parsed.records_by_dialect[i];
    for (const std::size_t i : parsed.left_out) parsed.observations[i].at = rich_time_;
    if (parsed.rich_time.known()) rich_time_ = parsed.rich_time;
    each_prefetched(parsed.observations, [&](model::Observation& seen) {
      seen.source = original(seen.source);
      side_.settle(seen);
      if (!fullest_.repeats(seen) && in_window(seen.at)) sink_.observe(seen);
    });
  }

  void finish() {
    sink_.finish();
    order_.finish();
    if (order_.late() > 0) {
      row_.anomalies.add({"requests-out-of-order", "requests of access lines came before records that had been looked at already, since more waited than waiting_records", {}, order_.late()});
    }
  }
  const std::vector<std::uint64_t>& tallies() const { return tallies_; }
  model::RecordTimes take_times() {
    times_.end_at(options_.until);
    return std::move(times_);
  }

 private:
  bool in_window(Time at) const {
    if (!at.known()) return true;
    return (!options_.since.known() || at >= options_.since) && (!options_.until.known() || at <= options_.until);
  }

  // The lines of a log that was turned round are counted from the first one that was read.
  model::SourceRef original(const model::SourceRef& place) const {
    if (turned_ == nullptr) return place;
    model::SourceRef in_file = turned_->original(place);
    in_file.number += options_.first_line - 1;
    in_file.offset += options_.first_offset;
    return in_file;
  }

  const LogScanOptions& options_;
  RequestOrder order_;
  NeighbourNames sink_;
  SpokenSide side_;
  FullestLines fullest_;
  model::InputRow& row_;
  const ingest::OldestFirst* turned_;
  std::vector<std::uint64_t> tallies_;
  Time rich_time_;  // of the last row of Rich's in the blocks so far
  model::RecordTimes times_;
};

void name_reader(const ingest::LogParser& parser, const std::vector<std::uint64_t>& tallies, LogScanResult& result) {
  const auto best = std::max_element(tallies.begin(), tallies.end());
  if (best == tallies.end() || *best == 0) {
    result.reader = "log/none";
    return;
  }
  const auto dialect = static_cast<std::size_t>(best - tallies.begin());
  if (dialect + 1 == tallies.size()) {
    result.reader = "log/general";
    return;
  }
  result.reader = "log/" + parser.dialects()[dialect];
  result.vantage = parser.vantage_of(static_cast<std::uint16_t>(dialect));
  result.enable = parser.enable_of(static_cast<std::uint16_t>(dialect));
}

}  // namespace

LogScanResult scan_log(ByteReader& bytes, std::string head, std::uint32_t input, const ingest::DialectSet& dialects, const LogScanOptions& options,
                       const Limits& limits, model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  LogScanResult result;
  ingest::LogParser parser(dialects, options.parser, limits);
  result.calibration = parser.calibrate(options.calibration_head.empty() ? head : options.calibration_head);
  std::optional<ingest::OldestFirst> turned;
  if (result.calibration.newest_first) turned.emplace(bytes, std::exchange(head, {}), input, limits);
  LogLooker::Start start{options.first_offset, options.first_line - 1};
  if (turned) start = options.looker && turned->turned() ? options.looker->left_out(*turned) : LogLooker::Start();
  ByteReader& lines = turned ? static_cast<ByteReader&>(*turned) : bytes;
  if (turned) skip(lines, start.offset);
  const auto watched = options.looker ? options.looker->watched(head, lines) : nullptr;
  ingest::BlockReader blocks(watched ? *watched : lines, std::move(head), input, parser, limits);
  blocks.stand_at(start.offset, start.lines + 1);
  LogScan scan(options, limits, sink, row, turned ? &*turned : nullptr);
  {
    Workers workers(options.threads, blocks, parser, result.calibration.tokens_are_sessions, input, limits);
    while (Job* job = workers.next()) {
      scan.merge(job->parsed);
      progress(job->read_to);
      workers.release(*job);
    }
  }
  scan.finish();
  row.anomalies.merge(blocks.anomalies());
  if (turned) row.anomalies.merge(turned->anomalies());
  result.decoded_bytes = blocks.decoded_bytes();
  result.lines = blocks.lines();
  result.times = scan.take_times();
  name_reader(parser, scan.tallies(), result);
  return result;
}

}  // namespace mcpscan::pipeline
