// structlog's console: the message, then its logger in brackets, then pairs.
#include "ingest/text/logger_behind.h"

#include <catch2/catch.hpp>

#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using mcpscan::tests::parse;

namespace {

const std::string kTime = "2026-11-29T16:35:10.101438Z ";
const std::string kNotFound = "Request stream 7 not found for message. Still processing message as the client might reconnect and replay.";

}  // namespace

TEST_CASE("a known message is read before its logger and its pairs, with a time or without, in colours or without") {
  for (const std::string& tail : {std::string(" [mcp.server.streamable_http] \n"), std::string(" [mcp.server.streamable_http] port=8000 request_id=abc\n"),
                                  std::string(" port=8000 request_id=abc\n"), std::string("\n"), std::string("\x1b[0m [\x1b[34mmcp.server.streamable_http\x1b[0m]\n")}) {
    for (const std::string& head : {kTime + "[debug    ] ", std::string("[debug    ] "), kTime + "[\x1b[32mdebug    \x1b[0m] "}) {
      INFO(head + tail);
      const auto parsed = parse(head + kNotFound + tail);
      REQUIRE(parsed.records.size() == 1);
      CHECK(parsed.records[0].notice == "stream_not_found");
      CHECK(parsed.records[0].key == "7");
      CHECK(parsed.records[0].level == "debug");
      CHECK(parsed.records[0].text == kNotFound);
    }
  }
}

TEST_CASE("the logger stands behind a message of several lines, on the last one") {
  const auto parsed = parse(kTime + "[debug    ] Request stream 7 not found \n                                for message. Still processing message as the client\n" +
                            "                                might reconnect and replay. [mcp.server.streamable_http] port=8000\n" + kTime + "[info     ] ready\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].notice == "stream_not_found");
  CHECK(parsed.records[0].logger == "mcp.server.streamable_http");
  CHECK(parsed.records[0].lines == 3);
}

TEST_CASE("another logger's words are no message, and a message that nobody knows keeps its tail") {
  const auto other = parse(kTime + "[debug    ] " + kNotFound + " [app.tools] port=8000\n");
  CHECK(other.records.at(0).notice.empty());
  CHECK(other.records.at(0).logger == "app.tools");
  const auto unknown = parse(kTime + "[info     ] done session=abc\n");
  CHECK(unknown.records.at(0).text == "done session=abc");
}

TEST_CASE("a tail is a name in brackets with nothing but pairs behind it, or pairs") {
  CHECK(split_logger_behind("a [b.c]").message == "a");
  CHECK(split_logger_behind("a [b.c]").logger == "b.c");
  CHECK(split_logger_behind("a [1, 2] b [x] c [y] k=[z]").logger == "y");
  CHECK(split_logger_behind("a [x] b").message == "a [x] b");
  CHECK(split_logger_behind("a b=1 c=2").message == "a");
  CHECK(split_logger_behind("a=1 b").message == "a=1 b");
  CHECK(split_logger_behind("").message.empty());
}

TEST_CASE("so many brackets and words are looked at and no more") {
  std::string text = "a";
  for (std::size_t i = 0; i <= LoggerBehind::kTries; ++i) text += " [-] b";
  CHECK(split_logger_behind(text + " [b.c]").logger.empty());
  CHECK(split_logger_behind(text + " k=1").message.size() == text.size() + 4);
}
