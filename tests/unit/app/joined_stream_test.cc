// Streams of events that are older than the capture.
#include <catch2/catch.hpp>

#include <algorithm>

#include "http_support.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("a stream of events whose head is older than the capture is read from its next chunk on") {
  Wire wire(false);
  wire.server(chunk(event(result(7)))).server(chunk(": ping\n\n")).server(chunk(event(call(0))));
  CHECK(wire.end(EndReason::evidence_ends) == Lines{"#0 gap 0 [-]", "#1 < result 7 [legacy]", "#1 < request 0 tools/call [legacy]"});
}

TEST_CASE("that it begins inside an event loses that event only") {
  Wire wire(false);
  wire.server(R"(,"text":"the end"}]}})" "\n\n\r\n").server(chunk(event(result(7))));
  CHECK(wire.end(EndReason::evidence_ends) == Lines{"#0 gap 0 [-]", "#1 < result 7 [legacy]"});
}

TEST_CASE("where no handshake tells who is the client, the chunk of events does") {
  Wire wire(false);
  wire.client(chunk(event(result(7)))).client(chunk(event(result(8))));
  CHECK(wire.end(EndReason::evidence_ends) == Lines{"#0 gap 0 [-]", "#1 < result 7 [legacy]", "#1 < result 8 [legacy]"});
}

TEST_CASE("the stream's end, and bytes that are missing of it, are gaps of what comes on it") {
  Wire wire(false);
  wire.server(chunk(event(result(7)))).gap(Side::server, 50).server(chunk(event(result(8)))).server(kLastChunk);
  CHECK(wire.end() == Lines{"#0 gap 0 [-]", "#1 < result 7 [legacy]", "#1 gap 50 [legacy]", "#1 < result 8 [legacy]", "#1 gap 0 [legacy]"});
}

TEST_CASE("digits and a line end are no chunk of events where none follows") {
  Wire wire(false);
  wire.server("2a\r\nsome text of a download, as long as it is said\r\n").server(json_reply(result(7)));
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#1 < result 7 [-]") == 1);
}

TEST_CASE("a connection that was captured from its beginning has no stream that is older") {
  Wire wire;
  wire.server(chunk(event(result(7))));
  CHECK(wire.end().empty());
}

TEST_CASE("a stream whose endpoint event is cut names no session: half an address would be that of many") {
  Wire wire;
  wire.client("GET /sse HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n").server(sse_head() + "60\r\nevent: endpoint\ndata: /mess").gap(Side::server, 69);
  wire.server("\r\n" + chunk(event(result(7))));
  const Lines lines = wire.end(EndReason::evidence_ends);
  CHECK(std::count(lines.begin(), lines.end(), "#1 < result 7 [legacy]") == 1);
  CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return line.find("/mess") != std::string::npos; }) == 0);
}
