// Whether the end of an exchange looks like a proxy's idle limit: the server's side cut it, without an HTTP end, after a silence as long as
// proxies wait. Who stood there the capture cannot tell: a server may have the same limit.
#pragma once

#include "engine/known_waits.h"
#include "model/detector.h"

namespace mcpscan::engine {

// The limit; null: none. Of an event that ends an exchange.
inline const KnownWait* idle_cut(const model::TimelineEvent& event) {
  const model::HttpFacts* http = event.observation ? event.observation->http : nullptr;
  const bool by_server = event.exchange && (event.exchange->end == model::EndReason::closed_by_server || event.exchange->end == model::EndReason::reset_by_server);
  if (!http || !by_server || !http->last_byte_at.known() || !event.at.known()) return nullptr;
  return idle_limit(event.at.us - http->last_byte_at.us);
}

}  // namespace mcpscan::engine
