#include <catch2/catch.hpp>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("Limits::flows: the longest silent connection makes room and the bound is named") {
  Limits limits;
  limits.flows = 2;
  Table table(limits);
  for (std::uint16_t port = 1; port <= 3; ++port) {
    table.packet(ipv4_bytes(tcp_bytes({1, 1, kAck, std::string(2, static_cast<char>('0' + port)), port, 8000})));
  }
  CHECK(table.told.events == Events{"S 11", "S 22", "end evidence-gap", "S 33"});
  CHECK(table.has("flow-table-full"));
  table.finish();
  CHECK(table.books_add_up());
}

TEST_CASE("Limits::flows: what is over makes room first, without an anomaly") {
  Limits limits;
  limits.flows = 1;
  Table table(limits);
  table.handshake();
  table.client(1001, 5001, "a");
  table.client(1002, 5001, {}, kRst | kAck);
  table.packet(ipv4_bytes(tcp_bytes({1, 1, kAck, "bb", 7, 8000})));
  CHECK(table.finish() == Events{"C a", "end reset-by-client", "S bb", "end evidence-ends"});
  CHECK_FALSE(table.has("flow-table-full"));
}

TEST_CASE("A flood of SYNs does not push out a silent connection with data") {
  Limits limits;
  limits.flows = 3;
  Table table(limits);
  table.handshake();
  table.client(1001, 5001, "ask");
  for (std::uint16_t port = 1; port <= 50; ++port) table.packet(ipv4_bytes(tcp_bytes({1, 0, kSyn, "", port, 8000})));
  table.server(5001, 1004, "answer");
  CHECK(table.finish() == Events{"C ask", "S answer", "end evidence-ends"});
  CHECK(table.has("flow-table-full"));
  CHECK(table.books_add_up());
}

TEST_CASE("A rotated set: connections go on in the next file, and each file has its own books") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "ask");
  table.server(5004, 1004, "wer");
  model::Books second;
  model::AnomalyLog anomalies;
  table.flows.continue_in(1, second, anomalies);
  CHECK(table.books.used == 5);
  table.number = 0;
  table.server(5001, 1004, "ans");
  table.client(1004, 5007, {}, kRst);
  CHECK(table.finish() == Events{"C ask", "S answer", "end reset-by-client"});
  CHECK(second.used == 2);
  CHECK(table.books.total == 5);
}

TEST_CASE("Limits::flow_buffer_bytes: a hole is given up when too much waits behind it") {
  Limits limits;
  limits.flow_buffer_bytes = 1000;
  Table table(limits);
  table.handshake();
  const std::string block(500, 'x');
  table.client(1011, 5001, block);
  CHECK(table.told.events.empty());
  table.client(1511, 5001, block);
  CHECK(table.told.events == Events{"C gap 10", "C " + block + block});
  CHECK(table.has("reorder-buffer-full"));
}

TEST_CASE("Limits::flow_segments: many small segments behind a hole are bounded too") {
  Limits limits;
  limits.flow_segments = 3;
  Table table(limits);
  table.handshake();
  for (std::uint32_t i = 0; i < 4; ++i) table.client(1003 + 3 * i, 5001, "zz");
  CHECK(table.told.events.at(0) == "C gap 2");
  CHECK(table.has("reorder-buffer-full"));
}

TEST_CASE("Limits::total_buffer_bytes: over all connections, the oldest hole is given up first") {
  Limits limits;
  limits.total_buffer_bytes = 1500;
  Table table(limits);
  const std::string block(500, 'x');
  for (std::uint16_t port = 1; port <= 3; ++port) {
    table.packet(ipv4_bytes(tcp_bytes({1, 0, kSyn, "", port, 8000})));
    table.at_us += 1000;
    table.packet(ipv4_bytes(tcp_bytes({12, 1, kAck, block, port, 8000})));
  }
  CHECK(table.told.events == Events{"C gap 10", "C " + block});
  CHECK(table.told.flows.at(0).key.client.port == 1);
  CHECK(table.has("reorder-buffers-full"));
}

TEST_CASE("Limits::reorder_us: acknowledged bytes may still turn up within it") {
  Table table;
  table.handshake();
  table.client(1004, 5001, "def");
  table.server(5001, 1007);
  table.wait(table.limits.reorder_us - 10 * kMillisecond);
  table.client(1001, 5001, "abc");
  CHECK(table.told.events == Events{"C abcdef"});
}

TEST_CASE("Limits::flow_linger_us: after it, data on the same addresses is a new connection") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "a");
  table.client(1002, 5001, {}, kRst | kAck);
  table.wait(table.limits.flow_linger_us + kSecond);
  table.client(1002, 5001, "b2");
  CHECK(table.finish() == Events{"C a", "end reset-by-client", "C b2", "end evidence-ends"});
}

TEST_CASE("Every segment out of order is told in order") {
  Table table;
  table.handshake();
  std::string all;
  for (std::uint32_t pair = 0; pair < 500; ++pair) {
    const std::string first = std::to_string(1000 + pair * 2), second = std::to_string(1001 + pair * 2);
    table.client(1001 + pair * 8 + 4, 5001, second);
    table.client(1001 + pair * 8, 5001, first);
    all += first + second;
  }
  CHECK(table.finish() == Events{"C " + all, "end evidence-ends"});
}

TEST_CASE("Open connections are finished in the order of their first packets, when all have told what they held back") {
  Table table;
  for (const std::uint16_t port : {std::uint16_t{3}, std::uint16_t{1}}) {
    table.packet(ipv4_bytes(tcp_bytes({1, 0, kSyn, "", port, 8000})));
    table.packet(ipv4_bytes(tcp_bytes({12, 1, kAck, std::string("behind a hole of ") + std::to_string(port), port, 8000})));
  }
  table.packet(ipv4_bytes(tcp_bytes({30, 1, kAck, "!", 3, 8000})));
  CHECK(table.finish() == Events{"C gap 10", "C behind a hole of 3!", "C gap 10", "C behind a hole of 1", "end evidence-ends", "end evidence-ends"});
}
