#include "app/literal_json.h"

#include <catch2/catch.hpp>

#include <string>

#include "base/hash.h"
#include "support/read_messages.h"

namespace mcpscan::app {
namespace {

using model::IdType;
using model::MessageKind;
using tests::read_body;

std::string python(std::string_view text) {
  std::string json;
  python_to_json(text, 16, json);
  return json;
}

std::string js(std::string_view text) {
  std::string json;
  js_to_json(text, 16, json);
  return json;
}

std::string java(std::string_view text) {
  std::string json;
  java_to_json(text, 16, json);
  return json;
}

TEST_CASE("Python values become the JSON they stand for") {
  CHECK(python("[{'a': None, 'b': True, 'c': [1, -2.5, 1e-07], 'd': (1,), 'e': {1, 2}, 'f': {}}]") ==
        R"([{"a":null,"b":true,"c":[1,-2.5,1e-07],"d":[1],"e":[1,2],"f":{}}])");
  CHECK(python(R"(["it's", 'say "x"', 'a\'b\\c\n\x41\u00e9\U0001f600', b'\xff', 'caf)" "\xc3\xa9" R"('])") ==
        "[\"it's\",\"say \\\"x\\\"\",\"a'b\\\\c\\nA\xc3\xa9\xf0\x9f\x98\x80\",\"\xc3\xbf\",\"caf\xc3\xa9\"]");
  CHECK(python("{'u': AnyUrl('file:///a'), 'l': <Level.info: 'info'>, 't': datetime.datetime(2026, 1, 2), 'o': <object at 0x7f>, 'n': nan}") ==
        R"({"u":"file:///a","l":"info","t":2026,"o":"<object at 0x7f>","n":null})");
  CHECK(python("Model(is_error=False, inner=Other(meta=None), empty=Empty())") ==
        R"({"isError":false,"inner":{"_meta":null},"empty":{}})");
}

TEST_CASE("a pydantic request gives the same message and digest as its compact JSON on the wire") {
  const auto wire = read_body(R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"add","arguments":{"a":"caf\u00e9","n":null}}})");
  for (const char* text : {
           "root=JSONRPCRequest(method='tools/call', params={'name': 'add', 'arguments': {'a': 'x', 'n': None}}, jsonrpc='2.0', id=8)",
           "JSONRPCMessage(root=JSONRPCRequest(method='tools/call', params={'name': 'add', 'arguments': {'a': 'x', 'n': None}}, jsonrpc='2.0', id=8))",
           "SessionMessage(message=JSONRPCMessage(root=JSONRPCRequest(method='tools/call', params={'name': 'add', 'arguments': {'a': 'x', 'n': None}}, jsonrpc='2.0', id=8)), metadata=None)",
           "SessionMessage(message=JSONRPCRequest(method='tools/call', params={'name': 'add', 'arguments': {'a': 'x', 'n': None}}, jsonrpc='2.0', id=8), metadata=None)",
           "method='tools/call' params={'name': 'add', 'arguments': {'a': 'x', 'n': None}} jsonrpc='2.0' id=8",
           "{'jsonrpc': '2.0', 'id': 8, 'method': 'tools/call', 'params': {'name': 'add', 'arguments': {'a': 'x', 'n': None}}}"}) {
    const auto read = read_body(text, Codec::automatic);
    INFO(text);
    REQUIRE(read.messages.size() == 1);
    CHECK(read.messages[0].kind == MessageKind::request);
    CHECK(read.messages[0].id.value == "8");
    CHECK(read.messages[0].target == "add");
    CHECK(read.messages[0].defects == 0);
    CHECK(read.messages[0].digest == hash_bytes(R"({"name":"add","arguments":{"a":"x","n":null}})"));
  }
  CHECK(wire.messages[0].target == "add");
}

TEST_CASE("pydantic replies, errors and notifications have their kinds; None members are absent, a None id is null") {
  const auto reply = read_body("root=JSONRPCResponse(jsonrpc='2.0', id='a', result={'content': [], 'isError': True})", Codec::python_repr);
  CHECK(reply.messages[0].kind == MessageKind::result);
  CHECK(reply.messages[0].id.type == IdType::string);
  CHECK(reply.messages[0].result_keys == (model::kContent | model::kIsErrorTrue));
  const auto error = read_body("JSONRPCError(jsonrpc='2.0', id=None, error=ErrorData(code=-32602, message=\"it's bad\", data=''))", Codec::python_repr);
  CHECK(error.messages[0].kind == MessageKind::error);
  CHECK(error.messages[0].id.type == IdType::null);
  CHECK(error.messages[0].error_code == -32602);
  CHECK(error.messages[0].reason == "it's bad");
  const auto note = read_body("root=JSONRPCNotification(method='notifications/cancelled', params={'requestId': 3, 'reason': 'late'}, jsonrpc='2.0')", Codec::python_repr);
  CHECK(note.messages[0].kind == MessageKind::notification);
  CHECK(note.messages[0].related.value == "3");
  const auto bare = read_body("root=JSONRPCNotification(method='notifications/initialized', params=None, jsonrpc='2.0')", Codec::python_repr);
  CHECK(bare.messages[0].digest == 0);
}

