// ObservationRelay: lets evidence be read in a second thread while what it says is judged in the caller's, in its order. What is handed on
// are copies, in batches. Judging keeps what it allocates, and the first thread's memory grows at a smaller cost than any other's.
// Bodies are read by the thread that has less to do: the judging one, unless it is behind.
// Ownership: batches own their copies. Threads: the reader, and with it observe(), in the relay's own; the sink in the caller's of run().
// Bound: kBatches of kBatchBytes and kBatchSize; an observation of more than kCopiedBytes waits until all before it are handed on, and is
// not copied.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "app/body_messages.h"
#include "base/arena.h"
#include "base/function_ref.h"
#include "model/observation.h"
#include "pipeline/observation_copy.h"

namespace mcpscan::pipeline {

class ObservationRelay : public model::ObservationSink {
 public:
  // Bounds that the reading of bodies reached go to `anomalies` when a run() ends.
  ObservationRelay(const Limits& limits, model::AnomalyLog& anomalies, model::ObservationSink& sink)
      : anomalies_(anomalies), early_(limits, early_anomalies_, *this), late_(limits, late_anomalies_, sink) {}
  ObservationRelay(const ObservationRelay&) = delete;
  ObservationRelay& operator=(const ObservationRelay&) = delete;

  // Returns when `read` has, and everything it observed was handed on. May be run again.
  void run(FunctionRef<void()> read);
  void observe(const model::Observation& seen) override;

 private:
  // All batches together fit into a core's own cache: what is read back from beyond it costs more than its copy.
  static constexpr std::size_t kBatches = 8, kBatchSize = 256, kBatchBytes = 128u << 10, kCopiedBytes = 1u << 20;
  struct Batch {
    Arena arena;
    ObservationCopier copier{arena};
    std::vector<model::Observation> observations;
  };

  std::uint64_t waiting() const { return filled_count_ - emptied_count_; }
  void hand_over();
  void wait_until_idle();
  void close();
  void hand_on();

  model::AnomalyLog& anomalies_;
  model::AnomalyLog early_anomalies_, late_anomalies_;   // each thread's own
  app::BodyMessages early_, late_;                       // gives to observe(), to the sink
  std::array<Batch, kBatches> batches_;
  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::uint64_t filled_count_ = 0, emptied_count_ = 0;   // batches handed over, batches done
  bool behind_ = false;                                  // the reader's: half of the batches, or more, wait to be judged
  bool hurried_ = false, closing_ = false;               // no batch waits for others; no other comes
};

}  // namespace mcpscan::pipeline
