// ObservationRelay: hands observations on in a second thread, in their order, so that reading and judging overlap. What it hands on are
// copies, in batches; the sink is used by nobody else between construction and finish().
// Ownership: batches own their copies. Threads: observe() and finish() in the caller's, the sink in the relay's own.
// Bound: kBatches of kBatchBytes and kBatchSize; an observation of more than kCopiedBytes waits until all before it are handed on, and is
// not copied.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/arena.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

class ObservationRelay : public model::ObservationSink {
 public:
  explicit ObservationRelay(model::ObservationSink& sink);
  ~ObservationRelay() override { finish(); }
  ObservationRelay(const ObservationRelay&) = delete;
  ObservationRelay& operator=(const ObservationRelay&) = delete;

  void observe(const model::Observation& seen) override;
  // Returns when everything has been handed on; nothing may be observed after it.
  void finish();

 private:
  // All batches together fit into a core's own cache: what is read back from beyond it costs more than its copy.
  static constexpr std::size_t kBatches = 8, kBatchSize = 256, kBatchBytes = 128u << 10, kCopiedBytes = 1u << 20;
  struct Batch {
    Arena arena;
    std::vector<model::Observation> observations;
  };

  std::uint64_t waiting() const { return filled_count_ - emptied_count_; }
  void hand_over();
  void wait_until_idle();
  void run();

  model::ObservationSink& sink_;
  std::array<Batch, kBatches> batches_;
  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::uint64_t filled_count_ = 0, emptied_count_ = 0;   // batches handed over, batches done
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace mcpscan::pipeline
