#include <catch2/catch.hpp>

#include <string>

#include "app/message_reader.h"
#include "support/read_messages.h"

namespace mcpscan::app {
namespace {

using tests::read_body;

// What find_body points at, read; the head of the body and the id of its first message, "-" for none.
std::string found(const std::string& line) {
  const FoundBody body = find_body(line);
  if (body.position == std::string_view::npos) return "-";
  const auto read = read_body(std::string_view(line).substr(body.position), body.codec);
  const std::string id = read.messages.empty() ? "none" : std::string(read.messages[0].id.raw);
  return std::to_string(body.position) + " " + std::to_string(static_cast<int>(body.codec)) + " id " + id;
}

TEST_CASE("a line without the word jsonrpc has no body") {
  CHECK(found("") == "-");
  CHECK(found("INFO: 10.0.0.1:42 - \"POST /mcp HTTP/1.1\" 200 {\"a\":1}") == "-");
  CHECK(found("the jsonrpc word alone, even with a { brace") == "-");
}

TEST_CASE("plain JSON is found behind prose, braces and stray quotes, with jsonrpc first or last") {
  CHECK(found(R"(got {"jsonrpc":"2.0","id":3,"method":"ping"})") == "4 1 id 3");
  CHECK(found(R"(a {x} b {"method":"tools/call","params":{"name":"n","arguments":{"a":{}}},"jsonrpc":"2.0","id":4} { metadata: undefined })") == "8 1 id 4");
  CHECK(found(R"(it"s { odd: {"id":5,"jsonrpc":"2.0","result":{"q":"\"}{"}})") == "12 1 id 5");
  CHECK(found(R"(unbalanced } and { here {"jsonrpc":"2.0","id":6,"method":"ping"})") == "24 1 id 6");
  CHECK(found(R"({"level":"debug","body":{"jsonrpc":"2.0","id":7,"result":{}}})") == "24 1 id 7");
}

TEST_CASE("what util.inspect prints is a body, what Rust prints of a struct is none") {
  CHECK(found("got { jsonrpc: '2.0', id: 3, method: 'ping' }") == "4 " + std::to_string(static_cast<int>(Codec::js_inspect)) + " id 3");
  CHECK(found("received: Some(Request(JsonRpcRequest { jsonrpc: JsonRpcVersion2_0, id: Number(2), request: ListToolsRequest(Request { extensions: Extensions }) }))") == "-");
}

TEST_CASE("a batch is found from its bracket on") {
  CHECK(found(R"(batch=[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])") == "6 1 id 1");
}

TEST_CASE("escaped JSON is found inside its string, once and twice escaped") {
  CHECK(found(R"({"msg":"recv {\"method\":\"tools/call\",\"params\":{\"name\":\"a\\\"}\"},\"jsonrpc\":\"2.0\",\"id\":8}"})") == "13 2 id 8");
  CHECK(found(R"({"log":"{\"msg\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":9,\\\"method\\\":\\\"ping\\\"}\"}"})") == "19 2 id 9");
}

TEST_CASE("JSON in a Python bytes literal is found from the b on") {
  CHECK(found(R"(chunk: b'event: message\r\ndata: {"result":{"t":"a \\"q\\" {"},"jsonrpc":"2.0","id":10}\r\n\r\n')") == "7 5 id 10");
  CHECK(found(R"(Received JSON: b'{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"it\'s"}}')") == "15 5 id 11");
}

TEST_CASE("a Python bytes literal inside a JSON string is read through both") {
  CHECK(found(R"({"MESSAGE":"chunk: b'event: message\\r\\ndata: {\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{\"t\":\"{\\\\\"r\\\\\"\"}}\\r\\n\\r\\n'"})") == "19 2 id 12");
}

TEST_CASE("Python reprs are found: dicts, models, the str() of a model") {
  CHECK(found(R"(msg {'jsonrpc': '2.0', 'id': 12, 'method': 'ping'})") == "4 3 id 12");
  CHECK(found(R"(Sending client message: root=JSONRPCRequest(method='tools/call', params={'name': 'n'}, jsonrpc='2.0', id=13))") == "29 3 id 13");
  CHECK(found(R"(Message that failed validation: method='tools/call' params={'name': 'n'} jsonrpc='2.0' id=14)") == "32 3 id 14");
}

TEST_CASE("Node and Java objects are found") {
  CHECK(found(R"([supergateway] SSE: { jsonrpc: '2.0', id: 15, result: { content: [ [Object] ] } })") == "20 7 id 15");
  CHECK(found(R"(Sending message JSONRPCRequest[jsonrpc=2.0, method=tools/call, id=16, params=CallToolRequest[name=echo]])") == "16 8 id 16");
}

TEST_CASE("hostile lines of many words, quotes and braces end in bounded time") {
  std::string many;
  for (int i = 0; i < 200000; ++i) many += "{\"jsonrpc\"\\\"";
  CHECK_NOTHROW(find_body(many));
  const std::string braces(10'000'000, '{');
  CHECK(find_body(braces + "\"jsonrpc\"").position == braces.size() - 1);
  const std::string long_value = R"(x {"method":"ping","params":{"a":")" + std::string(10'000'000, 'x') + R"("},"jsonrpc":"2.0","id":1})";
  CHECK(find_body(long_value).position == 2);
}

}  // namespace
}  // namespace mcpscan::app
