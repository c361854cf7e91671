#include <catch2/catch.hpp>

#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using mcpscan::tests::parse;
using mcpscan::tests::Read;

namespace {

constexpr std::string_view kNotFound = "Request stream 7 not found for message. Still processing message as the client might reconnect and replay.";

// The one record of a text.
Read only(std::string_view bytes) {
  const auto parsed = parse(bytes);
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.lines() == tests::line_starts(bytes).size());
  return parsed.records[0];
}

std::string framing_of(std::string_view bytes) { return parse(bytes).calibration.framing; }

}  // namespace

TEST_CASE("docker json-file: the text, the stream as process, nanoseconds") {
  const Read read = only(R"({"log":"DEBUG:mcp.server.streamable_http:Terminating session: abc\n","stream":"stderr","time":"2026-11-29T16:35:55.274123456Z"})" "\n");
  CHECK(read.notice == "session_ended");
  CHECK(read.session == "abc");
  CHECK(read.at == "2026-11-29T16:35:55.274123Z");
  CHECK(read.process != 0);
}

TEST_CASE("docker json-file: a text without line end goes on in the next object of its stream") {
  const auto parsed = parse(
      R"({"log":"INFO:mcp.server.streamable_http:Terminating ","stream":"stderr","time":"2026-11-29T16:35:55.1Z"})" "\n"
      R"({"log":"INFO:     Shutting down\n","stream":"stdout","time":"2026-11-29T16:35:55.2Z"})" "\n"
      R"({"log":"session: abc\n","stream":"stderr","time":"2026-11-29T16:35:55.3Z"})" "\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].session == "abc");
  CHECK(parsed.records[0].lines == 2);
  CHECK(parsed.records[1].notice == "server_stopped");
  CHECK(parsed.lines() == 3);
}

TEST_CASE("CRI: stream, full and partial lines joined") {
  const auto parsed = parse(
      "2026-11-29T16:35:55.274123456Z stderr P INFO:mcp.server.streamable_http:Termin\n"
      "2026-11-29T16:35:55.274123999+00:00 stdout F INFO:     Shutting down\n"
      "2026-11-29T16:35:55.280Z stderr F ating session: abc\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].notice == "session_ended");
  CHECK(parsed.records[0].at == "2026-11-29T16:35:55.274123Z");
  CHECK(parsed.records[1].notice == "server_stopped");
  CHECK(parsed.calibration.framing == "cri");
}

TEST_CASE("JSON that a container runtime cut is put together before it is read, wherever it was cut") {
  const std::string line =
      R"({"asctime":"2026-11-29 16:35:09,636","name":"sse_starlette.sse","levelname":"DEBUG","process":7,"message":"chunk: b'data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'"})";
  const Read whole = only("2026-11-29T16:35:10.1Z stderr F " + line);
  CHECK(whole.kind == RecordKind::message);
  CHECK(whole.codec == "python-bytes-sse");
  for (std::size_t at = 1; at <= line.size(); ++at) {
    const std::string first = line.substr(0, at), second = line.substr(at);
    Read read = only("2026-11-29T16:35:10.1Z stderr P " + first + "\n2026-11-29T16:35:10.2Z stderr F " + second);
    CHECK(read.lines == 2);
    CHECK(read.body == whole.body);
    CHECK(read.at == "2026-11-29T16:35:09.636000Z");
    CHECK(read.process == whole.process);
  }
}

TEST_CASE("a line between the pieces of another stream does not part them, and what follows is a record of its own") {
  const auto parsed = parse(
      R"({"log":"{\"pid\":7,\"msg\":\"Terminating session: ab","stream":"stdout","time":"2026-11-29T16:35:10.1Z"})" "\n"
      R"({"log":"{\"pid\":7,\"msg\":\"Shutting down\"}\n","stream":"stderr","time":"2026-11-29T16:35:10.2Z"})" "\n"
      R"({"log":"{c\"}\n","stream":"stdout","time":"2026-11-29T16:35:10.3Z"})" "\n"
      R"({"log":"{\"pid\":7,\"msg\":\"Terminating session: d\"}\n","stream":"stdout","time":"2026-11-29T16:35:10.4Z"})" "\n");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[0].session == "ab{c");
  CHECK(parsed.records[0].lines == 2);
  CHECK(parsed.records[0].process == parsed.records[2].process);
  CHECK(parsed.records[1].notice == "server_stopped");
  CHECK(parsed.records[2].session == "d");
}

