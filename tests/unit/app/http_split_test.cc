#include <catch2/catch.hpp>

#include <algorithm>

#include "http_support.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

using Pieces = std::vector<std::string_view>;

std::string run(const Pieces& client, const Pieces& server, bool saw_start, bool server_first = false, const Limits& limits = {}) {
  Wire wire(saw_start, limits);
  if (server_first)
    for (const std::string_view piece : server) wire.server(piece);
  for (const std::string_view piece : client) wire.client(piece);
  if (!server_first)
    for (const std::string_view piece : server) wire.server(piece);
  wire.end();
  return wire.recorder.text();
}

void check_every_cutting(const std::string& client, const std::string& server, bool saw_start, std::size_t lines) {
  const std::string expected = run({client}, {server}, saw_start);
  CAPTURE(expected);
  CHECK(static_cast<std::size_t>(std::count(expected.begin(), expected.end(), '\n')) == lines);
  for (const auto& pieces : all_cuttings(client, 2)) REQUIRE(run(pieces, {server}, saw_start) == expected);
  for (const auto& pieces : all_cuttings(server, 3)) REQUIRE(run({client}, pieces, saw_start) == expected);
  for (const auto& pieces : all_cuttings(server, 4))
    REQUIRE(run({client}, pieces, saw_start, true) == run({client}, {server}, saw_start, true));
}

}  // namespace

TEST_CASE("HTTP/1 does not depend on how the bytes are cut") {
  const std::string client =
      "\r\n" + post(call(1)) + post("[" + call(2) + "," + call(3) + "]") +
      "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nMcp-Session-Id:\r\n s1\r\nTransfer-Encoding: chunked\r\n\r\n" +
      chunk(call(4).substr(0, 30)) + chunk(call(4).substr(30)) + "0\r\nX: y\r\n\r\n";
  const std::string server = "HTTP/1.1 100 Continue\r\n\r\n" + json_reply(result(1)) + sse_head() + chunk(event(result(2)).substr(0, 40)) +
                             chunk(event(result(2)).substr(40) + "\xEF\xBB\xBF: x\r\rid: 7\rdata: " + result(3) + "\r\r") + "0\r\n\r\n" +
                             json_reply(result(4));
  check_every_cutting(client, server, true, 17);
}

TEST_CASE("broken HTTP/1 is resynchronised the same way for every cutting") {
  const std::string client =
      post(call(1)) + "garbage in the stream\r\n\r\nGET x HTTP/1.1\r\nno field\r\n" + post(call(2)) + "more}" + post(call(3));
  const std::string server = json_reply(result(1)) +
                             "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdefg\r\n" +
                             json_reply(result(3));
  check_every_cutting(client, server, true, 12);
}

TEST_CASE("a connection joined in the middle is read the same way for every cutting") {
  check_every_cutting(R"(alf":"a body"}})" + post(call(2)), "\"rest\"}]}}\n\n\r\n0\r\n\r\n" + json_reply(result(2)), false, 6);
}

TEST_CASE("a stream of events joined in the middle is read the same way for every cutting") {
  const std::string server = "te\":\"the end of an event\"}]}}\n\n\r\n3\r\n:\n\n\r\n" + chunk(": ping - 1\n\n") + chunk(event(result(7))) + chunk(event(result(8)));
  check_every_cutting("", server + "0\r\n\r\n", false, 4);
  check_every_cutting("", chunk(event(result(7))) + chunk(event(result(8))), false, 4);
  check_every_cutting(post(call(2)), server + "0\r\n\r\n" + json_reply(result(2)), false, 6);
}

TEST_CASE("bounds are reached at the same byte for every cutting") {
  Limits limits;
  limits.header_bytes = 150;
  limits.body_bytes = 100;
  const std::string client = post(call(1)) + "POST /mcp HTTP/1.1\r\nX: " + std::string(200, 'a') + "\r\n\r\n" + post(call(2));
  const std::string server = json_reply(result(1) + std::string(100, ' ')) + sse_head() +
                             chunk("data: " + std::string(150, 'x') + "\n\n" + event(result(2))) + "0\r\nX: " + std::string(300, 'b') +
                             "\r\n\r\n";
  const std::string expected = run({client}, {server}, true, false, limits);
  CHECK_FALSE(expected.empty());
  for (const auto& pieces : all_cuttings(client, 2)) REQUIRE(run(pieces, {server}, true, false, limits) == expected);
  for (const auto& pieces : all_cuttings(server, 3)) REQUIRE(run({client}, pieces, true, false, limits) == expected);
}