TEST_CASE("what stands inside a Python string is never taken for a member") {
  const auto read = read_body(
      R"(root=JSONRPCRequest(method='tools/call', params={'name': 'x', 'arguments': {'t': "', jsonrpc='9', id=2) {'id': 3}", 'u': '\', id=4)'}}, jsonrpc='2.0', id=1))",
      Codec::python_repr);
  CHECK(read.messages[0].id.value == "1");
  CHECK(read.messages[0].defects == 0);
}

TEST_CASE("a cut Python repr gives what stood before the cut; a broken one says so") {
  const auto cut = read_body("root=JSONRPCRequest(method='tools/call', params={'name': 'x', 'arguments': {'a': 'bcd", Codec::python_repr, true);
  REQUIRE(cut.messages.size() == 1);
  CHECK(cut.outcome.truncated);
  CHECK(cut.messages[0].kind == MessageKind::request);
  CHECK(cut.messages[0].target == "x");
  CHECK(cut.messages[0].defects == model::kTruncated);
  const auto id = read_body("{'jsonrpc': '2.0', 'id': 12", Codec::python_repr);
  CHECK_FALSE(id.messages[0].id.present());
  const auto broken = read_body("{'jsonrpc': '2.0', 'id': 12 ; 'method': 'ping'}", Codec::python_repr);
  CHECK(broken.outcome.malformed);
  CHECK((broken.messages[0].defects & model::kNotJson) != 0);
}

TEST_CASE("a Python repr may nest up to the limit; deeper values are left out, the head is kept") {
  std::string deep = "{'params': ";
  for (int i = 0; i < 1'000'000; ++i) deep += '[';
  for (int i = 0; i < 1'000'000; ++i) deep += ']';
  deep += ", 'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}";
  const auto read = read_body(deep, Codec::python_repr);
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].id.value == "1");
  CHECK((read.messages[0].defects & model::kTooDeep) != 0);
  std::string angles = "{'a': ";
  for (int i = 0; i < 1'000'000; ++i) angles += "<a:";
  CHECK_NOTHROW(read_body(angles, Codec::python_repr, true));
}

TEST_CASE("Node's inspect output gives the message, over several lines too") {
  const auto read = read_body("{\n  jsonrpc: '2.0',\n  id: 'a-1',\n  result: { content: [ { type: 'text', text: 'it\\'s' +\n ' two' } ] }\n}", Codec::automatic);
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].kind == MessageKind::result);
  CHECK(read.messages[0].id.value == "a-1");
  CHECK(read.messages[0].result_keys == model::kContent);
  CHECK(read.messages[0].text == R"({"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"it's two"}]}})");
  CHECK(read.messages[0].defects == 0);
}

TEST_CASE("what Node left out makes the message truncated, not malformed") {
  const auto read = read_body("{ jsonrpc: '2.0', id: 1, result: { content: [ [Object] ], big: 12n, u: undefined, m: Map(1) { 'a' => 1 }, l: [ 1, ... 3 more items ] } }",
                              Codec::js_inspect);
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].id.type == IdType::integer);
  CHECK(read.messages[0].defects == model::kTruncated);
  CHECK(read.messages[0].digest == 0);
  CHECK_FALSE(read.outcome.malformed);
  CHECK(js("{ a: [Object: null prototype] { b: 1 }, c: <Buffer 7b>, 'd-e': Foo { f: -0 }, [Symbol(x)]: NaN }") ==
        R"({"a":{"b":1},"c":null,"d-e":{"f":-0},"[Symbol(x)]":null})");
  CHECK(js("{ id: undefined, method: 'ping', params: undefined }") == R"({"method":"ping"})");
}

TEST_CASE("Java records give the message; text there is unquoted") {
  const auto call = read_body("JSONRPCRequest[jsonrpc=2.0, method=tools/call, id=a17e55d0-2, params=CallToolRequest[name=find_talks, arguments={topic=a, b and c, id=7}, meta=null]]", Codec::automatic);
  REQUIRE(call.messages.size() == 1);
  CHECK(call.messages[0].kind == MessageKind::request);
  CHECK(call.messages[0].id.value == "a17e55d0-2");
  CHECK(call.messages[0].target == "find_talks");
  CHECK(call.messages[0].defects == 0);
  const auto reply = read_body("JSONRPCResponse[jsonrpc=2.0, id=5, result={content=[{type=text, text=4.2 bar}], isError=false}, error=null] tail", Codec::java_record);
  CHECK(reply.messages[0].kind == MessageKind::result);
  CHECK(reply.messages[0].id.type == IdType::integer);
  CHECK(reply.messages[0].result_keys == model::kContent);
  CHECK(java("R[a=[x, y], b={}, c=true, d=Sub[], e=text with [brackets], and commas]") ==
        R"({"a":["x","y"],"b":{},"c":true,"d":{},"e":"text with [brackets], and commas"})");
}

}  // namespace
}  // namespace mcpscan::app