TEST_CASE("the record's own time stands before the shipper's, which is kept") {
  const Read read = only("2026-11-29T16:35:56.000000000Z stderr F 2026-11-29 16:35:09,620 - mcp.server.streamable_http - INFO - Terminating session: abc\n");
  CHECK(read.at == "2026-11-29T16:35:09.620000Z");
  CHECK(read.transport_at == "2026-11-29T16:35:56.000000Z");
  CHECK(read.text == "Terminating session: abc");
}

TEST_CASE("journald json: text, byte array with colours, repeated field, left out") {
  CHECK(only(R"({"__REALTIME_TIMESTAMP":"1795970155274000","_PID":"7","MESSAGE":"INFO:     Shutting down"})").at == "2026-11-29T16:35:55.274000Z");
  CHECK(only(R"({"__REALTIME_TIMESTAMP":"1795970155274000","MESSAGE":[27,91,51,50,109,73,78,70,79,27,91,48,109,58,32,83,104,117,116,116,105,110,103,32,100,111,119,110]})").notice ==
        "server_stopped");
  CHECK(only(R"({"__REALTIME_TIMESTAMP":"1795970155274000","MESSAGE":["Shutting down","again\"quoted"]})").text == "Shutting down\nagain\"quoted");
  const Read empty = only(R"({"__REALTIME_TIMESTAMP":"1795970155274000","MESSAGE":null})");
  CHECK(empty.malformed);
  CHECK(empty.reason == "message-left-out");
}

TEST_CASE("journald short and short-iso, precise or not, with the offset in both spellings") {
  const Read plain = only("Nov 29 16:35:55 gw1 gateway[4242]: INFO:     Shutting down\n");
  CHECK(plain.notice == "server_stopped");
  CHECK(plain.process != 0);
  CHECK(only("2026-11-29T16:35:55+0000 gw1 gateway[4242]: INFO:     Shutting down\n").at == "2026-11-29T16:35:55.000000Z");
  CHECK(only("2026-11-29T16:35:55.274000+00:00 gw1 gateway[4242]: INFO:     Shutting down\n").at == "2026-11-29T16:35:55.274000Z");
  CHECK(only("Nov  9 16:35:55.274000 gw1 gateway[4242]: INFO:     Shutting down\n").notice == "server_stopped");
}

TEST_CASE("journal export: text fields, and a binary one that holds line ends") {
  std::string record = "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1795970155274000\n_PID=42\nMESSAGE\n";
  const std::string message = "Request stream 7 not found \n    for message. Still processing message as the client\n    might reconnect and replay.";
  record += std::string(1, static_cast<char>(message.size())) + std::string(7, '\0') + message + "\nPRIORITY=7\n\n";
  const std::string second = "__CURSOR=s=1;i=3\n__REALTIME_TIMESTAMP=1795970156274000\n_PID=42\nMESSAGE=INFO:     Shutting down\n\n";
  const auto parsed = parse(record + second);
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].notice == "stream_not_found");
  CHECK(parsed.records[0].key == "7");
  CHECK(parsed.records[0].at == "2026-11-29T16:35:55.274000Z");
  CHECK(parsed.records[1].notice == "server_stopped");
  CHECK(parsed.lines() == tests::line_starts(record + second).size());
}

TEST_CASE("journal export whose length lost its NUL bytes on the way is still read") {
  std::string record = "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1795970155274000\nMESSAGE\n";
  record += std::string("\x10") + "Shutting\ndown it\nPRIORITY=7\n\n";
  CHECK(only(record).text == "Shutting\ndown it");
}

