#include <catch2/catch.hpp>

#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using mcpscan::tests::cut_everywhere;
using mcpscan::tests::parse;

namespace {

const std::string kThreeLines =
    "2026-11-29 16:53:06,526 - mcp.server.streamable_http - DEBUG - Request stream 7 not found \n"
    "                                for message. Still processing message as the client\n"
    "                                might reconnect and replay.\n";

const std::string kTraceback =
    "2026-11-29 16:53:07,000 - mcp.server.streamable_http - ERROR - Error in message router\n"
    "Traceback (most recent call last):\n"
    "  File \"/srv/app/router.py\", line 12, in run\n"
    "    send()\n"
    "anyio.ClosedResourceError\n"
    "\n"
    "During handling of the above exception, another exception occurred:\n"
    "\n"
    "Traceback (most recent call last):\n"
    "  File \"/srv/app/router.py\", line 14, in run\n"
    "ValueError: two lines\n"
    "of text\n";

const std::string kGroup =
    "2026-11-29 16:53:08,000 - mcp.server.lowlevel.server - ERROR - boom\n"
    "  + Exception Group Traceback (most recent call last):\n"
    "  |   File \"x.py\", line 1\n"
    "  +-+---------------- 1 ----------------\n"
    "    | RuntimeError: x\n"
    "    +------------------------------------\n";

const std::string kUvicorn = "INFO:     10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200 OK\n";

const std::string kRich =
    "[11/29/26 16:35:08] INFO     Processing request of type            server.py:720\n"
    "                             CallToolRequest                                    \n"
    "                    INFO     Created new          streamable_http_manager.py:240\n"
    "                             transport with                                     \n"
    "                             session ID:                                        \n"
    "                             0123456789abcdef0123                               \n"
    "                             456789abcdef                                       \n"
    "                    DEBUG    Request stream 7 not found  streamable_http.py:1035\n"
    "                                                                                \n"
    "                                  for message. Still                            \n"
    "                             processing message as the                          \n"
    "                             client                                             \n"
    "                                  might reconnect and                           \n"
    "                             replay.                                            \n"
    "[11/29/26 16:35:09] INFO     Received                                  app.py:11\n"
    "                             {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/c          \n"
    "                             all\",\"params\":{\"name\":\"search_docs\",\"argu          \n"
    "                             ments\":{\"query\":\"hello world\"}}}                   \n";

const std::string kRow =
    "                    DEBUG    Request stream 9 not found  streamable_http.py:1035\n"
    "                             for message. Still                                 \n"
    "                             processing message as the client might reconnect   \n"
    "                             and replay.                                        \n";

}  // namespace

TEST_CASE("the SDK's three-line record is one record, its place the first line") {
  const auto parsed = parse(kUvicorn + kThreeLines + kUvicorn);
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[1].notice == "stream_not_found");
  CHECK(parsed.records[1].key == "7");
  CHECK(parsed.records[1].lines == 3);
  CHECK(parsed.records[1].number == 2);
  CHECK(parsed.records[1].offset == kUvicorn.size());
  CHECK(parsed.records[1].line == kThreeLines.substr(0, kThreeLines.find('\n')));
}

TEST_CASE("a chain of tracebacks and an exception group belong to their record") {
  const auto parsed = parse(kTraceback + kGroup + kUvicorn);
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[0].lines == 12);
  CHECK(parsed.records[0].reason == "sdk-error");
  CHECK(parsed.records[1].lines == 6);
}

TEST_CASE("Rich columns are joined again: wrapped text, a cut session id, cut JSON, the time a row leaves out") {
  const auto parsed = parse(kRich);
  REQUIRE(parsed.records.size() == 4);
  CHECK(parsed.records[0].text == "Processing request of type CallToolRequest");
  CHECK(parsed.records[1].session == "0123456789abcdef0123456789abcdef");
  CHECK(parsed.records[1].at == "2026-11-29T16:35:08.000000Z");
  CHECK(parsed.records[2].notice == "stream_not_found");
  CHECK(parsed.records[2].at == "2026-11-29T16:35:08.000000Z");
  CHECK(parsed.records[3].text == R"(Received {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_docs","arguments":{"query":"hello world"}}})");
  CHECK(parsed.records[3].at == "2026-11-29T16:35:09.000000Z");
  CHECK(parsed.lines() == 18);
}

