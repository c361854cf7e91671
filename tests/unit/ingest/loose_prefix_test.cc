// Prefixes that no dialect lists: fields in any order and dress, told by the message behind them.
#include "ingest/text/loose_prefix.h"

#include <catch2/catch.hpp>

#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using mcpscan::tests::parse;
using mcpscan::tests::Read;

namespace {

const std::string kSession = "Created new transport with session ID: 0123456789abcdef0123456789abcdef";
const std::string kUvicorn = "INFO:     10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200 OK\n";

Read read_of(const std::string& prefix) {
  const auto parsed = parse(prefix + kSession + "\n");
  REQUIRE(parsed.records.size() == 1);
  return parsed.records[0];
}

}  // namespace

TEST_CASE("a known message is read behind time, level and logger in any order, in brackets or with marks between them") {
  for (const char* prefix : {
           "[INFO] [2026-11-29 16:35:09,620] [mcp.server.streamable_http_manager] ",
           "[INFO][2026-11-29 16:35:09,620][mcp.server.streamable_http_manager] ",
           "[INFO] 2026-11-29 16:35:09,620 mcp.server.streamable_http_manager - ",
           "INFO:     2026-11-29 16:35:09,620 mcp.server.streamable_http_manager ",
           "INFO:     [2026-11-29 16:35:09,620] mcp.server.streamable_http_manager - ",
           "2026-11-29 16:35:09,620 INFO:     mcp.server.streamable_http_manager - ",
           "2026-11-29 16:35:09,620 - mcp.server.streamable_http_manager - INFO - streamable_http_manager.py:240 - ",
           "2026-11-29 16:35:09,620 - mcp.server.streamable_http_manager - INFO - [streamable_http_manager.py:240] - ",
           "2026-11-29 16:35:09,620 [INFO] [MainThread] mcp.server.streamable_http_manager: ",
           "2026-11-29 16:35:09,620 [INFO] mcp.server.streamable_http_manager (streamable_http_manager.py:240): ",
           "2026-11-29 16:35:09,620 [4242] INFO mcp.server.streamable_http_manager: ",
           "2026-11-29 16:35:09,620 (mcp.server.streamable_http_manager) INFO: ",
           "2026-11-29 16:35:09,620 INFO [mcp.server.streamable_http_manager] [streamable_http_manager.py:240] [trace_id=0 resource.service.name=shop] - ",
           "2026-11-29 16:35:09,620 4242 INFO mcp.server.streamable_http_manager [-] ",
           "2026-11-29 16:35:09,620::INFO::mcp.server.streamable_http_manager::",
           "[2026-11-29 16:35:09,620 INFO mcp.server.streamable_http_manager] ",
           "mcp.server.streamable_http_manager INFO 2026-11-29 16:35:09,620 ",
       }) {
    INFO(prefix);
    const Read read = read_of(prefix);
    CHECK(read.notice == "session_created");
    CHECK(read.at == "2026-11-29T16:35:09.620000Z");
    CHECK(read.level == "INFO");
    CHECK(read.logger == "mcp.server.streamable_http_manager");
    CHECK(read.text == kSession);
  }
}

TEST_CASE("a prefix may leave the time or the logger out, or name a source file for it") {
  for (const char* prefix : {"[INFO] 2026-11-29 16:35:09,620: ", "2026-11-29 16:35:09,620 - ", "2026-11-29 16:35:09,620 - INFO:     ", "[2026-11-29 16:35:09,620] {streamable_http_manager.py:240} INFO - ",
                             "2026-11-29 16:35:09.620 | INFO     | logging:callHandlers:1706 - ", "INFO:     mcp.server.streamable_http_manager - ",
                             "mcp.server.streamable_http_manager: INFO: ", "[mcp.server.streamable_http_manager] ", "mcp.server.streamable_http_manager - ",
                             "INFO     mcp.server.streamable_http_manager:streamable_http_manager.py:240 ", "[I 261129 16:35:09 streamable_http_manager:240] ",
                             "I1129 16:35:09.620123  4242 streamable_http_manager.py:240] "}) {
    INFO(prefix);
    CHECK(read_of(prefix).notice == "session_created");
  }
}

TEST_CASE("a date whose numbers do not say which is the month dates nothing, nor does the clock behind it") {
  for (const char* prefix : {"11/29/2026 04:35:09 PM INFO mcp.server.streamable_http_manager: ", "29-Nov-26 16:35:09 - INFO - ", "26-11-29 16:35:09 INFO mcp.server.streamable_http_manager: "}) {
    INFO(prefix);
    CHECK(read_of(prefix).notice == "session_created");
    CHECK(read_of(prefix).at.empty());
  }
}

TEST_CASE("words that a text quotes, or that another logger says, are no message") {
  for (const char* prefix : {"[app] INFO: ", "app: ", "error while reading ", "[INFO] [2026-11-29 16:35:09,620] [app.tools] ", "INFO 2026-11-29 16:35:09,620 user=bob said ", "the text was: ",
                             "client said: "}) {
    INFO(prefix);
    CHECK(read_of(prefix).notice.empty());
  }
  CHECK(parse(R"({"logger":"app","level":"info","msg":"[x] INFO: Terminating session: abc"})" "\n").records.at(0).notice.empty());
}

TEST_CASE("lines with such a prefix are records of their own among lines with another one, wherever the log is cut") {
  const std::string log = kUvicorn + "[DEBUG] [2026-11-29 16:35:09,620] [mcp.server.streamable_http] Request stream 7 not found \n" +
                          "                                for message. Still processing message as the client\n" +
                          "                                might reconnect and replay.\n" + kUvicorn + "07/14/2026 09:00:01 AM INFO mcp.server.streamable_http: Terminating session: abc\n" +
                          "[INFO] [2026-11-29 16:35:10,000] [app.tools] 2 tools\n" + kUvicorn;
  const auto parsed = parse(log);
  REQUIRE(parsed.records.size() == 6);
  CHECK(parsed.records[1].key == "7");
  CHECK(parsed.records[1].lines == 3);
  CHECK(parsed.records[3].session == "abc");
  CHECK(parsed.records[4].at == "2026-11-29T16:35:10.000000Z");
  bool same = false;
  CHECK(tests::cut_everywhere(log, same) >= 5);
  CHECK(same);
}

TEST_CASE("what stands in the prefix of a message that nobody knows is left to whoever looks around its body") {
  const auto parsed = parse("[INFO] [2026-11-29 16:35:09,620] [session=0123456789abcdef] client->server {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.records[0].text.find("session=0123456789abcdef") != std::string::npos);
}

TEST_CASE("a walk over a prefix ends at its bounds") {
  const TimeContext utc;
  TimeReader times(utc);
  std::string many, wide = "INFO" + std::string(2 * LoosePrefix::kBytes, ' ') + "x";
  for (std::size_t i = 0; i < LoosePrefix::kFields + 5; ++i) many += "[a] ";
  many += "x";
  LoosePrefix fields(many, times, {});
  std::size_t count = 0;
  while (fields.next()) ++count;
  CHECK(count == LoosePrefix::kFields);
  LoosePrefix blanks(wide, times, {});
  CHECK_FALSE(blanks.next());
  CHECK(blanks.seen() <= LoosePrefix::kBytes + 2);
}
