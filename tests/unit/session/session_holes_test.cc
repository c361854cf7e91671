// What a capture lacks, and what came on another exchange than the request's: neither may be taken for an answer, nor held against anyone.
#include <catch2/catch.hpp>

#include "unit/session/tracker_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::Direction;
using model::EndReason;
using model::SessionKeying;
using model::StreamKind;

namespace {

constexpr std::string_view kServer = "10.0.0.2:80";

}  // namespace

TEST_CASE("a client of the 2024-11-05 transport that resets the exchange of its request refuses no reply: it came on another one") {
  const bool legacy = GENERATE(true, false);
  const SessionKeying keying = legacy ? SessionKeying::legacy_session_id : SessionKeying::mcp_session_id;
  Tracked wire({}, true);
  wire.open(1, {.session = "s1", .peer = "10.0.0.1", .server = kServer}, {.at = 1, .keying = keying});
  wire.request("5", {.session = "s1", .exchange = 1, .at = 1, .direction = Direction::client_to_server, .stream = StreamKind::post, .keying = keying});
  wire.response(1, 202, {}, {.at = 2});
  wire.reply("5", {.session = "s1", .exchange = legacy ? 2u : 1u, .at = 3, .direction = Direction::server_to_client, .stream = legacy ? StreamKind::legacy_sse : StreamKind::post, .keying = keying});
  wire.told();
  wire.exchange(model::ObservationKind::exchange_end, {.end = EndReason::reset_by_client, .client_closed_at = 2.5}, {.exchange = 1, .at = 4});
  CHECK(wire.told().empty() == legacy);
}

TEST_CASE("what is missing of a connection to a server is a gap of the sessions that its client has there") {
  Tracked wire({}, true);
  wire.open(1, {.session = "s1", .peer = "10.0.0.1", .server = kServer});
  wire.open(2, {.session = "s2", .peer = "10.0.0.7", .server = kServer});
  wire.open(3, {.session = "s3", .peer = "10.0.0.1", .server = "10.0.0.9:80"});
  wire.open(4, {.session = "s4", .peer = "10.0.0.1", .server = kServer}, {.at = 5});
  wire.gap({.connection = 4, .at = 4, .direction = Direction::client_to_server, .server = kServer, .peer = "10.0.0.1"});
  wire.finish();
  CHECK(wire.gapped == std::vector<std::string>{"s1"});
}

TEST_CASE("a response that names no session answers no call of another server, nor of the transport whose replies come on a stream of the session") {
  const bool legacy = GENERATE(true, false);
  Tracked wire({}, true);
  wire.open(1, {.session = "s1", .peer = "10.0.0.1", .server = kServer}, {.keying = legacy ? SessionKeying::legacy_session_id : SessionKeying::mcp_session_id});
  wire.request("0", {.session = "s1", .exchange = 1, .direction = Direction::client_to_server, .stream = StreamKind::post, .keying = legacy ? SessionKeying::legacy_session_id : SessionKeying::mcp_session_id});
  wire.gap({.exchange = 1});
  wire.told();
  wire.reply("0", {.exchange = 7, .direction = Direction::server_to_client, .server = legacy ? kServer : "10.0.0.9:80"});
  CHECK(wire.told() == Lines{"< ? unattributed"});
}

TEST_CASE("of several clients at work in a log that names no sessions, a reply that nothing waits for may be to a call from before the log") {
  const bool several = GENERATE(true, false);
  Tracked log;
  if (several) log.request("2", {.at = 1, .direction = Direction::client_to_server});
  log.request("0", {.at = 2, .direction = Direction::client_to_server, .method = "initialize"});
  log.reply("0", {.at = 3, .direction = Direction::server_to_client, .keys = model::kProtocolVersionKey | model::kCapabilities | model::kServerInfo});
  log.request("3", {.at = 4, .direction = Direction::client_to_server});
  log.told();
  log.reply("9", {.at = 5, .direction = Direction::server_to_client});
  CHECK(log.told() == Lines{several ? "< ? unattributed" : "< ? orphan for 3"});
}
