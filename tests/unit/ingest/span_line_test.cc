#include "ingest/otlp/span_line.h"

#include <catch2/catch.hpp>

#include <string>

namespace mcpscan::ingest {
namespace {

const std::string kTimes = R"("startTimeUnixNano":"1795970155274000000","endTimeUnixNano":"1795970155774000000")";

struct Told {
  SpanReading reading;
  SpanFacts span;
  std::size_t column = 0;
};

Told told(const std::string& line, Arena& arena) {
  Told result{SpanReading::span, {}, 0};
  result.reading = read_span_line(arena.copy(line), arena, result.span, result.column);
  return result;
}

std::string attribute(const char* key, const char* value) { return std::string(R"({"key":")") + key + R"(","value":{"stringValue":")" + value + R"("}})"; }

TEST_CASE("a span of the conventions tells method, id, session, tool, side, service and times") {
  Arena arena;
  const std::string line = R"({"resource":{"attributes":[)" + attribute("service.name", "gw") + R"(]},"span":{"spanId":"00f1","kind":2,"name":"tools/call add",)" + kTimes +
                           R"(,"attributes":[)" + attribute("mcp.method.name", "tools/call") + "," + attribute("jsonrpc.request.id", "7") + "," +
                           attribute("mcp.session.id", "s-1") + "," + attribute("gen_ai.tool.name", "add") + "]}}";
  const auto [reading, span, column] = told(line, arena);
  REQUIRE(reading == SpanReading::span);
  CHECK(span.is_mcp());
  CHECK(span.method == "tools/call");
  CHECK(span.id == "7");
  CHECK(span.session == "s-1");
  CHECK(span.tool == "add");
  CHECK(span.service == "gw");
  CHECK(span.side == SpanSide::server);
  CHECK(span.end.us - span.start.us == 500'000);
  CHECK_FALSE(span.failed);
}

TEST_CASE("older names count where today's are missing, whatever their order; numbers may be texts or numbers") {
  Arena arena;
  const std::string line = R"({"resource":{},"span":{"kind":"SPAN_KIND_CLIENT","startTimeUnixNano":1795970155274000000,"endTimeUnixNano":1795970155774000000,"attributes":[)" +
                           attribute("mcp.tool.name", "old") + "," + attribute("gen_ai.tool.name", "new") + "," + attribute("mcp.session_id", "s-2") +
                           R"(,{"key":"mcp.request.id","value":{"intValue":"9"}}],"status":{"code":"STATUS_CODE_ERROR","message":"no \"luck\""}}})";
  const auto [reading, span, column] = told(line, arena);
  REQUIRE(reading == SpanReading::span);
  CHECK(span.method == "tools/call");  // a tool and an id were the mark before there was one
  CHECK(span.tool == "new");
  CHECK(span.id == "9");
  CHECK(span.session == "s-2");
  CHECK(span.side == SpanSide::client);
  CHECK(span.failed);
  CHECK(span.error_message == "no \"luck\"");
}

TEST_CASE("Jaeger tells start and length, and a span's tags as plain values") {
  Arena arena;
  const auto [reading, span, column] = told(R"({"resource":{},"span":{"spanID":"1","operationName":"tools/call add","startTime":1795970155274000,"duration":500,"processID":"p1",)"
                                            R"("tags":[{"key":"mcp.method.name","type":"string","value":"tools/call"},{"key":"span.kind","type":"string","value":"server"}]}})", arena);
  REQUIRE(reading == SpanReading::span);
  CHECK(span.tool == "add");
  CHECK(span.side == SpanSide::server);
  CHECK(span.service == "p1");
  CHECK(span.end.us - span.start.us == 500);
}

TEST_CASE("spans of other protocols are no calls of MCP") {
  Arena arena;
  CHECK_FALSE(told(R"({"span":{)" + kTimes + R"(,"attributes":[)" + attribute("rpc.system", "grpc") + "," + attribute("rpc.method", "Export") + "]}}", arena).span.is_mcp());
  CHECK_FALSE(told(R"({"span":{)" + kTimes + R"(,"attributes":[)" + attribute("gen_ai.tool.name", "local") + "]}}", arena).span.is_mcp());
  CHECK_FALSE(told(R"({"span":{)" + kTimes + "}}", arena).span.is_mcp());
}

TEST_CASE("what is broken is told apart: no JSON, no span, no times; wrong types break nothing") {
  Arena arena;
  const Told broken = told(R"({"resource":{},"span":{"name":"a)", arena);
  CHECK(broken.reading == SpanReading::broken);
  CHECK(broken.column > 10);
  CHECK(told(R"({"resource":{},"span":7})", arena).reading == SpanReading::no_span);
  CHECK(told(R"({"span":{"startTimeUnixNano":"soon","endTimeUnixNano":true,"attributes":[)" + attribute("mcp.method.name", "ping") + "]}}", arena).reading == SpanReading::no_time);
  CHECK(told(R"({"resource":[],"span":{)" + kTimes + R"(,"attributes":{"key":1},"status":"x","kind":{}}})", arena).reading == SpanReading::span);
  CHECK(told(R"({"span":{)" + kTimes + R"(,"attributes":[1,{"key":5,"value":"mcp.method.name"},{"key":"mcp.method.name","value":{"arrayValue":{}}}]}})", arena).reading == SpanReading::span);
}

}  // namespace
}  // namespace mcpscan::ingest