TEST_CASE("a Rich row without a time is a record behind a line of uvicorn's too, of the time of the row before") {
  const std::string log = kRich + kUvicorn + kRow + kUvicorn + kUvicorn + kRow + kRow;
  const auto parsed = parse(log);
  REQUIRE(parsed.records.size() == 10);
  for (const std::size_t i : {5u, 8u, 9u}) {
    CHECK(parsed.records[i].key == "9");
    CHECK(parsed.records[i].at == "2026-11-29T16:35:09.000000Z");
    CHECK(parsed.records[i].lines == 4);
  }
  CHECK(parsed.records[4].at.empty());
  bool same = false;
  CHECK(cut_everywhere(log, same) >= 3);
  CHECK(same);
}

TEST_CASE("an indented line is a Rich row where it ends with a source file, or where the head of the log has rows of Rich's") {
  const std::string bare = "                    ERROR    Error in message router\n";
  CHECK(parse(kUvicorn + bare).records.size() == 1);
  CHECK(parse(kRich + kUvicorn + bare).records.size() == 6);
  const auto rows = parse(kUvicorn + kRow);
  REQUIRE(rows.records.size() == 2);
  CHECK(rows.records[1].key == "9");
  CHECK(rows.records[1].at.empty());
}

TEST_CASE("a Rich row in a frame has the frame's time: it names a zone, and each row has one") {
  const auto parsed = parse("2026-11-29T15:35:08.250000000Z stderr F [11/29/26 16:35:08] INFO     Started                                   app.py:11\n"
                            "2026-11-29T15:35:08.500000000Z stdout F INFO:     10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200 OK\n"
                            "2026-11-29T15:35:08.750000000Z stderr F                     INFO     Ended                                     app.py:12\n");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[0].at == "2026-11-29T15:35:08.250000Z");
  CHECK(parsed.records[1].at == "2026-11-29T15:35:08.500000Z");
  CHECK(parsed.records[2].at == "2026-11-29T15:35:08.750000Z");
  CHECK(parsed.records[2].text == "Ended");
}

TEST_CASE("the message of a Rich record ends where the box of its traceback begins") {
  const auto parsed = parse(
      "[11/29/26 16:35:08] ERROR    Stateless session  streamable_http_manager.py:195\n"
      "                             crashed                                           \n"
      "                             \xe2\x95\xad\xe2\x94\x80 Traceback (most recent \xe2\x94\x80\xe2\x95\xae                       \n"
      "                             \xe2\x94\x82 /app/server.py:1 in boom \xe2\x94\x82                       \n"
      "                             \xe2\x95\xb0\xe2\x94\x80\xe2\x94\x80\xe2\x95\xaf                       \n"
      "                             ValueError: disk is full                           \n");
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.records[0].notice == "session_crashed");
  CHECK(parsed.records[0].lines == 6);
}