TEST_CASE("syslog RFC 3164 with and without host, in file and wire form") {
  CHECK(only("<134>Nov 29 16:36:34 gw1 gateway[25771]: INFO:     Shutting down\n").notice == "server_stopped");
  CHECK(only("<134>Nov 29 16:36:34 gateway[25771]: INFO:     Shutting down\n").notice == "server_stopped");
  CHECK(only("<134>Nov 29 16:36:34 gateway: INFO:     Shutting down\n").notice == "server_stopped");
  CHECK(only("2026-11-29T16:36:34.714881+00:00 gw1 gateway[25771]: INFO:     Shutting down\n").at == "2026-11-29T16:36:34.714881Z");
}

TEST_CASE("syslog RFC 5424: nil values, structured data with brackets in it, BOM, octet count") {
  CHECK(only("<134>1 2026-11-29T16:36:34.714881+00:00 gw1 gateway 77 - - INFO:     Shutting down\n").at == "2026-11-29T16:36:34.714881Z");
  CHECK(only("<134>1 - - gateway - - - Shutting down\n").notice == "server_stopped");
  CHECK(only("<134>1 2026-11-29T16:36:34Z gw1 gateway 77 id1 [a k=\"v \\\"]\\\" x\"][b] \xef\xbb\xbfShutting down\n").notice == "server_stopped");
  CHECK(only("63 <134>1 2026-11-29T16:36:34Z gw1 gateway 77 - - Shutting down\n").notice == "server_stopped");
}

TEST_CASE("rsyslog's octal escapes are line ends again") {
  const Read read = only("Nov 29 16:35:55 gw1 gateway[4242]: Request stream 7 not found #012    for message. Still processing message as the client#012    might reconnect and replay.\n");
  CHECK(read.notice == "stream_not_found");
}

TEST_CASE("docker compose: the service name is the process, its lines join among themselves") {
  const auto parsed = parse(
      "gateway-1  | DEBUG:mcp.server.streamable_http:Request stream 7 not found \n"
      "db-1       | ready to accept connections\n"
      "gateway-1  |                                 for message. Still processing message as the client\n"
      "gateway-1  |                                 might reconnect and replay.\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].notice == "stream_not_found");
  CHECK(parsed.records[0].lines == 3);
  CHECK(parsed.records[0].process != parsed.records[1].process);
}

// What `docker logs -t` or `kubectl logs --timestamps` make of a text.
std::string stamped(std::string_view text, std::string_view end = "Z ") {
  std::string lines;
  for (std::size_t at = 0, i = 0; at < text.size(); ++i) {
    const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines += fmt::format("2026-11-29T16:35:{:02}.12345678{}{}", 8 + i, i % 10, end) + std::string(text.substr(at, next - at));
    at = next;
  }
  return lines;
}

TEST_CASE("times that were put before each line: what stands behind them is read as it would be alone") {
  const std::string three =
      "DEBUG    mcp.server.streamable_http: Request stream 7 not found \n"
      "                                for message. Still processing message as the client\n"
      "                                might reconnect and replay.\n";
  const std::string json = R"({"asctime": "2026-11-29 16:35:09,636", "name": "mcp.server.streamable_http", "levelname": "DEBUG", "message": "Request stream 7 not found for message. Still processing message as the client might reconnect and replay."})" "\n";
  const std::string loguru = fmt::format("2026-11-29 16:35:08.620 | DEBUG    | mcp.server.streamable_http:handle:1035 - {}\n", kNotFound);
  const std::string rich =
      "[11/29/26 16:35:08] DEBUG    Request stream 7 not found  streamable_http.py:1035\n"
      "                             for message. Still processing message as the client\n"
      "                             might reconnect and replay.                        \n";
  for (const std::string& text : {three, "2026-11-29 16:35:08,620 " + three, json, loguru, rich}) {
    const Read read = only(stamped(text));
    CHECK(read.notice == "stream_not_found");
    CHECK(read.key == "7");
    CHECK(read.transport_at == "2026-11-29T16:35:08.123456Z");
    CHECK(only(stamped(text, "+01:00 ")).notice == "stream_not_found");
  }
  CHECK(framing_of(stamped(three)) == "timestamps");
}

TEST_CASE("times that were put before each line stand behind the name of a container too, and before an empty line") {
  const auto parsed = parse(
      "gw-1  | 2026-11-29T16:35:08.123456789Z DEBUG:mcp.server.streamable_http:Request stream 7 not found \n"
      "db-1  | 2026-11-29T16:35:08.123456790Z ready\n"
      "gw-1  | 2026-11-29T16:35:08.123456791Z                                 for message. Still processing message as the client\n"
      "gw-1  | 2026-11-29T16:35:08.123456792Z                                 might reconnect and replay.\n"
      "gw-1  | 2026-11-29T16:35:08.123456793Z\n"
      "gw-1  | 2026-11-29T16:35:08.12345679Z INFO:uvicorn.error:Shutting down\n");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[0].notice == "stream_not_found");
  CHECK(parsed.records[0].at == "2026-11-29T16:35:08.123456Z");
  CHECK(parsed.records[0].lines == 4);
  CHECK(parsed.records[2].notice == "server_stopped");
}

