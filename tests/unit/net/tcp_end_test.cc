#include <catch2/catch.hpp>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("A FIN waits for the data before it") {
  Table table;
  table.handshake();
  table.server(5004, 1001, {}, kFin | kAck);
  CHECK(table.told.events.empty());
  table.server(5001, 1001, "end");
  CHECK(table.told.events == Events{"S end", "S fin"});
}

TEST_CASE("Who closed first is told by the acknowledgements, not by the order in the file") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "x");
  table.client(1002, 5002, {}, kFin | kAck);  // the second FIN, captured first
  table.server(5001, 1002, {}, kFin | kAck);
  CHECK(table.finish() == Events{"C x", "S fin", "C fin", "end closed-by-server"});
}

TEST_CASE("Data in the other direction goes on after a FIN") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "ask", kFin | kAck);
  table.server(5001, 1005, "answer");
  table.server(5007, 1005, {}, kFin | kAck);
  CHECK(table.finish() == Events{"C ask", "C fin", "S answer", "S fin", "end closed-by-client"});
}

TEST_CASE("A RST ends the connection and says who sent it") {
  Table by_server;
  by_server.handshake();
  by_server.client(1001, 5001, "ask");
  by_server.server(5001, 1004, {}, kRst | kAck);
  CHECK(by_server.told.events == Events{"C ask", "end reset-by-server"});
  Table by_client;
  by_client.handshake();
  by_client.server(5001, 1001, "data: ");
  by_client.client(1001, 0, {}, kRst);
  CHECK(by_client.told.events == Events{"S data: ", "end reset-by-client"});
  CHECK(by_client.flows.totals().resets == 1);
}

TEST_CASE("A RST captured before the data it follows waits for it") {
  Table table;
  table.handshake();
  table.server(5004, 1001, {}, kRst | kAck);
  table.server(5001, 1001, "end");
  CHECK(table.told.events == Events{"S end", "end reset-by-server"});
}

TEST_CASE("A RST behind a hole ends the connection with a gap") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "a");
  table.server(5010, 1002, "later");
  table.server(5015, 1002, {}, kRst | kAck);
  table.wait(kSecond);
  CHECK(table.told.events == Events{"C a", "S gap 9", "S later", "end reset-by-server"});
}

TEST_CASE("A RST from far away in sequence space is a forgery and ignored") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "a");
  table.server(5001 + (1u << 30), 0, {}, kRst);
  table.client(1002, 5001, "b");
  CHECK(table.finish() == Events{"C ab", "end evidence-ends"});
}

TEST_CASE("A refused connection has no data and no analyzer") {
  Table table;
  table.client(1000, 0, {}, kSyn);
  table.server(0, 1001, {}, kRst | kAck);
  CHECK(table.finish().empty());
  CHECK(table.books.ignored.at("no-data") == 2);
  CHECK(table.books_add_up());
}

TEST_CASE("What still comes after the end opens no new connection") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "ask");
  table.client(1004, 5001, {}, kRst | kAck);
  table.server(5001, 1004, "on its way");
  table.client(1001, 5001, "ask");
  CHECK(table.finish() == Events{"C ask", "end reset-by-client"});
  CHECK(table.told.flows.size() == 1);
  CHECK(table.books.ignored.at("after-end") == 1);
  CHECK(table.books_add_up());
}

TEST_CASE("A SYN on the same addresses is a new connection, after an end and without one") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "one");
  table.client(1004, 5001, {}, kRst | kAck);
  table.client(90000, 0, {}, kSyn);
  table.server(70000, 90001, {}, kSyn | kAck);
  table.client(90001, 70001, "two");
  table.client(3000000, 0, {}, kSyn);
  table.client(3000001, 1, "three");
  CHECK(table.finish() == Events{"C one", "end reset-by-client", "C two", "end evidence-gap", "C three", "end evidence-ends"});
  CHECK(table.told.flows.size() == 3);
  CHECK(table.told.flows[0].connection != table.told.flows[1].connection);
}

TEST_CASE("Addresses used again without a captured SYN are told apart by their sequence numbers") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "old");
  table.client(0x70000000, 0x60000000, "new");
  table.server(0x60000000, 0x70000003, "ok");
  CHECK(table.finish() == Events{"C old", "end evidence-gap", "C new", "S ok", "end evidence-ends"});
}

TEST_CASE("A late SYN of a connection that has begun is no new one") {
  Table table;
  table.client(1001, 5001, "ask");
  table.client(1000, 0, {}, kSyn);
  table.server(5000, 1001, {}, kSyn | kAck);
  table.server(5001, 1004, "answer");
  CHECK(table.finish() == Events{"C ask", "S answer", "end evidence-ends"});
}

TEST_CASE("A connection its analyzer has no interest in is dropped, and all its packets count as not-mcp") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "SSH-2.0-");
  table.told.interested = false;
  table.client(1009, 5001, "x\r\n");
  table.client(1012, 5001, "more");
  CHECK(table.finish() == Events{"C SSH-2.0-x\r\n"});
  CHECK(table.books.ignored.at("not-mcp") == 6);
  CHECK(table.books.used == 0);
  CHECK(table.books_add_up());
  CHECK(table.flows.totals().flows_dropped_uninteresting == 1);
}

TEST_CASE("A silent connection is over after Limits::flow_idle_us") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "ask");
  table.wait(3601 * kSecond);
  CHECK(table.told.events == Events{"C ask", "end unknown"});
}

TEST_CASE("One damaged time stamp does not expire connections") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "ask");
  const std::int64_t before = table.at_us;
  table.at_us += 400 * kDay;
  table.packet(ipv4_bytes("", {{"\x09\x00\x00\x01", 4}, {"\x09\x00\x00\x02", 4}, 17, 0, 0}));
  table.at_us = before;
  table.server(5001, 1004, "answer");
  CHECK(table.told.events == Events{"C ask", "S answer"});
}