TEST_CASE("Rich rows whose time has another form, or which have none, are joined where their first row ends with the source file") {
  const std::string clock =
      "[16:35:08] INFO     StreamableHTTP session        streamable_http_manager.py:110\n"
      "                    manager started                                             \n" + kUvicorn +
      "           INFO     Created new transport with    streamable_http_manager.py:240\n"
      "                    session ID:                                                 \n"
      "                    0123456789abcdef0123456789abc                               \n"
      "                    def                                                         \n" + kUvicorn +
      "           DEBUG    Request stream 7 not found           streamable_http.py:1035\n"
      "                                                    for                         \n"
      "                    message. Still processing message as                        \n"
      "                    the client                                                  \n"
      "                                                    migh                        \n"
      "                    t reconnect and replay.                                     \n";
  const auto parsed = parse("2026-11-29 16:35:07,000 - a - INFO - b\n" + clock);
  REQUIRE(parsed.records.size() == 6);
  CHECK(parsed.records[3].session == "0123456789abcdef0123456789abcdef");
  CHECK(parsed.records[3].at == "2026-11-29T16:35:08.000000Z");
  CHECK(parsed.records[5].key == "7");
  CHECK(parsed.records[5].at == "2026-11-29T16:35:08.000000Z");
  bool same = false;
  CHECK(cut_everywhere(clock, same) == 2);
  CHECK(same);
  const auto iso = parse("[2026-11-29 16:35:08] INFO     Terminating session:       streamable_http.py:771\n"
                         "                               0123456789abcdef0123456789                      \n"
                         "                               abcdef                                          \n");
  REQUIRE(iso.records.size() == 1);
  CHECK(iso.records[0].session == "0123456789abcdef0123456789abcdef");
  CHECK(iso.records[0].at == "2026-11-29T16:35:08.000000Z");
  const std::string bare = "16:35:08 INFO     Terminating session:                    streamable_http.py:771\n"
                           "                  0123456789abcdef0123456789abcdef                            \n" + kUvicorn +
                           "         INFO     Terminating session:                    streamable_http.py:771\n"
                           "                  fedcba98765432100123456789abcdef                            \n";
  const auto unbracketed = parse(bare + "2026-11-29 16:35:10,000 - a - INFO - b\n");
  REQUIRE(unbracketed.records.size() == 4);
  CHECK(unbracketed.records[0].session == "0123456789abcdef0123456789abcdef");
  CHECK(unbracketed.records[2].session == "fedcba98765432100123456789abcdef");
  CHECK(unbracketed.records[2].at == "2026-11-29T16:35:08.000000Z");
  const auto timeless = parse("INFO     Terminating session:                             streamable_http.py:771\n"
                              "         0123456789abcdef0123456789abcdef                                      \n");
  REQUIRE(timeless.records.size() == 1);
  CHECK(timeless.records[0].session == "0123456789abcdef0123456789abcdef");
}

TEST_CASE("a line that ends with a source file in its text is no Rich row") {
  const auto parsed = parse("[2026-11-29 16:35:08] ERROR    mcp.server.sse: failed at server.py:12\n                               and so on\n");
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.records[0].text.find("server.py:12") != std::string::npos);
}

