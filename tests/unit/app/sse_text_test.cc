#include "app/sse_text.h"

#include <catch2/catch.hpp>

#include <string>

namespace mcpscan::app {
namespace {

// The events as "type|data|id" lines, an unclosed one with a "~", then the counts.
std::string events(std::string_view text) {
  Arena arena;
  std::string list;
  const SseCounts counts = for_each_sse_event(text, arena, [&](const SseTextEvent& event) {
    list += std::string(event.type) + "|" + std::string(event.data) + "|" + std::string(event.id) + (event.closed ? "" : "~") + ";";
  });
  return list + std::to_string(counts.comments) + "," + std::to_string(counts.without_data);
}

TEST_CASE("an event ends at a blank line, whichever line end the text has") {
  CHECK(events("event: a\ndata: 1\n\ndata:2\n\n") == "a|1|;|2|;0,0");
  CHECK(events("event: a\r\ndata: 1\r\n\r\ndata:2\r\n\r\n") == "a|1|;|2|;0,0");
  CHECK(events("event: a\rdata: 1\r\rdata:2\r\r") == "a|1|;|2|;0,0");
}

TEST_CASE("data lines are joined by a line feed, empty ones too; only one blank after the colon goes") {
  CHECK(events("data: a\ndata\ndata:  b\n\n") == "|a\n\n b|;0,0");
  CHECK(events("data\ndata: b\n\n") == "|\nb|;0,0");
}

TEST_CASE("comments and events without data are counted, unknown fields ignored") {
  CHECK(events("\xef\xbb\xbf: ping\n\nid: 7\n\nevent: x\ndata:\n\nfoo: 1\nretry: 5\nid: 8\ndata: y\n\n") == "|y|8;1,2");
}

TEST_CASE("the event that the text ends in is delivered as unclosed") {
  CHECK(events("data: a") == "|a|~;0,0");
  CHECK(events("data: a\n") == "|a|~;0,0");
  CHECK(events("") == "0,0");
}

TEST_CASE("ten million carriage returns are read in linear time") {
  CHECK(events(std::string(10'000'000, '\r')) == "0,0");
}

}  // namespace
}  // namespace mcpscan::app
