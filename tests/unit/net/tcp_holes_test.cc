#include <catch2/catch.hpp>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("A lost segment is a gap once its bytes were acknowledged and later data is there") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abc");
  table.client(1007, 5001, "ghi");
  table.server(5001, 1010);
  CHECK(table.told.events == Events{"C abc"});
  table.wait(kSecond);
  CHECK(table.told.events == Events{"C abc", "C gap 3", "C ghi"});
  table.finish();
  CHECK(table.anomalies.entries().at("missing-segments").count == 1);
  CHECK(table.flows.totals().gap_bytes == 3);
}

TEST_CASE("A hole that nobody acknowledged waits for the retransmission") {
  Table table;
  table.handshake();
  table.client(1004, 5001, "def");
  table.server(5001, 1001);
  table.wait(30 * kSecond);
  CHECK(table.told.events.empty());
  table.client(1001, 5001, "abc");
  CHECK(table.told.events == Events{"C abcdef"});
}

TEST_CASE("A hole that nobody acknowledged is given up when no sender repeats any more") {
  Table table;
  table.handshake();
  table.client(1004, 5001, "def");
  table.wait(121 * kSecond);
  CHECK(table.told.events == Events{"C gap 3", "C def"});
}

TEST_CASE("Only the acknowledged part of a hole is certain") {
  Table table;
  table.handshake();
  table.client(1011, 5001, "late");
  table.server(5001, 1005);
  table.wait(kSecond);
  CHECK(table.told.events == Events{"C gap 4"});
  table.client(1005, 5001, "middle");
  CHECK(table.told.events == Events{"C gap 4", "C middlelate"});
}

TEST_CASE("A lost tail is a gap once it was acknowledged, though nothing follows it") {
  Table table;
  table.handshake();
  table.server(5001, 1001, "abc");
  table.client(1001, 5010);
  CHECK(table.told.events == Events{"S abc"});
  table.wait(kSecond);
  CHECK(table.told.events == Events{"S abc", "S gap 6"});
  table.server(5010, 1001, "def");
  CHECK(table.told.events == Events{"S abc", "S gap 6", "S def"});
}

TEST_CASE("A tail that was captured behind its acknowledgement is no gap") {
  Table table;
  table.handshake();
  table.server(5001, 1001, "abc");
  table.client(1001, 5007);
  table.server(5004, 1001, "def");
  table.wait(kSecond);
  CHECK(table.told.events == Events{"S abcdef"});
}

TEST_CASE("One byte that was acknowledged and not captured may have been the FIN") {
  Table table;
  table.handshake();
  table.server(5001, 1001, "abc");
  table.client(1001, 5005);
  table.wait(kSecond);
  CHECK(table.told.events == Events{"S abc"});
}

TEST_CASE("A burst with several holes is told in order") {
  Table table;
  table.handshake();
  table.server(5004, 1001, "b");
  table.server(5008, 1001, "c");
  table.server(5012, 1001, "d");
  table.client(1001, 5013);
  table.wait(kSecond);
  CHECK(table.told.events == Events{"S gap 3", "S b", "S gap 3", "S c", "S gap 3", "S d"});
}

TEST_CASE("A snapshot length leaves what was captured and a gap for the rest") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abcdefgh", kAck, 5);
  table.client(1009, 5001, "ij");
  CHECK(table.finish() == Events{"C abc", "C gap 5", "C ij", "end evidence-ends"});
  CHECK(table.has("snaplen-cut"));
  CHECK_FALSE(table.has("missing-segments"));
}

TEST_CASE("A cut segment that came early keeps its length") {
  Table table;
  table.handshake();
  table.client(1004, 5001, "defgh", kAck, 3);
  table.client(1009, 5001, "ij");
  table.client(1001, 5001, "abc");
  CHECK(table.finish() == Events{"C abcde", "C gap 3", "C ij", "end evidence-ends"});
}

TEST_CASE("Headers alone give gaps and no bytes") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abcd", kAck, 4);
  table.server(5001, 1005, "efg", kAck, 3);
  CHECK(table.finish() == Events{"C gap 4", "S gap 3", "end evidence-ends"});
}

TEST_CASE("One direction only: what the other side sent is a gap before the request that follows it") {
  Table table;
  table.client(1000, 0, {}, kSyn);
  table.client(1001, 5001, "one");
  table.client(1004, 5041);
  table.client(1004, 5041, "two");
  table.client(1007, 5081);
  CHECK(table.finish() == Events{"C one", "S gap 40", "C two", "S gap 40", "end evidence-ends"});
  CHECK(table.has("one-direction"));
}

