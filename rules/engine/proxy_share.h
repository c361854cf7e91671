// What a proxy between may have done as well as the server that is accused of it: its words stand in the session's responses, or the exchange was
// cut after a silence as long as proxies wait.
// Threads: pure functions.
#pragma once

#include <fmt/format.h>

#include "engine/idle_cut.h"
#include "model/detector.h"

namespace mcpscan::engine {

// The fault, or how much of it is left.
inline model::Fault or_of_proxy(const model::TimelineEvent& event, model::Fault fault) {
  using namespace model;
  if (event.session && event.session->behind_proxy) {
    return {Party::unknown, Certainty::undetermined, {"gateway", "server"}, "the response came through a proxy, whose doing it may have been as well"};
  }
  const KnownWait* const limit = idle_cut(event);
  if (!limit) return fault;
  return {Party::server, Certainty::weak, {"gateway"}, fmt::format("{}, after {} s of silence: a proxy's idle limit looks the same", fault.reason, limit->seconds)};
}

}  // namespace mcpscan::engine