TEST_CASE("wide Rich rows on a terminal need no joining, a traceback in a box belongs to its record") {
  const auto parsed = parse(
      "[11/29/26 16:35:08] INFO     Created new transport with session ID: 0123456789abcdef0123456789abcdef                     streamable_http_manager.py:240\n"
      "                    ERROR    Error in message router                                                                            streamable_http.py:990\n"
      "                             \xe2\x95\xad\xe2\x94\x80 Traceback (most recent call last) \xe2\x94\x80\xe2\x95\xae\n"
      "                             \xe2\x94\x82 x \xe2\x94\x82\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].session == "0123456789abcdef0123456789abcdef");
  CHECK(parsed.records[1].lines == 3);
}

TEST_CASE("a body over several lines belongs to the record that announces it") {
  const auto parsed = parse(
      "2026-11-29T16:35:09 - mcpgateway.middleware - INFO - Incoming request: POST /mcp\n"
      "Query params: {}\n"
      "Headers: {'mcp-session-id': '0123'}\n"
      "Body: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}... [truncated]\n"
      "2026-11-29T16:35:10 - mcpgateway.middleware - INFO - done\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].lines == 4);
  CHECK(parsed.records[0].text.find("\nBody: {") != std::string::npos);
}

TEST_CASE("lines without the file's prefix that are messages of their own begin records") {
  const auto parsed = parse(kUvicorn + "Could not find session for ID: 3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d\n" + kUvicorn +
                            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  REQUIRE(parsed.records.size() == 4);
  CHECK(parsed.records[1].notice == "session_not_found");
  CHECK(parsed.records[3].kind == RecordKind::message);
}

TEST_CASE("a file that changes its layout in the middle is read on") {
  const auto parsed = parse(kRich + kThreeLines + kUvicorn + "DEBUG:mcp.server.streamable_http:Terminating session: abc\n" +
                            R"({"levelname":"INFO","name":"mcp.server.streamable_http","message":"Terminating session: def"})" "\n");
  REQUIRE(parsed.records.size() == 8);
  CHECK(parsed.records[5].status == "200");
  CHECK(parsed.records[6].session == "abc");
  CHECK(parsed.records[7].session == "def");
}

TEST_CASE("each physical line belongs to exactly one record, whatever the text") {
  for (const std::string& text : {std::string("\n\n\n"), std::string("  indented first\nx\n"), std::string("}\n]\n)\n"), std::string("x"), kTraceback + "\n\n" + kRich,
                                  std::string("Traceback (most recent call last):\n  File\nE: x\n")}) {
    CHECK(parse(text).lines() == tests::line_starts(text).size());
  }
  CHECK(parse("").records.empty());
}

TEST_CASE("empty lines alone are noise, not records of unknown text") {
  const auto parsed = parse("\n\n");
  REQUIRE_FALSE(parsed.records.empty());
  CHECK(parsed.records[0].reason == "blank");
}

TEST_CASE("a record ends at the bound of lines, the rest is malformed and counted") {
  Limits limits;
  limits.record_lines = 5;
  const auto parsed = parse(kTraceback, {}, limits);
  CHECK(parsed.records.size() > 1);
  CHECK(parsed.records[0].lines == 5);
  CHECK(parsed.records[1].malformed);
  CHECK(parsed.records[1].reason == "record-too-long");
  CHECK(parsed.lines() == 12);
}

TEST_CASE("a record that begins behind one at its bound of lines is whole") {
  Limits limits;
  limits.record_lines = 5;
  std::string text(kTraceback);
  text = text.substr(0, text.find("\n  ", text.find("\n  ") + 1) + 1);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  REQUIRE(lines < 5);
  for (std::size_t i = lines; i < 5; ++i) text += "  more\n";
  const auto parsed = parse(text + text, {}, limits);
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].lines == 5);
  CHECK_FALSE(parsed.records[1].malformed);
  CHECK(parsed.records[1].lines == 5);
}

TEST_CASE("a record ends at the bound of bytes") {
  Limits limits;
  limits.record_bytes = 200;
  const auto parsed = parse(kTraceback, {}, limits);
  CHECK(parsed.records.size() > 1);
  CHECK(parsed.records[1].reason == "record-too-long");
}

TEST_CASE("more processes than may be open at a time: the oldest record is closed, none is lost") {
  Limits limits;
  limits.open_records = 4;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "Nov 29 16:35:55 gw a[" + std::to_string(i) + "]: INFO:     Shutting down\n";
  const auto parsed = parse(text, {}, limits);
  CHECK(parsed.records.size() == 20);
  CHECK(parsed.records[19].number == 20);
}

TEST_CASE("records come in the order of their first lines though the processes interleave") {
  const auto parsed = parse(
      "2026-11-29T16:35:55.1Z stderr F DEBUG:root:Request stream 1 not found \n"
      "2026-11-29T16:35:55.2Z stdout F INFO:     Shutting down\n"
      "2026-11-29T16:35:55.3Z stderr F      for message. Still processing message as the client\n"
      "2026-11-29T16:35:55.4Z stderr F      might reconnect and replay.\n"
      "2026-11-29T16:35:55.5Z stderr F DEBUG:root:Response sent\n");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[0].notice == "stream_not_found");
  CHECK(parsed.records[1].number == 2);
  CHECK(parsed.records[2].number == 5);
}

TEST_CASE("cut at every line where the border test allows it, the records are the same") {
  for (const std::string& text : {kUvicorn + kThreeLines + kUvicorn + kTraceback + kGroup + kUvicorn, kRich + kRich, kUvicorn + "Could not find session for ID: x\n" + kUvicorn}) {
    bool same = false;
    CHECK(cut_everywhere(text, same) > 0);
    CHECK(same);
  }
}

TEST_CASE("the border test never cuts inside a three-line record, a traceback or a Rich record") {
  LogParser parser(tests::all_dialects(), {}, {});
  parser.calibrate(kUvicorn + kThreeLines + kTraceback);
  CHECK(parser.starts_record("", kUvicorn.substr(0, kUvicorn.size() - 1)));
  CHECK_FALSE(parser.starts_record("x", "                                for message. Still"));
  CHECK_FALSE(parser.starts_record("    send()", "anyio.ClosedResourceError"));
  CHECK_FALSE(parser.starts_record("", "During handling of the above exception, another exception occurred:"));
  CHECK_FALSE(parser.starts_record("", "Traceback (most recent call last):"));
  parser.calibrate("no times here\n");
  CHECK_FALSE(parser.starts_record("error in call: Traceback (most recent call last):", "999"));
  CHECK(parser.starts_record("error in call: none", "999"));
  parser.calibrate(kRich);
  CHECK_FALSE(parser.starts_record("x", "                    INFO     Created new          streamable_http_manager.py:240"));
  CHECK(parser.starts_record("x", "[11/29/26 16:35:09] INFO     Received                                  app.py:11"));
}