TEST_CASE("a line without a prefix goes on with the record before it only where both were written at once, as their times tell") {
  const std::string access = "Z INFO:     10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200 OK\n";
  const auto parsed = parse("2026-11-29T16:35:08.000000001" + access + "2026-11-29T16:35:09.000000001" + access +
                            "2026-11-29T16:35:09.000200001Z headers of it:\n" + "2026-11-29T16:35:09.000300001Z none\n" +
                            "2026-11-29T16:35:09.100300001Z sending {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n" + "2026-11-29T16:35:09.900000001" + access);
  REQUIRE(parsed.records.size() == 4);
  CHECK(parsed.records[1].lines == 3);
  CHECK(parsed.records[2].text.starts_with("sending {"));
}

TEST_CASE("a program's own times are not taken off, whatever their digits") {
  CHECK(framing_of("2026-11-29T16:35:08.123456Z DEBUG:root:a\n2026-11-29T16:35:08.123456Z DEBUG:root:b\n") == "plain");
  CHECK(framing_of("2026-11-29T16:35:08.123456789Z DEBUG:root:a\n  b\n  c\n") == "plain");
  const auto parsed = parse("2026-11-29T16:35:08.123456789Z stdout F DEBUG:root:a\n");
  CHECK(parsed.calibration.framing == "cri");
}

TEST_CASE("stern: the pod is the process, with its container's name or without; a name that only looks like a pod's is text") {
  const auto parsed = parse(
      "mcp-server-6c9d8f7b5-x2k4p mcp DEBUG:mcp.server.streamable_http:Request stream 7 not found \n"
      "mcp-server-6c9d8f7b5-zz9qd mcp INFO:uvicorn.error:Shutting down\n"
      "mcp-server-6c9d8f7b5-x2k4p mcp                                 for message. Still processing message as the client\n"
      "mcp-server-6c9d8f7b5-x2k4p mcp                                 might reconnect and replay.\n");
  REQUIRE(parsed.records.size() == 2);
  CHECK(parsed.records[0].notice == "stream_not_found");
  CHECK(parsed.records[0].process != parsed.records[1].process);
  CHECK(only("gw-56b574f8cb-444pc 2026-11-29T16:35:55.274000Z INFO:uvicorn.error:Shutting down\n").notice.empty() == false);
  CHECK(only("mcp-server-production-alpha mcp INFO:uvicorn.error:Shutting down\n").notice.empty());
}

TEST_CASE("JSON lines of any logger: the names of message, time, level, logger, session") {
  const Read read = only(R"({"ts":1795970155.274,"lvl":"debug","logger":"gw","sessionId":"abc","msg":"Shutting down"})");
  CHECK(read.notice == "server_stopped");
  CHECK(read.at == "2026-11-29T16:35:55.274000Z");
  CHECK(read.level == "debug");
  CHECK(read.logger == "gw");
  CHECK(read.session == "abc");
}

TEST_CASE("JSON lines: a message object beside direction and session is the body") {
  const Read read = only(R"({"ts":"2026-11-29T16:35:55Z","dir":"server->client","session":"abc","msg":{"jsonrpc":"2.0","id":1,"result":{"a":"}"}}})");
  CHECK(read.kind == RecordKind::message);
  CHECK(read.body == R"({"jsonrpc":"2.0","id":1,"result":{"a":"}"}})");
  CHECK(read.direction == "server-to-client");
  CHECK(read.session == "abc");
}