TEST_CASE("A capture that begins inside a connection tells from its first segment on") {
  Table table;
  table.client(7000, 9000, "POST /mcp HTTP/1.1\r\n\r\n");
  table.server(9000, 7022, "HTTP/1.1 202 Accepted\r\n\r\n");
  CHECK(table.finish() == Events{"C POST /mcp HTTP/1.1\r\n\r\n", "S HTTP/1.1 202 Accepted\r\n\r\n", "end evidence-ends"});
  CHECK_FALSE(table.told.flows.at(0).saw_start);
  CHECK(table.has("mid-stream-start"));
}

TEST_CASE("In mid-stream the acknowledged bytes that were never seen are a gap") {
  Table table;
  table.client(7000, 9000, "ask");
  table.server(9100, 7003, "rest of the answer");
  table.client(7003, 9118);
  table.wait(kSecond);
  CHECK(table.told.events == Events{"C ask", "S gap 100", "S rest of the answer"});
}

TEST_CASE("In mid-stream a segment captured after its acknowledgement is not lost") {
  Table table;
  table.client(7000, 9004, "ask");
  table.server(9000, 7000, "tail");
  table.server(9004, 7003, "answer");
  CHECK(table.finish() == Events{"C ask", "S tailanswer", "end evidence-ends"});
}

TEST_CASE("In mid-stream a lone first byte is a keep-alive probe") {
  Table table;
  table.client(6999, 9000, std::string_view("\0", 1));
  table.client(7000, 9000, "GET / HTTP/1.1\r\n\r\n");
  CHECK(table.finish() == Events{"C GET / HTTP/1.1\r\n\r\n", "end evidence-ends"});
}

TEST_CASE("Without a SYN the client is who sends a request, else who has the higher port") {
  Table request;
  request.packet(ipv4_bytes(tcp_bytes({1, 1, kAck, "POST /mcp HTTP/1.1\r\n", 8000, 40000})));
  request.finish();
  CHECK(request.told.flows.at(0).key.client.port == 8000);
  Table response;
  response.packet(ipv4_bytes(tcp_bytes({1, 1, kAck, "HTTP/1.1 200 OK\r\n", 40000, 8000})));
  response.finish();
  CHECK(response.told.flows.at(0).key.client.port == 8000);
  Table hello;
  hello.packet(ipv4_bytes(tcp_bytes({1, 1, kAck, std::string_view("\x16\x03\x01\x02\x00\x01", 6), 443, 50000})));
  hello.finish();
  CHECK(hello.told.flows.at(0).key.client.port == 443);
  Table neither;
  neither.packet(ipv4_bytes(tcp_bytes({1, 1, kAck, "data: {}\n\n", 8000, 40000})));
  neither.finish();
  CHECK(neither.told.flows.at(0).key.client.port == 40000);
}

TEST_CASE("A lost FIN is no lost byte") {
  Table table;
  table.handshake();
  table.server(5001, 1001, "bye");
  table.client(1001, 5005, {}, kFin | kAck);  // acknowledges the server's FIN, which the capture lacks
  CHECK(table.finish() == Events{"S bye", "S fin", "C fin", "end closed-by-server"});
  CHECK_FALSE(table.has("missing-segments"));
}

TEST_CASE("A lost FIN ends a connection whose other side had closed, once it is acknowledged") {
  Table table;
  table.handshake();
  table.server(5001, 1001, "bye");
  table.client(1001, 5004, {}, kFin | kAck);
  table.client(1002, 5005);
  table.wait(kSecond);
  CHECK(table.told.events == Events{"S bye", "C fin", "S fin", "end closed-by-client"});
}

TEST_CASE("Of two lost FINs that of the side was first which acknowledges the other one from behind its own") {
  const bool client_acknowledges = GENERATE(true, false);
  Table table;
  table.handshake();
  table.client(1001, 5001, "ask");
  table.server(5001, 1004, "bye");
  if (client_acknowledges) table.client(1005, 5005);
  else table.server(5005, 1005);
  if (client_acknowledges) CHECK(table.finish() == Events{"C ask", "S bye", "C fin", "S fin", "end closed-by-client"});
  else CHECK(table.finish() == Events{"C ask", "S bye", "S fin", "C fin", "end closed-by-server"});
  CHECK_FALSE(table.has("missing-segments"));
}

TEST_CASE("An acknowledgement far beyond everything seen is not believed at once") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abc");
  table.server(5001, 1004 + (1u << 30), "ok");
  table.client(1004, 5003, "def");
  CHECK(table.finish() == Events{"C abc", "S ok", "C def", "end evidence-ends"});
  CHECK_FALSE(table.has("missing-segments"));
}

TEST_CASE("A stray sequence number changes nothing and is counted") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abc");
  table.client(1001 + (1u << 30), 5001, "forged");
  table.client(1004, 5001, "def");
  CHECK(table.finish() == Events{"C abcdef", "end evidence-ends"});
  CHECK(table.books.malformed.at("tcp-stray") == 1);
  CHECK(table.books_add_up());
}
