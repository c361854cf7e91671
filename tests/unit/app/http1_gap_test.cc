#include <catch2/catch.hpp>

#include <algorithm>

#include "http_support.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("a gap inside a body of known length cuts that body only") {
  Wire wire;
  const std::string reply = json_reply(result(1));
  wire.client(post(call(1))).server(std::string_view(reply).substr(0, reply.size() - 15)).gap(Side::server, 15);
  wire.client(post(call(2))).server(json_reply(result(2)));
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1]", "#1 > request 1 tools/call [post s1]", "#1 200 [post s1]", "#1 gap 15 [post s1]",
                            "#1 < result 1 truncated [post s1]", "#1 end evidence_gap 83/-1", "#2 POST /mcp [post s1]",
                            "#2 > request 2 tools/call [post s1]", "#2 200 [post s1]", "#2 < result 2 [post s1]", "#2 end complete 83/48"});
}

TEST_CASE("a server that is in the capture and says nothing has not answered; one that is not may have") {
  for (const bool captured : {true, false}) {
    for (const auto& [reason, told] : {std::pair{EndReason::reset_by_client, "reset_by_client"}, {EndReason::closed_by_client, "closed_by_client"}}) {
      Wire wire(true, {}, captured);
      wire.client(post(call(1)));
      CHECK(wire.end(reason).back() == fmt::format("#1 end {} 83/-1", captured ? told : "evidence_gap"));
    }
  }
}

TEST_CASE("after a lost chunk of an event stream the next chunk is found") {
  Wire wire;
  wire.client("GET /mcp HTTP/1.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: s1\r\n\r\n").server(sse_head() + chunk(event(result(1))));
  wire.gap(Side::server, 90).server(chunk(event(result(3)))).server(kLastChunk);
  CHECK(wire.end() == Lines{"#1 GET /mcp [get s1]", "#1 200 sse [get s1]", "#1 < result 1 [get s1]", "#1 gap 90 [get s1]",
                            "#1 < result 3 [get s1]", "#1 end evidence_gap 0/-1"});
}

TEST_CASE("an event that a gap cut is told as truncated, and half an event behind it is not invented") {
  Wire wire;
  const std::string stream = chunk(event(result(1)));
  wire.client(post(call(1))).server(sse_head()).server(std::string_view(stream).substr(0, 62)).gap(Side::server, 8);
  wire.server(std::string_view(stream).substr(70)).server(chunk(event(result(2)))).server(kLastChunk);
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1]", "#1 > request 1 tools/call [post s1]", "#1 200 sse [post s1]", "#1 gap 8 [post s1]",
                            "#1 < result 1 truncated [post s1]", "#1 < result 2 [post s1]", "#1 end evidence_gap 83/-1"});
}

TEST_CASE("a lost response does not shift the next one onto the wrong request") {
  Wire wire;
  wire.client(post(call(1))).gap(Side::server, 160).client(post(call(2))).server(json_reply(result(2)));
  const Lines lines = wire.end();
  CHECK(lines[5] == "#1 end evidence_gap 83/-1");
  CHECK(lines[7] == "#2 < result 2 [post s1]");
}

TEST_CASE("a chunk behind a gap that took the end of one response and the head of the next is given to neither") {
  Wire wire;
  wire.client(post(call(1))).server(sse_head()).gap(Side::server, 90).client(post(call(2))).gap(Side::server, 100);
  wire.server(chunk(event(result(2)))).server(kLastChunk).client(post(call(3))).server(sse_head() + chunk(event(result(3)))).server(kLastChunk);
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#1 < result 2 [post s1]") == 0);
  CHECK(std::count(lines.begin(), lines.end(), "#3 < result 3 [post s1]") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#2 end evidence_gap 83/-1") == 1);
}

TEST_CASE("a chunk behind a gap that took the next request too is not given to the response before it") {
  for (const Side first : {Side::client, Side::server}) {
    Wire wire;
    wire.client(post(call(1))).server(sse_head()).gap(first, 190).gap(first == Side::client ? Side::server : Side::client, 190);
    wire.server(chunk(event(result(2)))).server(kLastChunk).client(post(call(3))).server(sse_head() + chunk(event(result(3)))).server(kLastChunk);
    const Lines lines = wire.end();
    CHECK(std::count(lines.begin(), lines.end(), "#1 < result 2 [post s1]") == 0);
    CHECK(std::count(lines.begin(), lines.end(), "#1 end evidence_gap 83/-1") == 1);
    CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) { return line.find("< result 3 [post s1]") != std::string::npos; }));
  }
}

