// What the line memo gives must be what the rules give: each text is parsed whole, where equal tails come again, and line by line,
// where nothing ever does, and line by line with a memo kept over all.
#include <catch2/catch.hpp>

#include <string>

#include "ingest/text/parser_memo.h"
#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using mcpscan::tests::line_starts;
using mcpscan::tests::parse_block;
using mcpscan::tests::Read;

namespace {

std::string stamped(int second, const std::string& tail) { return fmt::format("2026-11-29 16:53:{:02},{:03}{}", second, second * 7, tail); }

// The lines once more at later times, so that each tail comes four times.
std::string four_times(const std::vector<std::string>& tails) {
  std::string text;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < tails.size(); ++i) text += stamped(round * 12 + static_cast<int>(i), tails[i]);
  }
  return text;
}

bool same_whole_and_by_record(const std::string& text, std::size_t lines_a_record) {
  ingest::LogParser parser(tests::all_dialects(), {}, {});
  parser.calibrate(text);
  const std::vector<Read> whole = parse_block(parser, text);
  const std::vector<std::size_t> starts = line_starts(text);
  std::vector<Read> parts, remembered;
  ingest::ParserMemo memo;  // kept from block to block, as a worker does
  for (std::size_t i = 0; i < starts.size(); i += lines_a_record) {
    const std::size_t end = i + lines_a_record < starts.size() ? starts[i + lines_a_record] : text.size();
    const std::string_view block = std::string_view(text).substr(starts[i], end - starts[i]);
    for (Read& read : parse_block(parser, block, i + 1, starts[i])) parts.push_back(std::move(read));
    for (Read& read : parse_block(parser, block, i + 1, starts[i], &memo)) remembered.push_back(std::move(read));
  }
  return whole == parts && remembered == parts;
}

}  // namespace

TEST_CASE("lines that say the same at another time are read as if each were alone") {
  CHECK(same_whole_and_by_record(four_times({
            " - mcp.server.lowlevel.server - DEBUG - Response sent\n",
            " - mcp.server.streamable_http - DEBUG - Closing SSE writer\n",
            " - mcp.server.streamable_http_manager - INFO - Created new transport with session ID: e308a8357c71c27ccd7782e41f030f8f\n",
            " - mcp.server.streamable_http - DEBUG - Request stream 1 not found for message. Still processing message as the client might reconnect and replay.\n",
            " - gateway.wire - DEBUG - session=e308a8357c71c27c client->server {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
            " - uvicorn.access - INFO - 10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200\n",
            " - root - INFO - Terminating session: e308a8357c71c27c\n",
        }), 1));
}

TEST_CASE("a memo that grows between two blocks forgets, and says nothing else") {
  std::string text;
  for (int round = 0; round < 3; ++round) {
    for (int session = 0; session < 300; ++session) {
      text += stamped(round, fmt::format(" - mcp.server.streamable_http_manager - INFO - Created new transport with session ID: {:032x}\n", session * 7919));
      text += stamped(round, fmt::format(" - uvicorn.access - INFO - 10.0.{}.7:1234 - \"POST /mcp{} HTTP/1.1\" 200\n", session % 3, std::string(static_cast<std::size_t>(session), 'x')));
    }
  }
  CHECK(same_whole_and_by_record(text, 40));
}

TEST_CASE("lines of one head that quote different errors each keep their own") {
  CHECK(same_whole_and_by_record(four_times({
            " - app.client - ERROR - Error POSTing to endpoint (HTTP 400): Bad Request: No valid session ID provided\n",
            " - app.client - ERROR - Error POSTing to endpoint (HTTP 400): Bad Request: No valid content type given.\n",
            " - app.client - ERROR - Error POSTing to endpoint (HTTP 404): {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"Session not found\"},\"id\":null}\n",
            " - app.client - ERROR - Error POSTing to endpoint (HTTP 404): {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"},\"id\":null}\n",
            " - app.client - ERROR - tool failed: McpError: Session terminated\n",
        }), 1));
}

TEST_CASE("a known line that goes on, now and then, keeps what belongs to it") {
  const std::string head = " - mcp.server.streamable_http - ERROR - Error in message router\n";
  const std::string other = " - mcp.server.lowlevel.server - DEBUG - Response sent\n";
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += stamped(i, head);
    if (i % 3 == 2) text += "Traceback (most recent call last):\n  File \"x.py\", line 1\nValueError: x\n";
    if (i % 4 == 3) text += "INFO:     10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200 OK\n";
    text += stamped(i, other);
  }
  ingest::LogParser parser(tests::all_dialects(), {}, {});
  parser.calibrate(text);
  const std::vector<Read> whole = parse_block(parser, text);
  CHECK(whole.size() == 27);
  std::size_t lines = 0;
  for (const Read& read : whole) lines += read.lines;
  CHECK(lines == static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
}

