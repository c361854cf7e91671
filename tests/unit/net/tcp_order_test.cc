#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("A connection in order gives its bytes, both ends and who closed first") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "GET / HTTP/1.1\r\n\r\n");
  table.server(5001, 1019, "HTTP/1.1 204 No Content\r\n\r\n");
  table.client(1019, 5028, {}, kFin | kAck);
  table.server(5028, 1020, {}, kFin | kAck);
  table.client(1020, 5029);
  CHECK(table.finish() == Events{"C GET / HTTP/1.1\r\n\r\n", "S HTTP/1.1 204 No Content\r\n\r\n", "C fin", "S fin", "end closed-by-client"});
  CHECK(table.told.flows.at(0).saw_start);
  CHECK(table.told.flows.at(0).key.client.text() == "10.0.0.1:40000");
  CHECK(table.told.flows.at(0).key.server.text() == "10.0.0.2:8000");
  CHECK(table.anomalies.empty());
  CHECK(table.books.used == 8);
  CHECK(table.books_add_up());
}

TEST_CASE("Reordered segments come in order, each with the packet that carried it") {
  Table table;
  table.handshake();
  table.client(1004, 5001, "def");
  table.client(1007, 5001, "ghi");
  table.client(1001, 5001, "abc");
  CHECK(table.finish() == Events{"C abcdefghi", "end evidence-ends"});
  CHECK(table.told.packets == std::vector<std::uint64_t>{6, 4, 5});
}

TEST_CASE("The first copy of a byte wins, delivered or waiting, and another content is an anomaly") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abc");
  table.client(1001, 5001, "XXX");
  table.client(1007, 5001, "ghi");
  table.client(1005, 5001, "efXX");
  table.client(1002, 5001, "bcd");
  CHECK(table.finish() == Events{"C abcdefghi", "end evidence-ends"});
  CHECK(table.anomalies.entries().at("tcp-repeat-differs").count == 2);
  CHECK(table.flows.totals().retransmissions == 3);
}

TEST_CASE("An exact retransmission is no anomaly and is not told twice") {
  Table table;
  table.handshake();
  for (int i = 0; i < 3; ++i) table.client(1001, 5001, "abc");
  CHECK(table.finish() == Events{"C abc", "end evidence-ends"});
  CHECK(table.anomalies.empty());
}

TEST_CASE("Keep-alive probes with a garbage byte change nothing, in both directions and in mid-message") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abc");
  table.server(5001, 1004, "xy");
  table.server(5002, 1004, "Z");
  table.client(1003, 5003, std::string_view("\0", 1));
  table.server(5003, 1004, "z");
  table.client(1004, 5004, "d");
  CHECK(table.finish() == Events{"C abc", "S xyz", "C d", "end evidence-ends"});
  CHECK(table.anomalies.empty());
}

TEST_CASE("A keep-alive probe never fills a hole that it follows") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "abc");
  table.server(5001, 1009);  // acknowledges five bytes that the capture lacks
  table.wait(60 * kSecond);
  table.client(1008, 5001, "\xff");
  table.client(1009, 5001, "jkl");
  CHECK(table.finish() == Events{"C abc", "C gap 5", "C jkl", "end evidence-ends"});
}

TEST_CASE("A zero-window probe's byte counts once") {
  Table table;
  table.handshake();
  table.client(1001, 5001, "a");
  table.server(5001, 1001);
  table.client(1001, 5001, "abc");
  CHECK(table.finish() == Events{"C abc", "end evidence-ends"});
}

TEST_CASE("Data in the SYN is the beginning of the stream") {
  Table table;
  table.client(1000, 0, "abc", kSyn);
  table.server(5000, 1004, {}, kSyn | kAck);
  table.client(1004, 5001, "def");
  CHECK(table.finish() == Events{"C abcdef", "end evidence-ends"});
}

TEST_CASE("Sequence numbers wrap") {
  Table table;
  table.client(0xfffffffd, 0, {}, kSyn);
  table.server(0xffffffff, 0xfffffffe, {}, kSyn | kAck);
  table.client(0xfffffffe, 0, "abcd");
  table.client(5, 0, "hij");
  table.client(2, 0, "efg");
  table.server(0, 8, "ok");
  CHECK(table.finish() == Events{"C abcdefghij", "S ok", "end evidence-ends"});
}

TEST_CASE("An answer is not told before the question it acknowledges") {
  Table table;
  table.handshake();
  table.server(5001, 1004, "answer");
  table.client(1001, 5001, "ask");
  CHECK(table.finish() == Events{"C ask", "S answer", "end evidence-ends"});
}

TEST_CASE("An answer whose question the capture lacks waits, then the gap is told first") {
  Table table;
  table.handshake();
  table.server(5001, 1004, "answer");
  CHECK(table.told.events.empty());
  table.wait(kSecond);
  CHECK(table.told.events == Events{"C gap 3", "S answer"});
}

TEST_CASE("Both directions waiting for each other ends with the evidence and loses nothing") {
  Table table;
  table.handshake();
  table.server(5001, 1004, "yyy");
  table.client(1001, 5004, "xxx");
  CHECK(table.finish() == Events{"C xxx", "S yyy", "end evidence-ends"});
}

TEST_CASE("A capture that shows each packet twice gives everything once") {
  Table table;
  const auto twice = [&](auto send) { send(), send(); };
  twice([&] { table.client(1000, 0, {}, kSyn); });
  twice([&] { table.server(5000, 1001, {}, kSyn | kAck); });
  twice([&] { table.client(1001, 5001, "ask"); });
  twice([&] { table.server(5001, 1004, "answer"); });
  twice([&] { table.client(1004, 5007, {}, kFin | kAck); });
  twice([&] { table.server(5007, 1005, {}, kFin | kAck); });
  CHECK(table.finish() == Events{"C ask", "S answer", "C fin", "S fin", "end closed-by-client"});
  CHECK(table.anomalies.empty());
  CHECK(table.told.flows.size() == 1);
}

namespace {

struct Cut {
  std::uint32_t begin;
  std::string bytes;
};

// The same 60 bytes in other segments: cut anew, some doubled, some overlapping, shuffled within a window.
std::vector<Cut> variant(std::string_view text, std::mt19937& random) {
  std::vector<Cut> cuts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = 1 + random() % 9;
    const std::size_t back = std::min<std::size_t>(at, random() % 4);
    cuts.push_back({static_cast<std::uint32_t>(at - back), std::string(text.substr(at - back, size + back))});
    if (random() % 4 == 0) cuts.push_back(cuts.back());
    at += size;
  }
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (random() % 3 == 0) std::swap(cuts[i], cuts[std::min(cuts.size() - 1, i + 1 + random() % 3)]);
  }
  return cuts;
}

}  // namespace

TEST_CASE("Resegmented, reordered, repeated and overlapping variants of the same bytes give the same result") {
  const std::string text = "POST /mcp HTTP/1.1\r\nContent-Length: 18\r\n\r\n{\"jsonrpc\":\"2.0\"}\n";
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    Table table;
    table.handshake();
    for (const Cut& cut : variant(text, random)) table.client(1001 + cut.begin, 5001, cut.bytes);
    const auto end = static_cast<std::uint32_t>(1001 + text.size());
    table.server(5001, end, "ok");
    table.client(end, 5003, {}, kFin | kAck);
    table.server(5003, end + 1, {}, kFin | kAck);
    REQUIRE(table.finish() == Events{"C " + text, "S ok", "C fin", "S fin", "end closed-by-client"});
    REQUIRE(table.anomalies.empty());
  }
}