TEST_CASE("a fake message inside a body or an argument counts for nothing") {
  const auto parsed = parse(
      "INFO:app:said \"Created new transport with session ID: 0123456789abcdef0123456789abcdef\"\n"
      "DEBUG:gateway:--> POST /mcp body={\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"No connection established for request ID: 5\"}\n"
      "INFO:mcp.server.streamable_http:Created new transport with session ID: fake\n");
  for (const auto& record : parsed.records) CHECK(record.notice == "");
}

TEST_CASE("access lines: paths that are no MCP are other traffic, a session makes any path one") {
  const auto parsed = parse("INFO:     10.0.0.1:1 - \"GET /health HTTP/1.1\" 200 OK\nINFO:     10.0.0.1:1 - \"POST /x?session_id=ab HTTP/1.1\" 200 OK\n"
                            "INFO:     10.0.0.1:1 - \"POST /api/mcp HTTP/1.1\" 200 OK\n");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[0].reason == "other-traffic");
  CHECK(parsed.records[1].session == "ab");
  CHECK(parsed.records[2].kind == RecordKind::exchange);
}

TEST_CASE("words that stand for no session are no session") {
  CHECK(parse("INFO:mcp.server.streamable_http:Terminating session: None\n").records[0].session == "");
  CHECK(parse("[supergateway] StreamableHttp connection closed (session undefined)\n").records[0].session == "");
}

TEST_CASE("calibration counts what each dialect understood and shows the first line nobody knows") {
  const auto parsed = parse(kUvicorn + kThreeLines + "nobody knows this\nINFO:gw:client->server {\"jsonrpc\":\"2.0\"}\n" + kUvicorn);
  CHECK(parsed.calibration.records == 4);
  CHECK(parsed.calibration.has_times);
  CHECK(parsed.calibration.scores[0].dialect == "uvicorn");
  CHECK(parsed.calibration.scores[0].records == 2);
  const auto unknown = parse(kUvicorn + "INFO:app:nobody knows this\n").calibration;
  CHECK(unknown.first_unknown_line == 2);
  CHECK(unknown.first_unknown_text == "INFO:app:nobody knows this");
  CHECK(unknown.understood == 1);
}

TEST_CASE("a statement that its program indents begins a record of its own, and other indented lines still carry one on") {
  const auto parsed = tests::parse("- Client initialized demo@1\n  - Calling tool search with arguments: {}\n  > Calling tool search took: 1.5s\n    more of it\n");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[1].direction == "client-to-server");
  CHECK(parsed.records[2].direction == "server-to-client");
  CHECK(parsed.records[2].lines == 2);
}

TEST_CASE("a message that stands below its prefix is read without the indentation") {
  const auto parsed = tests::parse("info: Microsoft.AspNetCore.Hosting.Diagnostics[2]\n      Request finished HTTP/1.1 POST http://localhost:5000/mcp - 404 - application/json 1.2ms\n");
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.records[0].status == "404");
  CHECK(parsed.records[0].lines == 2);
}

TEST_CASE("a server that died of a request before the handshake says so at the end of a trace, or before what failed next") {
  const std::string_view trace =
      "Traceback (most recent call last):\n  File \"/app/session.py\", line 163, in _received_request\n    raise RuntimeError(\"Received request before initialization was complete\")\n"
      "RuntimeError: Received request before initialization was complete\n";
  const std::string_view next = "\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/app/h11.py\", line 1, in run\nRuntimeError: no response was sent\n";
  for (const std::string& text : {"ERROR:    Exception in ASGI application\n" + std::string(trace), "ERROR:    Exception in ASGI application\n" + std::string(trace) + std::string(next), std::string(trace)}) {
    INFO(text);
    const auto read = parse(text);
    REQUIRE(read.records.size() == 1);
    CHECK(read.records[0].notice == "request_before_initialize");
  }
  CHECK(parse("ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n  File \"/app/a.py\", line 1, in f\nmcp.McpError: Session not found\n").records[0].reason == "server-error");
}
