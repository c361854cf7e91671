#include "app/body_messages.h"

#include "base/text_head.h"

namespace mcpscan::app {

void BodyMessages::observe(const model::Observation& seen) {
  if (seen.kind != model::ObservationKind::body) return next_.observe(seen);
  const bool lenient = true;
  const ReadOutcome outcome = reader_.read(seen.text, Codec::json, lenient, arena_, [&](const model::RpcMessage& message) { tell(seen, message); });
  note_bounds(outcome, seen.source, anomalies_);
  if (outcome.messages == 0 && outcome.malformed) {
    model::RpcMessage broken;
    broken.defects = model::kNotJson;
    broken.text = seen.text;
    tell(seen, broken);
  }
  arena_.reset();
}

void BodyMessages::tell(const model::Observation& body, const model::RpcMessage& message) {
  model::Observation seen = body;
  seen.kind = model::ObservationKind::message;
  seen.text = text_head(message.text, limits_.evidence_text_bytes);
  seen.message = &message;
  next_.observe(seen);
}

}  // namespace mcpscan::app