TEST_CASE("a lost request leaves its response unpaired and the next pair whole") {
  Wire wire;
  wire.client(post(call(1))).server(json_reply(result(1)));
  wire.server(json_reply(result(2))).gap(Side::client, 180).client(post(call(3))).server(json_reply(result(3)));
  const Lines lines = wire.end();
  CHECK(lines[5] == "#0 gap 180 [-]");
  CHECK(lines[7] == "#2 < result 2 [-]");
  CHECK(lines.back() == "#3 end complete 83/48");
  CHECK(lines[lines.size() - 2] == "#3 < result 3 [post s1]");
}

TEST_CASE("the response to a request that is missing is not given to the next request") {
  for (const bool first : {true, false}) {
    Wire wire;
    if (!first) wire.client(post(call(1))).server(json_reply(result(1)));
    wire.gap(Side::client, 180).server(json_reply(result(2))).client(post(call(3))).server(json_reply(result(3)));
    const Lines lines = wire.end();
    INFO(first);
    const auto has = [&](const std::string& part) { return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; }); };
    CHECK(has(first ? "#2 < result 3" : "#3 < result 3"));
    CHECK_FALSE(has(first ? "#2 < result 2" : "#3 < result 2"));
  }
}

TEST_CASE("a head that a gap cuts still makes its exchange") {
  Wire wire;
  wire.client("POST /mcp HTTP/1.1\r\nMcp-Session-Id: s1\r\nUser-Ag").gap(Side::client, 200).server(json_reply(result(1)));
  wire.client(post(call(2))).server(json_reply(result(2)));
  const Lines lines = wire.end();
  CHECK(lines[0] == "#1 POST /mcp [post s1]");
  CHECK(lines[1] == "#1 gap 200 [post s1]");
  CHECK(lines[3] == "#1 < result 1 [post s1]");
  CHECK(lines[8] == "#2 < result 2 [post s1]");
}

TEST_CASE("behind a gap a pipelining client is not paired any more") {
  Wire wire;
  wire.client(post(call(1)) + post(call(2)) + post(call(3)))
      .server(json_reply(result(1)))
      .gap(Side::server, 20)
      .server(json_reply(result(3)));
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#4 < result 3 [-]") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#2 end evidence_gap 83/-1") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#3 end evidence_gap 83/-1") == 1);
}

TEST_CASE("with a response and the next request lost, the next response is not given to the request that still waits") {
  Wire wire;
  wire.client(post(call(1))).gap(Side::server, 160).gap(Side::client, 180).server("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  wire.client(post(call(3))).server(json_reply(result(3)));
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#1 end evidence_gap 83/-1") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#1 202 [post s1]") == 0);
  CHECK(lines[lines.size() - 2] == "#3 < result 3 [post s1]");
}

TEST_CASE("a client that has written several requests before any response came pipelines, also where the first response is lost") {
  Wire wire;
  wire.client(post(call(1)) + post(call(2)) + post(call(3))).gap(Side::server, 160).server(json_reply(result(2)));
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#4 < result 2 [-]") == 1);
  for (const char* end : {"#1 end evidence_gap 83/-1", "#2 end evidence_gap 83/-1", "#3 end evidence_gap 83/-1"}) CHECK(std::count(lines.begin(), lines.end(), end) == 1);
}

TEST_CASE("a connection joined in the middle is read from its next head on") {
  Wire wire(false);
  wire.client(R"(alf":"a body"}})" + post(call(2))).server("\"text\":\"rest\"}]}}\n\n\r\n0\r\n\r\n" + json_reply(result(2)));
  const Lines lines = wire.end();
  CHECK(lines[0] == "#0 gap 0 [-]");
  CHECK(lines[4] == "#1 < result 2 [post s1]");
}

TEST_CASE("the response to a request that the capture begins inside is not given to the next one") {
  Wire wire(false);
  wire.client(chunk(call(1)) + std::string(kLastChunk)).server(json_reply(result(1)));
  wire.client(post(call(2))).server(json_reply(result(2))).client(post(call(3))).server(json_reply(result(3)));
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#1 < result 1 [-]") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#2 < result 2 [post s1]") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#3 < result 3 [post s1]") == 1);
}

TEST_CASE("a response behind holes in both directions, whose request ends in whole chunks, takes the place of no later one") {
  Wire wire;
  const std::string head = "POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\nMcp-Session-Id: s1\r\n\r\n";
  wire.client(post(call(1))).gap(Side::server, 160).client(head).gap(Side::client, 90).client(kLastChunk).server(json_reply(result(2)));
  for (const int id : {3, 4}) wire.client(post(call(id))).server(json_reply(result(id)));
  const Lines lines = wire.end();
  for (const char* paired : {"< result 3 [post s1]", "< result 4 [post s1]"}) {
    CHECK(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(paired) != std::string::npos; }) == 1);
  }
}

