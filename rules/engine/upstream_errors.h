// Whether an error that a gateway passed on is about the session which it keeps to a backend, and not about its client's.
#pragma once

#include "model/lost_session.h"
#include "model/timeline.h"

namespace mcpscan::engine {

// For a reply. A gateway that answers 2xx knows its client's session: what is not known then is the one behind it.
inline bool is_upstream_error(const model::TimelineEvent& event) {
  const model::Observation& seen = *event.observation;
  if (seen.message->kind != model::MessageKind::error || !model::tells_lost_session(seen.message->reason)) return false;
  const bool accepted = seen.of_access_line && seen.http && seen.http->status / 100 == 2 && seen.vantage == model::Vantage::gateway;
  return accepted || model::tells_lost_upstream_session(seen.message->reason);
}

}  // namespace mcpscan::engine
