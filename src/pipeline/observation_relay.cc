#include "pipeline/observation_relay.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/prefetch.h"
#include "pipeline/observation_prefetch.h"

namespace mcpscan::pipeline {

void ObservationRelay::run(FunctionRef<void()> read) {
  std::thread reader([&] {
    read();
    close();
  });
  hand_on();
  reader.join();
  closing_ = hurried_ = false;
  for (model::AnomalyLog* log : {&early_anomalies_, &late_anomalies_}) anomalies_.merge(std::exchange(*log, {}));
}

void ObservationRelay::observe(const model::Observation& seen) {
  if (behind_ && seen.kind == model::ObservationKind::body) return early_.observe(seen);
  if (std::max(seen.text.size(), seen.message ? seen.message->text.size() : 0) > kCopiedBytes) {
    hand_over();
    wait_until_idle();
    return late_.observe(seen);
  }
  Batch& batch = batches_[filled_count_ % kBatches];  // only this thread changes filled_count_
  batch.observations.push_back(batch.copier.copy(seen));
  prefetch_lines_to_write(batch.observations.data() + batch.observations.size(), sizeof(model::Observation));
  if (batch.observations.size() >= kBatchSize || batch.arena.used() >= kBatchBytes) hand_over();
}

// The batch being filled goes to the other thread; returns when there is another one to fill. Who has to wait, on either side, is woken when
// half are done: to be woken for each costs more than the work on it.
void ObservationRelay::hand_over() {
  std::unique_lock lock(mutex_);
  ++filled_count_;
  behind_ = waiting() >= kBatches / 2;
  if (waiting() == kBatches / 2) filled_.notify_one();
  if (waiting() < kBatches) return;
  emptied_.wait(lock, [this] { return waiting() <= kBatches / 2; });
}

void ObservationRelay::wait_until_idle() {
  std::unique_lock lock(mutex_);
  hurried_ = true;
  filled_.notify_one();
  emptied_.wait(lock, [this] { return waiting() == 0; });
  hurried_ = false;
}

void ObservationRelay::close() {
  hand_over();
  {
    const std::lock_guard lock(mutex_);
    closing_ = hurried_ = true;
  }
  filled_.notify_one();
}

void ObservationRelay::hand_on() {
  for (std::unique_lock lock(mutex_);;) {
    if (waiting() == 0) {
      if (closing_) return;
      filled_.wait(lock, [this] { return waiting() >= (hurried_ ? 1 : kBatches / 2) || closing_; });
      continue;
    }
    Batch& batch = batches_[emptied_count_ % kBatches];
    lock.unlock();
    each_prefetched(batch.observations, [this](const model::Observation& seen) { late_.observe(seen); });
    batch.observations.clear();
    batch.arena.reset();
    batch.copier.forget();
    lock.lock();
    ++emptied_count_;
    if (waiting() == kBatches / 2 || waiting() == 0) emptied_.notify_one();
  }
}

}  // namespace mcpscan::pipeline