TEST_CASE("a record that goes on is not taken for the one line it begins with") {
  const std::string head = " - mcp.server.streamable_http - ERROR - Error in message router\n";
  CHECK(same_whole_and_by_record(stamped(1, head) + stamped(2, head) + stamped(3, head) + stamped(4, head), 1));
  std::string text;
  for (int i = 0; i < 4; ++i) text += stamped(i, head) + "Traceback (most recent call last):\n  File \"x.py\", line 1\nValueError: x\n";
  CHECK(same_whole_and_by_record(text, 4));
}

TEST_CASE("a time of its own inside the message stays the record's time") {
  const std::string tail = " 2026-11-29 16:53:01,007 - mcp.server.lowlevel.server - DEBUG - Response sent\n";
  CHECK(same_whole_and_by_record(four_times({tail, " - a.b - INFO - x\n"}), 1));
}

TEST_CASE("other spellings of the time are other lines") {
  const std::string tail = " - mcp.server.lowlevel.server - DEBUG - Response sent\n";
  std::string text;
  for (const char* stamp : {"2026-11-29 16:53:06,526", "2026-11-29 16:53:07.526", "2026-11-29T16:53:08.526Z", "2026-11-29T16:53:09+02:00", "2026-11-30 16:53:10,526"}) {
    for (int i = 0; i < 3; ++i) text += stamp + tail;
  }
  CHECK(same_whole_and_by_record(text, 1));
}

namespace {

// Each line as a shipper writes it, the time and the stream its own.
std::string framed(const std::string& text, const char* kind) {
  std::string shipped;
  int n = 0;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1, ++n) {
    end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at), stream = n % 3 == 0 ? "stdout" : "stderr";
    const std::string time = fmt::format("2026-11-29T16:53:{:02}.{:09}Z", n % 60, n * 7);
    std::string escaped;
    for (const char c : line) escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    if (kind == std::string("cri")) shipped += fmt::format("{} {} F {}\n", time, stream, line);
    if (kind == std::string("docker")) shipped += fmt::format("{{\"log\":\"{}\\n\",\"stream\":\"{}\",\"time\":\"{}\"}}\n", escaped, stream, time);
    if (kind == std::string("short")) shipped += fmt::format("Nov 29 16:53:{:02} host app[{}]: {}\n", n % 60, 100 + n % 2, line);
    if (kind == std::string("mixed")) shipped += n % 4 < 2 ? line + "\n" : fmt::format("{} {} F {}\n", time, stream, line);
  }
  return shipped;
}

}  // namespace

TEST_CASE("what a shipper says of a known line is the line's own") {
  std::string text = four_times({
      " - mcp.server.lowlevel.server - DEBUG - Response sent\n",
      " - mcp.server.streamable_http_manager - INFO - Created new transport with session ID: e308a8357c71c27ccd7782e41f030f8f\n",
      " - gateway.wire - DEBUG - session=e308a8357c71c27c client->server {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
      " - uvicorn.access - INFO - 10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200\n",
      " [4242] INFO app.worker: started\n",
  });
  for (int i = 0; i < 24; ++i) text += fmt::format("INFO:     10.0.0.{}:12{:02} - \"POST /mcp HTTP/1.1\" 200 OK\n", i % 10, 10 + i);
  for (const char* kind : {"cri", "docker", "short", "mixed"}) {
    INFO(kind);
    CHECK(same_whole_and_by_record(framed(text, kind), 1));
  }
}

TEST_CASE("a framed line that a memo knows may go on") {
  const std::string access = "INFO:     10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200 OK\n", error = " - mcp.server.streamable_http - ERROR - Error in message router\n";
  std::string text;
  for (int i = 0; i < 6; ++i) {
    text += access + stamped(i, error);
    if (i > 2) text += "Traceback (most recent call last):\n  File \"x.py\", line 1\nValueError: x\n" + access + "  and more of it\n";
  }
  for (const char* kind : {"cri", "docker", "mixed"}) {
    INFO(kind);
    const std::string shipped = framed(text, kind);
    ingest::LogParser parser(tests::all_dialects(), {}, {});
    parser.calibrate(shipped);
    ingest::ParserMemo memo;
    for (int i = 0; i < ingest::ShapeMemo::kSightings; ++i) parse_block(parser, shipped, 1, 0, &memo);
    CHECK(parse_block(parser, shipped, 1, 0, &memo) == parse_block(parser, shipped, 1, 0));
  }
}
