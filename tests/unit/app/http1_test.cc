#include <catch2/catch.hpp>

#include "http_support.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("a POST and its JSON reply give request, message, response, message, end") {
  Wire wire;
  wire.client(post(call(1))).server(json_reply(result(1)));
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1]", "#1 > request 1 tools/call [post s1]", "#1 200 [post s1]", "#1 < result 1 [post s1]",
                            "#1 end complete 83/48"});
}

TEST_CASE("an event stream yields each event at the packet that completes it") {
  Wire wire;
  wire.recorder.stamps = true;
  const std::string whole = chunk(event(result(1)));
  wire.client(post(call(1))).server(sse_head()).server(std::string_view(whole).substr(0, 30)).server(std::string_view(whole).substr(30));
  wire.server(kLastChunk);
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1] @1", "#1 > request 1 tools/call [post s1] @1", "#1 200 sse [post s1] @2",
                            "#1 < result 1 [post s1] @4", "#1 end complete 83/71 @5"});
}

TEST_CASE("pipelined requests are answered in order") {
  Wire wire;
  wire.client(post(call(1)) + post(call(2)) + post(call(3)));
  wire.server(json_reply(result(7)) + json_reply(result(8))).server(json_reply(result(9)));
  const Lines lines = wire.end();
  REQUIRE(lines.size() == 15);
  CHECK(lines[7] == "#1 < result 7 [post s1]");
  CHECK(lines[10] == "#2 < result 8 [post s1]");
  CHECK(lines[13] == "#3 < result 9 [post s1]");
}

TEST_CASE("chunk extensions and trailers do not end up in the body") {
  Wire wire;
  const std::string body = result(1);
  wire.client(post(call(1)));
  wire.server("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n14;sig=\"a;b\"\r\n" +
              body.substr(0, 20) + "\r\n1e ; x\r\n" + body.substr(20) + "\r\n0;last\r\nX-Checksum: 5\r\nMcp-Session-Id: evil\r\n\r\n" +
              json_reply("{}"));
  CHECK(wire.end()[3] == "#1 < result 1 [post s1]");
}

TEST_CASE("100 Continue and other interim responses are no response") {
  Wire wire;
  wire.client(
      "POST /mcp HTTP/1.1\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nMcp-Session-Id: s1\r\nContent-Length: 83\r\n\r\n");
  wire.server("HTTP/1.1 100 Continue\r\n\r\n")
      .client(call(1))
      .server("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + json_reply(result(1)));
  const Lines lines = wire.end();
  REQUIRE(lines.size() == 5);
  CHECK(lines[2] == "#1 200 [post s1]");
  CHECK(lines[3] == "#1 < result 1 [post s1]");
}

TEST_CASE("HEAD, 204 and 304 have no body whatever their fields say") {
  Wire wire;
  wire.client("HEAD /mcp HTTP/1.1\r\nMcp-Session-Id: s1\r\n\r\n").server("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
  wire.client("DELETE /mcp HTTP/1.1\r\nMcp-Session-Id: s1\r\n\r\n").server("HTTP/1.1 204 No Content\r\nContent-Length: 500\r\n\r\n");
  wire.client(post(call(1))).server(json_reply(result(1)));
  const Lines lines = wire.end();
  CHECK(lines[2] == "#1 end complete 0/0");
  CHECK(lines[5] == "#2 end complete 0/0");
  CHECK(lines.back() == "#3 end complete 83/48");
}

TEST_CASE("Transfer-Encoding wins over Content-Length and both together are noted") {
  Wire wire;
  wire.client(post(call(1)));
  wire.server("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunk(result(1)) + "0\r\n\r\n");
  CHECK(wire.end()[3] == "#1 < result 1 [post s1]");
  CHECK(wire.noticed("http-length-and-chunked"));
}

TEST_CASE("a body without length lasts until the server closes") {
  Wire wire;
  wire.client(post(call(1))).server("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + result(1)).close(Side::server);
  CHECK(wire.recorder.lines.size() == 5);
  CHECK(wire.end().back() == "#1 end complete 83/48");
}

TEST_CASE("folded fields, bare line feeds and blank lines before the request are read") {
  Wire wire;
  wire.client("\r\nPOST /mcp HTTP/1.1\nContent-Type: application/json\nMcp-Session-Id:\n  s1\nContent-Length: 83\n\n" + call(1));
  wire.server(json_reply(result(1)));
  CHECK(wire.end()[0] == "#1 POST /mcp [post s1]");
  CHECK(wire.noticed("http-folded-field"));
}

TEST_CASE("who ended an exchange that never completed is told") {
  const std::string begun = sse_head() + chunk(": wait\n\n");
  SECTION("the client closes first, at its FIN") {
    Wire wire;
    wire.recorder.stamps = true;
    wire.client(post(call(1))).server(begun).close(Side::client).server(chunk(": more\n\n")).close(Side::server);
    CHECK(wire.end().back() == "#1 end closed_by_client 83/16 @3");
  }
  SECTION("the client closes first, and a body that only the close ends is cut there, whatever the server's own close says") {
    Wire wire;
    wire.recorder.stamps = true;
    wire.client(post(call(1))).server("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: wait\n\n").close(Side::client).close(Side::server);
    CHECK(wire.end().back() == "#1 end closed_by_client 83/8 @3");
  }
  SECTION("a body that only the close ends goes on behind the client's FIN, and is whole") {
    Wire wire;
    wire.client(post(call(1))).server("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n").close(Side::client).server(result(1)).close(Side::server);
    CHECK(wire.end().back() == "#1 end complete 83/48");
  }
  SECTION("the server closes in the middle of a chunked body") {
    Wire wire;
    wire.client(post(call(1))).server(begun).close(Side::server);
    CHECK(wire.end().back() == "#1 end closed_by_server 83/8");
  }
  SECTION("the server resets") {
    Wire wire;
    wire.client(post(call(1))).server(begun);
    CHECK(wire.end(EndReason::reset_by_server).back() == "#1 end reset_by_server 83/8");
  }
  SECTION("the capture ends") {
    Wire wire;
    wire.client(post(call(1))).server(begun);
    CHECK(wire.end(EndReason::evidence_ends).back() == "#1 end evidence_ends 83/8");
  }
}

TEST_CASE("an early refusal does not lose the messages of the request still being sent") {
  Wire wire;
  const std::string request = post(call(1));
  wire.client(std::string_view(request).substr(0, request.size() - 10));
  wire.server("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n").client(std::string_view(request).substr(request.size() - 10));
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1]", "#1 413 [post s1]", "#1 > request 1 tools/call [post s1]", "#1 end complete 83/0"});
}

TEST_CASE("a response captured before its request waits for it") {
  Wire wire;
  wire.recorder.stamps = true;
  wire.server(json_reply(result(1))).client(post(call(1)));
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1] @2", "#1 > request 1 tools/call [post s1] @2", "#1 200 [post s1] @1",
                            "#1 < result 1 [post s1] @1", "#1 end complete 83/48 @1"});
}

