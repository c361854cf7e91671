#include <catch2/catch.hpp>

#include "ingest/text/dialect.h"
#include "ingest/text/surroundings.h"

using namespace mcpscan;
using namespace mcpscan::ingest;

namespace {
std::string direction(std::string_view text) { return std::string(word_of(direction_of(text))); }
const std::string kIn = "client-to-server", kOut = "server-to-client", kNone = "unknown";
}  // namespace

TEST_CASE("arrows with a party at either end") {
  CHECK(direction("client->server ") == kIn);
  CHECK(direction("server->client ") == kOut);
  CHECK(direction("client <- server ") == kOut);
  CHECK(direction("[editor -> server] ") == kIn);
  CHECK(direction("Local \xe2\x86\x92 Remote message ") == kIn);
  CHECK(direction("Remote \xe2\x86\x92 Local message ") == kOut);
  CHECK(direction("--> server ") == kIn);
  CHECK(direction("<-- client ") == kIn);
}

TEST_CASE("bare arrows point into the server") {
  CHECK(direction("--> POST /mcp body=") == kIn);
  CHECK(direction("<-- 200 body=") == kOut);
  CHECK(direction(">> ") == kIn);
  CHECK(direction("<< ") == kOut);
  CHECK(direction("\xe2\x86\x92 ") == kIn);
}

TEST_CASE("phrases that name a party, then single words, the nearest to the body first") {
  CHECK(direction("Message from client: ") == kIn);
  CHECK(direction("Received from server: ") == kOut);
  CHECK(direction("[Client Says] ") == kIn);
  CHECK(direction("request ") == kIn);
  CHECK(direction("response ") == kOut);
  CHECK(direction("[STDIN] ") == kIn);
  CHECK(direction("[STDOUT] ") == kOut);
  CHECK(direction("recv: ") == kIn);
  CHECK(direction("after the request we sent ") == kOut);
  CHECK(direction("\"direction\":\"in\", \"msg\":") == kIn);
  CHECK(direction("inside outer ") == kNone);
}

TEST_CASE("words that say what failed are told from those that name the message behind them") {
  CHECK(describe_surroundings("[mcp-client] request failed: ", "").of_failure);
  CHECK(describe_surroundings("Request to server failed with ", "").of_failure);
  CHECK(describe_surroundings("request error: ", "").of_failure);
  CHECK_FALSE(describe_surroundings("ERROR client request ", "").of_failure);
  CHECK_FALSE(describe_surroundings("client -> server ", "").of_failure);
}

TEST_CASE("sessions by their usual names") {
  const auto session = [](std::string_view before, std::string_view after = "") { return std::string(describe_surroundings(before, after).session); };
  CHECK(session("session=abc-1 x ") == "abc-1");
  const std::string sealed(1400, 'Q');  // two of them that are not told apart would share their ids
  CHECK(session("session=" + sealed + "1 body=") == sealed + "1");
  CHECK(session("--> POST /mcp client=10.0.0.1:1 session=- body=") == "");
  CHECK(session("session_id=abc ") == "abc");
  CHECK(session("sessionId: abc ") == "abc");
  CHECK(session("mcp-session-id: abc ") == "abc");
  CHECK(session("{'mcp-session-id': 'abc'} ") == "abc");
  CHECK(session(R"(sessionId=\u0027abc\u0027 )") == "abc");
  CHECK(session(R"(Mcp-Session-Id: \"abc\" )") == "abc");
  CHECK(session("SSE (session abc): ") == "abc");
  CHECK(session("Session: abc ") == "abc");
  CHECK(session("the session began ") == "");
  CHECK(session("x ", " session_id=behind") == "behind");
  CHECK(describe_surroundings("session=abc ", "").keying == model::SessionKeying::mcp_session_id);
}

TEST_CASE("without a session the last bracketed name that is no level or direction keys the process") {
  const Surroundings near = describe_surroundings("[MCP][demo] [info] Transport received: ", "");
  CHECK(near.session == "demo");
  CHECK(near.keying == model::SessionKeying::process);
  CHECK(near.direction == model::Direction::client_to_server);
  CHECK(describe_surroundings("[12345] [STDIN] ", "").session == "");
}

TEST_CASE("the peer with its port, IPv6 with brackets") {
  const Surroundings near = describe_surroundings("--> POST /mcp client=10.20.0.12:42530 session=- body=", "");
  CHECK(near.peer == "10.20.0.12");
  CHECK(near.peer_port == 42530);
  CHECK(near.direction == model::Direction::client_to_server);
  CHECK(describe_surroundings("peer=[::1]:7 ", "").peer == "::1");
  CHECK(describe_surroundings("peer=gw-0 ", "").peer == "gw-0");
}

TEST_CASE("hostile surroundings are bounded and harmless") {
  const std::string brackets(100000, '[');
  CHECK(describe_surroundings(brackets, brackets).session.empty());
  CHECK(describe_surroundings(std::string(100000, ']'), "").session.empty());
  CHECK(describe_surroundings("session=", "").session.empty());
}

TEST_CASE("one letter a side, and a side alone in brackets") {
  CHECK(direction_of("2026-11-29T16:35:02Z C->S ") == model::Direction::client_to_server);
  CHECK(direction_of("S->C ") == model::Direction::server_to_client);
  CHECK(direction_of("C <- S ") == model::Direction::server_to_client);
  CHECK(direction_of("[client] ") == model::Direction::client_to_server);
  CHECK(direction_of("[Server]: ") == model::Direction::server_to_client);
  CHECK(describe_surroundings("[client] ", {}).session.empty());
}
