// BodyMessages: one observation of a body's JSON text in, one for each message in it out; all others pass. Reading a text needs nothing of
// the connection it came over, so it may be done behind the observations' way from thread to thread, by whoever judges them.
// Ownership: owns the reader and what it decodes. Not thread-safe: each thread that reads has its own. Anomalies: the bounds that reading reached.
#pragma once

#include "app/message_reader.h"
#include "base/arena.h"
#include "model/anomaly.h"
#include "model/observation.h"

namespace mcpscan::app {

class BodyMessages : public model::ObservationSink {
 public:
  BodyMessages(const Limits& limits, model::AnomalyLog& anomalies, model::ObservationSink& next)
      : limits_(limits), anomalies_(anomalies), next_(next), reader_(limits) {}

  void observe(const model::Observation& seen) override;

 private:
  void tell(const model::Observation& body, const model::RpcMessage& message);

  const Limits& limits_;
  model::AnomalyLog& anomalies_;
  model::ObservationSink& next_;
  MessageReader reader_;
  Arena arena_;
};

}  // namespace mcpscan::app
