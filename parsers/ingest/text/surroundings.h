// What the text around an embedded JSON-RPC body says about it, for records that no dialect knows: direction, session, peer. For
// words only a person wrote; nothing here is sure, and the body's own kind (a result, a request of the server) outranks it.
// Pure; no allocation; reads at most kNearBytes on each side, and a session further in front.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/observation.h"

namespace mcpscan::ingest {

struct Surroundings {
  model::Direction direction = model::Direction::unknown;
  model::SessionKeying keying = model::SessionKeying::none;
  std::string_view session;
  std::string_view peer;
  std::uint16_t peer_port = 0;
  bool of_failure = false;    // "client request failed: {...}": the words say what failed; an error behind them is the answer
};

inline constexpr std::size_t kNearBytes = 512;

// `before_body` is the record's message up to the body, `after` what stands behind it.
Surroundings describe_surroundings(std::string_view before_body, std::string_view after);

// A UUID or digest: of a session, request or trace.
bool is_opaque(std::string_view text);

// The direction that a word or phrase names: client->server, "from client", in, recv, response, STDIN ...
model::Direction direction_of(std::string_view words);

}  // namespace mcpscan::ingest
