#include "base/text_bytes.h"
#include "pipeline/http_dump_scan.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mcpscan::pipeline {
namespace {

struct Kept : model::ObservationSink {
  void observe(const model::Observation& seen) override {
    std::string row;
    switch (seen.kind) {
      case model::ObservationKind::exchange_request: row = "request"; break;
      case model::ObservationKind::exchange_response: row = "response " + std::to_string(seen.http->status); break;
      case model::ObservationKind::exchange_end: row = "end"; break;
      case model::ObservationKind::message: row = "message " + std::string(seen.message->id.raw); break;
      default: row = "other";
    }
    rows.push_back(row);
    lines.push_back(seen.source.number);
    if (!seen.session.empty()) session = seen.session;
    at = seen.at;
  }
  std::vector<std::string> rows;
  std::vector<std::uint64_t> lines;
  std::string session;
  Time at;
};

struct Scanned {
  Kept kept;
  model::InputRow row;
};

Scanned scan_text(const std::string& text, const Limits& limits = {}) {
  Scanned scanned;
  TextBytes bytes(text);
  CaptureNumbers numbers;
  scan_http_dump(bytes, {}, 0, {}, limits, numbers, scanned.kept, scanned.row, [](std::uint64_t) {});
  return scanned;
}

using Rows = std::vector<std::string>;

const std::string kTwo =
    "### exchange 1  2026-11-29T10:00:05.000Z\n"
    "POST /mcp HTTP/1.1\n"
    "Host: lake.example.test\n"
    "Content-Type: application/json\n"
    "Mcp-Session-Id: 3c0661dbe49243018edf77e091d95a03\n"
    "\n"
    "{\"method\":\"tools/call\",\"params\":{\"name\":\"run_sql\"},\"jsonrpc\":\"2.0\",\"id\":1}\n"
    "HTTP/1.1 200 OK\n"
    "Content-Type: text/event-stream\n"
    "\n"
    "event: message\n"
    "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n"
    "\n"
    "### exchange 2  2026-11-29T10:07:30.000Z\n"
    "POST /mcp HTTP/1.1\n"
    "Host: lake.example.test\n"
    "Content-Type: application/json\n"
    "Mcp-Session-Id: 3c0661dbe49243018edf77e091d95a03\n"
    "\n"
    "{\"method\":\"tools/call\",\"params\":{\"name\":\"run_sql\"},\"jsonrpc\":\"2.0\",\"id\":2}\n"
    "HTTP/1.1 400 Bad Request\n"
    "Content-Type: text/plain\n"
    "\n"
    "Bad Request: No valid session ID provided\n";

TEST_CASE("a dump is told by a request line with a field behind it, not by an access line") {
  CHECK(is_http_dump(kTwo));
  CHECK(is_http_dump("> POST /mcp HTTP/2\r\n> Host: x\r\n"));
  CHECK_FALSE(is_http_dump("10.0.0.7 - - [29/Nov/2026:16:35:56 +0000] \"POST /mcp HTTP/1.1\" 200 7\nHost: x\n"));
  CHECK_FALSE(is_http_dump("POST /mcp HTTP/1.1\n\nHost: x\n"));
  CHECK_FALSE(is_http_dump(""));
}

TEST_CASE("exchanges of a dump give heads, messages and times in order, at the line of their request") {
  const Scanned scanned = scan_text(kTwo);
  CHECK(scanned.kept.rows == Rows{"request", "message 1", "response 200", "message 1", "end", "request", "message 2", "response 400", "end"});
  CHECK(scanned.kept.lines.front() == 2);
  CHECK(scanned.kept.lines.back() == 15);
  CHECK(scanned.kept.session == "3c0661dbe49243018edf77e091d95a03");
  CHECK(format_rfc3339(scanned.kept.at) == "2026-11-29T10:07:30.000000Z");
  CHECK(format_rfc3339(scanned.row.first) == "2026-11-29T10:00:05.000000Z");
  CHECK(scanned.row.books.total == 24);
  CHECK(scanned.row.books.used == 22);
  CHECK(scanned.row.books.ignored.at("separator") == 2);
}

TEST_CASE("curl -v: marks are taken off, its own words passed over, HTTP/2 heads read") {
  const Scanned scanned = scan_text(
      "* Connected to x\n"
      "> POST /mcp HTTP/2\n> Host: x\n> Content-Type: application/json\n> Accept: application/json, text/event-stream\n> Mcp-Protocol-Version: 2025-06-18\n> \n"
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n"
      "< HTTP/2 100 \n< \n"
      "< HTTP/2 200 \n< content-type: application/json\n< \n"
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
  CHECK(scanned.kept.rows == Rows{"request", "message 7", "response 200", "message 7", "end"});
}

const std::string kCommands =
    "user@host:~$ curl -isS http://x:3000/mcp -H 'Content-Type: application/json' \\\n"
    "> -H 'Accept: application/json, text/event-stream' -H \"Mcp-Session-Id: $SID\" -d '{\"jsonrpc\":\"2.0\",\n"
    "\"id\":7,\"method\":\"ping\"}'\n"
    "HTTP/1.1 200 OK\nContent-Type: application/json\nMcp-Session-Id: abc-1\n\n"
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"
    "$ curl -v x:3000/mcp -H \"mcp-session-id: $SID\" -d '{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}'\n"
    "*   Trying 127.0.0.1:3000...\n"
    "> POST /mcp HTTP/1.1\n> Host: x:3000\n> mcp-session-id: abc-1\n> Content-Type: application/json\n> Content-Length: 40\n>\n"
    "* upload completely sent off: 40 bytes\n"
    "< HTTP/1.1 200 OK\n< Content-Type: text/event-stream\n<\n"
    "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n\n"
    "* Connection #0 to host x left intact\n";

TEST_CASE("curl -i shows replies only: the commands tell their requests, and what curl -v leaves out of its own") {
  CHECK(is_http_dump(kCommands));
  CHECK_FALSE(is_http_dump("HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}\n"));
  const Scanned scanned = scan_text(kCommands);
  CHECK(scanned.kept.rows == Rows{"request", "message 7", "response 200", "message 7", "end", "request", "message 8", "response 200", "message 8", "end"});
  CHECK(scanned.kept.session == "abc-1");
  CHECK(scanned.kept.lines.front() == 1);
  CHECK(scanned.kept.lines.back() == 9);
  CHECK(scanned.row.books.malformed.empty());
  CHECK(scanned.row.books.total == 24);
}

TEST_CASE("a command whose reply is shown without its head has that reply") {
  const std::string head = "-H 'Accept: application/json, text/event-stream' -H 'Content-Type: application/json' -H 'Mcp-Session-Id: abc-1' -d ";
  const Scanned scanned = scan_text("$ curl -s http://x/mcp " + head + R"('{"jsonrpc":"2.0","id":1,"method":"ping"}' | jq)" + "\n{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {}\n}\n" +
                                    "$ curl -sN http://x/mcp " + head + R"('{"jsonrpc":"2.0","id":2,"method":"ping"}')" + "\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n$ exit\n");
  CHECK(scanned.kept.rows == Rows{"request", "message 1", "response 0", "message 1", "end", "request", "message 2", "response 0", "message 2", "end"});
  CHECK(scanned.row.books.malformed.empty());
}

TEST_CASE("where exchanges begin: at commands, at heads that no command asked for, and at separators") {
  const auto begins = [](const std::string& text) {
    DumpedExchanges told;
    std::vector<int> lines;
    for (std::size_t at = 0, number = 1; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (told.begin_with(text.substr(at, end - at))) lines.push_back(static_cast<int>(number));
      at = end + 1;
    }
    return lines;
  };
  CHECK(begins(kCommands) == std::vector<int>{1, 9});
  CHECK(begins(kTwo) == std::vector<int>{1, 14});
  CHECK(begins("HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\n\n{}\nPOST /mcp HTTP/1.1\n\n{}\nHTTP/1.1 200 OK\n") == std::vector<int>{1, 3, 6});
}

TEST_CASE("other traffic is counted, a body beyond its bound is cut, and all lines are in the books") {
  Limits small;
  small.body_bytes = 64;
  const Scanned scanned = scan_text("GET /logo.png HTTP/1.1\nHost: x\n\nHTTP/1.1 200 OK\nContent-Type: image/png\n\n" + std::string(500, 'x') + "\n" + kTwo, small);
  CHECK(scanned.row.books.ignored.at("not-mcp") == 7);
  std::uint64_t sum = scanned.row.books.used;
  for (const auto& [reason, count] : scanned.row.books.ignored) sum += count;
  for (const auto& [reason, count] : scanned.row.books.malformed) sum += count;
  CHECK(sum == 31);
  CHECK(scanned.row.books.total == 31);
}

}  // namespace
}  // namespace mcpscan::pipeline
