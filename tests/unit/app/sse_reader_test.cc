#include <catch2/catch.hpp>

#include "app/sse_reader.h"
#include "support/split.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

std::string read(const std::vector<std::string_view>& pieces, std::size_t bound = 1000) {
  app::SseReader reader(bound);
  std::string out;
  const auto yield = [&](const app::SseEvent& event) {
    out += std::string(event.type) + "|" + std::string(event.id) + "|" + std::string(event.data) + (event.truncated ? "|cut;" : ";");
  };
  for (const std::string_view piece : pieces) reader.feed(piece, yield);
  return out;
}

}  // namespace

TEST_CASE("SSE line ends LF, CRLF and CR are equal") {
  CHECK(read({"event: a\ndata: 1\n\n"}) == "a||1;");
  CHECK(read({"event: a\r\ndata: 1\r\n\r\n"}) == "a||1;");
  CHECK(read({"event: a\rdata: 1\r\r"}) == "a||1;");
}

TEST_CASE("SSE data lines are joined by LF and lose one leading space") { CHECK(read({"data:1\ndata:  2\ndata\n\n"}) == "||1\n 2\n;"); }

TEST_CASE("SSE comments and unknown fields are ignored, a byte order mark too") {
  CHECK(read({"\xEF\xBB\xBF"
              "data: x\n: ping\nretry: 5\nfoo: bar\n\n"}) == "||x;");
}

TEST_CASE("an SSE event without its empty line is not dispatched") { CHECK(read({"data: x\n"}).empty()); }

TEST_CASE("an SSE id without data is told, so that a priming event is not lost") {
  CHECK(read({"id: 7\ndata:\n\nid: 8\n\n"}) == "|7|;|8|;");
}

TEST_CASE("an SSE id with a NUL is ignored") { CHECK(read({std::string_view("id: a\0b\ndata: x\n\n", 18)}) == "||x;"); }

TEST_CASE("SSE data beyond the bound is cut and marked") {
  CHECK(read({"data: 0123456789ab\n\ndata: ok\n\n"}, 10) == "||0123456789|cut;||ok;");
  CHECK(read({"data: 01234\ndata: 56789\n\n"}, 10) == "||01234\n5678|cut;");
}

TEST_CASE("SSE events do not depend on how the bytes are cut") {
  for (const std::string_view text :
       {"\xEF\xBB\xBF"
        "event: m\r\nid: 1\r\ndata: {\"a\":1}\r\ndata: b\r\n\r\n: c\r\rdata: 2\n\nid\ndata\n\ndata: 0123456789012345\n\n",
        "data:\r\rdata: 1\r\n\r\n\n\ndata: x\rdata: 01234567890123456789\r\n\r\revent: e\n\n"}) {
    const std::string expected = read({text}, 12);
    CHECK_FALSE(expected.empty());
    for (const auto& pieces : all_cuttings(text)) REQUIRE(read(pieces, 12) == expected);
  }
}

TEST_CASE("after an SSE gap reading goes on at the next line that begins an event") {
  app::SseReader reader(1000);
  std::string out;
  const auto yield = [&](const app::SseEvent& event) { out += std::string(event.data) + (event.truncated ? "|cut;" : ";"); };
  reader.feed("event: message\nid: 4\ndata: {\"half", yield);
  reader.gap(yield);
  reader.feed("tail\"}\ndata: plain\n\nevent: message\ndata: {}\n\n", yield);
  CHECK(out == "{\"half|cut;{};");
}
