// Words for the direction that are meant from the other side.
#include "pipeline/spoken_side.h"

#include <catch2/catch.hpp>

using namespace mcpscan;
using model::Direction;

namespace {

Direction settled(pipeline::SpokenSide& side, const char* method, Direction said) {
  model::RpcMessage message;
  message.method = method;
  model::Observation seen;
  seen.message = &message;
  seen.direction = said;
  side.settle(seen);
  return seen.direction;
}

}  // namespace

TEST_CASE("words that agree with the requests count for replies, too") {
  pipeline::SpokenSide side;
  CHECK(settled(side, "tools/call", Direction::client_to_server) == Direction::client_to_server);
  CHECK(settled(side, "", Direction::server_to_client) == Direction::server_to_client);
  CHECK(settled(side, "sampling/createMessage", Direction::server_to_client) == Direction::server_to_client);
  CHECK(settled(side, "ping", Direction::server_to_client) == Direction::server_to_client);
}

TEST_CASE("a request that its word contradicts goes the way requests go, and the words tell nothing any more") {
  pipeline::SpokenSide side;
  CHECK(settled(side, "tools/call", Direction::server_to_client) == Direction::client_to_server);
  CHECK(settled(side, "", Direction::client_to_server) == Direction::unknown);
  CHECK(settled(side, "ping", Direction::client_to_server) == Direction::unknown);
  CHECK(settled(side, "elicitation/create", Direction::client_to_server) == Direction::server_to_client);
}