TEST_CASE("JSON lines: a body in a string of its own, escapes resolved; a bare message; nested framing") {
  const Read read = only(R"({"level":"info","message":"to server","payload":"{\"jsonrpc\":\"2.0\",\"id\":\"\u00e9\"}"})");
  CHECK(read.kind == RecordKind::message);
  CHECK(read.body == "{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\xa9\"}");
  CHECK(read.direction == "client-to-server");
  CHECK(only(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").kind == RecordKind::message);
  CHECK(only(R"({"severity":"INFO","timestamp":"2026-11-29T16:35:55Z","jsonPayload":{"message":"Shutting down"}})").notice == "server_stopped");
}

TEST_CASE("JSON lines: a text that begins with a bracket is a sentence, unless it is a batch") {
  const Read sent = only(R"({"level":"info","message":"[MCP][User: 67][speedy] Transport sending: {\"method\":\"ping\",\"jsonrpc\":\"2.0\",\"id\":4}"})");
  CHECK(sent.kind == RecordKind::message);
  CHECK(sent.body == R"({"method":"ping","jsonrpc":"2.0","id":4})");
  CHECK(sent.direction == "client-to-server");
  CHECK(only(R"({"level":"info","message":"[\n  {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]"})").body.starts_with("[\n"));
}

TEST_CASE("framings stack: CRI around JSON around a Python layout; Fluent Bit around docker") {
  const Read cri = only(R"(2026-11-29T16:35:56Z stderr F {"date":1795970155.5,"log":"2026-11-29 16:35:09,620 - mcp.server.streamable_http - INFO - Terminating session: abc\n"})" "\n");
  CHECK(cri.notice == "session_ended");
  CHECK(cri.at == "2026-11-29T16:35:09.620000Z");
  CHECK(cri.transport_at == "2026-11-29T16:35:56.000000Z");
  CHECK(framing_of(R"(2026-11-29T16:35:56Z stderr F {"date":1795970155.5,"log":"Shutting down"})") == "cri > fluent-bit");
}

TEST_CASE("framings are taken off only to the bound") {
  Limits limits;
  limits.framing_depth = 2;
  const std::string inner = R"({"log":"{\"log\":\"{\\\"log\\\":\\\"Shutting down\\\"}\"}"})";
  CHECK(parse(inner, {}, limits).records[0].notice == "");
  limits.framing_depth = 4;
  CHECK(parse(inner, {}, limits).records[0].notice == "server_stopped");
}

TEST_CASE("among JSON lines a broken one is malformed and nothing else is lost") {
  const auto parsed = parse("{\"msg\":\"Shutting down\"}\n{\"msg\":\"Shutt\n{\"msg\":\"Shutting down\"}\n");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[1].malformed);
  CHECK(parsed.records[1].reason == "bad-json");
  CHECK(parsed.records[2].notice == "server_stopped");
}

TEST_CASE("a line-oriented shipper's physical lines join across records") {
  const auto parsed = parse(
      R"({"__REALTIME_TIMESTAMP":"1795970155000000","_PID":"1","MESSAGE":"DEBUG:root:Request stream 7 not found "})" "\n"
      R"({"__REALTIME_TIMESTAMP":"1795970155000001","_PID":"1","MESSAGE":"     for message. Still processing message as the client"})" "\n"
      R"({"__REALTIME_TIMESTAMP":"1795970155000002","_PID":"1","MESSAGE":"     might reconnect and replay."})" "\n");
  REQUIRE(parsed.records.size() == 1);
  CHECK(parsed.records[0].notice == "stream_not_found");
  CHECK(parsed.records[0].lines == 3);
}

TEST_CASE("stamps before each line of what a program wrote are taken off whatever digits they have, and its records join") {
  for (const char* digits : {"", ".286", ".286345", ".286345123"}) {
    INFO(digits);
    const std::string stamp = "2026-11-29T16:35:57" + std::string(digits) + "Z ";
    const auto parsed = parse(stamp + "DEBUG:root:Request stream 7 not found \n" + stamp + "     for message. Still processing message as the client\n" + stamp +
                              "     might reconnect and replay.\n" + stamp + "INFO:     Shutting down\n");
    REQUIRE(parsed.records.size() == 2);
    CHECK(parsed.records[0].notice == "stream_not_found");
    CHECK(parsed.records[0].lines == 3);
    CHECK(parsed.records[1].notice == "server_stopped");
  }
}

TEST_CASE("ANSI colours, hyperlinks and colours without ESC are taken out") {
  CHECK(only("\x1b[32mINFO\x1b[0m:     10.0.0.7:1 - \"\x1b[1mPOST /mcp HTTP/1.1\x1b[0m\" \x1b[32m202 Accepted\x1b[0m").status == "202");
  CHECK(only("\x1b]8;;http://x\x1b\\INFO\x1b]8;;\a:     Shutting down").notice == "server_stopped");
  CHECK(only("[32mINFO[0m:     Shutting down").notice == "server_stopped");
}

TEST_CASE("CRLF, a line without end, NUL bytes and invalid UTF-8 are all read") {
  const auto parsed = parse(std::string("INFO:     Shutting down\r\nINFO:     \xff\xfe") + std::string(3, '\0') + "\r\nINFO:     Shutting down");
  REQUIRE(parsed.records.size() == 3);
  CHECK(parsed.records[0].notice == "server_stopped");
  CHECK(parsed.records[2].notice == "server_stopped");
}

TEST_CASE("text that only looks framed stays as it is") {
  CHECK(only("2026-11-29T16:35:55Z WARN app: stdout F x").text == "stdout F x");
  CHECK(only("<b>bold</b> text").text == "<b>bold</b> text");
  CHECK(only("<999>Nov 29 16:36:34 a[1]: x").text == "<999>Nov 29 16:36:34 a[1]: x");
  CHECK(parse("a\nb\nleft | " + std::string(kNotFound)).records.back().kind == RecordKind::unknown);
}

TEST_CASE("zap's console form is read as its JSON form, with and without a name and fields") {
  const auto named = parse("2026-11-29T16:35:57.123Z\tWARN\tgateway.sse\tcore/sse.go:88\tSession not found: 0b0e6f4e-1111-4222-8333-444455556666\t{\"tries\": 2}\n");
  REQUIRE(named.records.size() == 1);
  CHECK(named.records[0].notice == "session_not_found");
  CHECK(named.records[0].level == "WARN");
  CHECK(named.records[0].logger == "gateway.sse");
  CHECK(named.records[0].at == "2026-11-29T16:35:57.123000Z");
  const auto bare = parse("2026-11-29 16:35:57\tinfo\tmain.go:5\tSession not found: 0b0e6f4e-1111-4222-8333-444455556666\n");
  REQUIRE(bare.records.size() == 1);
  CHECK(bare.records[0].notice == "session_not_found");
}

TEST_CASE("columns behind a time that are not zap's stay as they are") {
  for (const char* line : {"2026-11-29T16:35:57.123Z\tinfo\trequest gateway=default/gw\n", "2026-11-29 16:35:57\tapples\tmain.go:5\tx\n", "2026-11-29 16:35:57\tinfo\tmain.go:\tx\n"}) {
    INFO(line);
    CHECK(parse(line).calibration.framing == "plain");
  }
}

TEST_CASE("Heroku and Fly put the process behind the time, Azure the line under a name of its own") {
  for (const std::string_view line : {"2026-11-29T16:35:55.123456+00:00 app[web.1]: INFO:     Shutting down\n", "2026-11-29T16:35:55Z app[148e21] fra [info]INFO:     Shutting down\n",
                                      R"({"TimeGenerated":"2026-11-29T16:35:55Z","ContainerAppName_s":"mcp","Log_s":"INFO:     Shutting down"})" "\n", R"({"TimeGenerated":"2026-11-29T16:35:55Z","LogEntry":"INFO:     Shutting down"})" "\n"}) {
    INFO(line);
    const auto read = parse(line);
    REQUIRE(read.records.size() == 1);
    CHECK(read.records[0].notice == "server_stopped");
    CHECK(read.records[0].transport_at.substr(0, 19) == "2026-11-29T16:35:55");
  }
}
