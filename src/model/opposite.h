// The other way along a connection: who asked, for what goes back.
#pragma once

#include "model/observation.h"

namespace mcpscan::session {

constexpr model::Direction opposite(model::Direction direction) {
  return direction == model::Direction::client_to_server ? model::Direction::server_to_client : model::Direction::client_to_server;
}

}  // namespace mcpscan::session