TEST_CASE("requests alone end as evidence_gap and the missing direction is told") {
  Wire wire;
  wire.client(post(call(1)) + post(call(2))).close(Side::client);
  const Lines lines = wire.end();
  CHECK(lines[4] == "#0 gap 0 [-]");
  CHECK(lines[5] == "#1 end evidence_gap 83/-1");
}

TEST_CASE("responses alone are told when they are MCP") {
  Wire wire(false);
  wire.server(json_reply(result(1))).server(json_reply(R"({"jsonrpc":"2.0","id":1,"result":"0x1b4"})"));
  const Lines lines = wire.end();
  CHECK(lines[0] == "#0 gap 0 [-]");
  CHECK(lines[1] == "#1 200 [-]");
  CHECK(lines[2] == "#1 < result 1 [-]");
  CHECK(lines.size() == 4);
  CHECK(wire.shared.exchanges_not_mcp == 1);
}

TEST_CASE("where no handshake told, the side that sends requests is the client") {
  Wire wire(false);
  wire.server(post(call(1))).client(json_reply(result(1)));
  const Lines lines = wire.end();
  CHECK(lines[2] == "#1 > request 1 tools/call [post s1]");
  CHECK(lines[4] == "#1 < result 1 [post s1]");
  CHECK(wire.recorder.last_peer == "198.51.100.7");
}

TEST_CASE("what is no HTTP is given up at its first bytes") {
  Wire binary;
  binary.client(std::string_view("\x16\x03\x01\x02\x00\x01", 6));
  CHECK_FALSE(binary.analyzer->interested());
  Wire text;
  text.server("SSH-2.0-OpenSSH_9.2\r\n");
  CHECK_FALSE(text.analyzer->interested());
  Wire almost;
  almost.client("POST / not really HTTP\r\n");
  CHECK_FALSE(almost.analyzer->interested());
}

TEST_CASE("a WebSocket upgrade and a CONNECT tunnel are left alone") {
  Wire socket;
  socket.client("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
      .server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello");
  CHECK_FALSE(socket.analyzer->interested());
  CHECK(socket.recorder.lines.empty());
  CHECK(socket.shared.exchanges_not_mcp == 1);
  Wire tunnel;
  tunnel.client("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n").server("HTTP/1.1 200 OK\r\n\r\n");
  CHECK_FALSE(tunnel.analyzer->interested());
}

TEST_CASE("a header section beyond its bound is an anomaly and reading goes on behind it") {
  Limits limits;
  limits.header_bytes = 400;
  Wire wire(true, limits);
  wire.client("POST /mcp HTTP/1.1\r\nX: " + std::string(500, 'a') + "\r\n\r\n" + post(call(1)));
  CHECK(wire.end()[0] == "#1 POST /mcp [post s1]");
  CHECK(wire.noticed("http-header-too-long"));
}

TEST_CASE("a body beyond its bound keeps its beginning") {
  Limits limits;
  limits.body_bytes = 60;
  Wire wire(true, limits);
  wire.client(post(call(1)));
  CHECK(wire.end(EndReason::evidence_ends)[1] == "#1 > request 1 tools/call truncated [post s1]");
  CHECK(wire.noticed("http-body-bound"));
}

TEST_CASE("requests that nobody answers are bounded") {
  Limits limits;
  limits.pipelined_requests = 3;
  Wire wire(true, limits);
  for (int id = 1; id <= 10; ++id) wire.client(post(call(id)));
  CHECK(wire.recorder.lines.size() == 27);
  CHECK(wire.noticed("http-requests-waiting"));
}

TEST_CASE("responses whose requests never come are bounded") {
  Limits limits;
  limits.early_response_bytes = 500;
  Wire wire(true, limits);
  for (int id = 1; id <= 10; ++id) wire.server(json_reply(result(id)));
  CHECK(wire.noticed("response-before-request"));
  CHECK(wire.end(EndReason::evidence_ends)[1] == "#1 < result 1 [-]");
}
