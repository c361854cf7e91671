// The other way along a connection: who asked, for what goes back.
#pragma once

#include "model/observation.h"

namespace mcpscan::model {

constexpr Direction opposite(Direction direction) {
  return direction == Direction::client_to_server ? Direction::server_to_client : Direction::client_to_server;
}

}  // namespace mcpscan::model