TEST_CASE("with a hole in the chunks of each request and response, each pair stays whole") {
  Wire wire;
  const std::string head = "POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\nMcp-Session-Id: s1\r\n\r\n";
  for (const int id : {1, 2, 3}) {
    wire.client(head + chunk(call(id).substr(0, 40))).gap(Side::client, 90).client(kLastChunk);
    wire.server(sse_head() + chunk(event(result(id)))).gap(Side::server, 90).server(kLastChunk);
  }
  const Lines lines = wire.end();
  for (const int id : {1, 2, 3}) CHECK(std::count(lines.begin(), lines.end(), fmt::format("#{0} < result {0} [post s1]", id)) == 1);
}

TEST_CASE("text in a body that looks like a head is not taken for one after a gap") {
  Wire wire;
  wire.client(post(call(1))).server("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Le").gap(Side::server, 40);
  wire.server("xx HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\nno field here\r\n\r\n{}")
      .client(post(call(2)))
      .server("\r\n" + json_reply(result(2)));
  const Lines lines = wire.end();
  CHECK(lines.back() == "#2 end complete 83/48");
}

TEST_CASE("a connection in which no head ever comes is given up after a bounded search") {
  Wire wire(false);
  for (int i = 0; i < 20 && wire.analyzer->interested(); ++i) {
    wire.client(std::string(8192, 'x')).server(std::string(8192, 'y'));
  }
  CHECK_FALSE(wire.analyzer->interested());
  CHECK(wire.recorder.lines.empty());
}

TEST_CASE("with every packet cut inside its head, each request still makes its exchange") {
  Wire wire;
  wire.client(post(call(1))).server(json_reply(result(1)));
  for (int i = 0; i < 2; ++i) {
    wire.client("POST /mcp HTTP/1.1\r\nHost: h\r\nUser-").gap(Side::client, 200);
    wire.server("HTTP/1.1 200 OK\r\nContent-Ty").gap(Side::server, 90);
  }
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#2 POST /mcp [post]") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#3 200 [post]") == 1);
  CHECK(lines.back() == "#3 end evidence_gap -1/-1");
}

TEST_CASE("an event that the evidence ends in is told with a hole of its exchange") {
  Wire wire;
  const std::string stream = chunk(event(result(1)));
  wire.client(post(call(1))).server(sse_head()).server(std::string_view(stream).substr(0, 62));
  const Lines lines = wire.end(model::EndReason::evidence_ends);
  const auto gap = std::find(lines.begin(), lines.end(), "#1 gap 0 [post s1]");
  REQUIRE(gap != lines.end());
  CHECK(*std::next(gap) == "#1 < result 1 truncated [post s1]");
}

TEST_CASE("a status line that a body quotes begins no response behind a gap") {
  Wire wire;
  const std::string quoting = R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a line\r\nHTTP/1.1 200 OK\r\n\r\nfake"}]}})";
  wire.client(post(call(1))).gap(Side::server, sse_head().size()).server(chunk("data: " + quoting + "\n\n\r\n") + std::string(kLastChunk));
  wire.client(post(call(2))).server(json_reply(result(2)));
  const Lines lines = wire.end();
  CHECK(std::count(lines.begin(), lines.end(), "#1 end evidence_gap 83/-1") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "#2 < result 2 [post s1]") == 1);
}

TEST_CASE("requests that are missing of a connection which nothing else shows to be MCP's may have been any session's of that client") {
  Wire wire;
  wire.gap(Side::client, 250).server("HTTP/1.1 202 Accepted\r\nContent-Length: 20\r\n\r\n{\"status\":\"success\"}");
  CHECK(wire.end() == Lines{"#0 gap 250 [-]"});
  CHECK(wire.recorder.last_peer == "192.0.2.1");
}

TEST_CASE("so may the one before the first response of a connection whose beginning was not captured") {
  Wire wire(false);
  wire.server("HTTP/1.1 202 Accepted\r\nContent-Length: 20\r\n\r\n{\"status\":\"success\"}");
  CHECK(wire.end() == Lines{"#0 gap 0 [-]"});
  Wire other(false);
  other.server("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").client(post(call(2))).server(json_reply(result(2)));
  CHECK(other.end().front() == "#0 gap 0 [-]");  // MCP: what was before is told of the connection
  CHECK(other.recorder.lines.size() == 6);
}

TEST_CASE("so may those of a connection of which nothing was captured but that bytes went over it") {
  Wire wire;
  wire.gap(Side::client, 250).gap(Side::server, 120).close(Side::client);
  CHECK(wire.end() == Lines{"#0 gap 250 [-]"});
}

TEST_CASE("a request that is missing is a gap of the session that its response names") {
  Wire wire;
  wire.gap(Side::client, 250).server(json_reply(result(7), "Mcp-Session-Id: s1\r\n"));
  CHECK(wire.end() == Lines{"#0 gap 250 [- s1]", "#1 200 [- s1]", "#1 < result 7 [- s1]", "#1 end complete -1/48"});
}
