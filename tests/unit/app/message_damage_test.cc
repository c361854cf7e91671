#include <catch2/catch.hpp>

#include <string>

#include "app/message_reader.h"
#include "support/read_messages.h"

namespace mcpscan::app {
namespace {

using model::IdType;
using model::MessageKind;
using tests::read_body;

TEST_CASE("a duplicate key is reported and the first one counts") {
  const auto read = read_body(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})");
  CHECK(read.messages[0].id.value == "1");
  CHECK(read.messages[0].defects == model::kDuplicateKey);
  CHECK(read_body(R"({"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"})").messages[0].defects == model::kDuplicateKey);
}

TEST_CASE("a byte order mark before the value is ignored") {
  const auto read = read_body("\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} tail");
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].kind == MessageKind::result);
  CHECK(read.messages[0].defects == 0);
  CHECK(read.outcome.consumed == 39);
}

TEST_CASE("keys with escapes are decoded") {
  const auto read = read_body(R"({"json\u0072pc":"2.0","\u0069d":1,"m\u0065thod":"tools\/call","params":{"n\u0061me":"x"}})");
  CHECK(read.messages[0].kind == MessageKind::request);
  CHECK(read.messages[0].method == "tools/call");
  CHECK(read.messages[0].target == "x");
}

TEST_CASE("a lone surrogate or a stray byte is repaired, wherever it stands, and said") {
  const auto lone = read_body(R"({"jsonrpc":"2.0","id":"a\ud800","result":{"t":"\ud83d\ude00 \udc00"}})");
  CHECK(lone.messages[0].defects == model::kRepairedText);
  CHECK(lone.messages[0].id.value == "a\xef\xbf\xbd");
  CHECK(lone.messages[0].text == R"({"jsonrpc":"2.0","id":"a\ufffd","result":{"t":"\ud83d\ude00 \ufffd"}})");
  const auto bytes = read_body("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"t\":\"caf\xe9 \xc3\xa9\"}} tail");
  CHECK(bytes.messages[0].defects == model::kRepairedText);
  CHECK(bytes.messages[0].text == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"t\":\"caf\xef\xbf\xbd \xc3\xa9\"}}");
  CHECK(bytes.outcome.consumed == 49);
  const auto pair = read_body(R"({"jsonrpc":"2.0","id":1,"result":{"t":"\\ud83d \ud83d\ude00"}})");
  CHECK(pair.messages[0].defects == 0);
}

TEST_CASE("text that ends too early keeps what was seen and holds nothing against it") {
  const std::string whole = R"({"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"add","arguments":{"a":"\u00e9","b":[1,true]}}})";
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const auto read = read_body(std::string_view(whole).substr(0, size), Codec::json, true);
    INFO(size);
    CHECK(read.outcome.truncated);
    CHECK_FALSE(read.outcome.malformed);
    if (read.messages.empty()) continue;
    CHECK(read.messages[0].defects == model::kTruncated);
    CHECK((read.messages[0].id.value == "77" || !read.messages[0].id.present()));
    CHECK(read.messages[0].digest == 0);
  }
  const auto no_id = read_body(R"({"method":"tools/call","params":{"name":"add","argum)");
  CHECK(no_id.messages[0].kind == MessageKind::request);
  CHECK(no_id.messages[0].target == "add");
}

TEST_CASE("a logger's cut in the middle keeps the head, and finds the id that stands last") {
  const auto inside = read_body(R"({"jsonrpc":"2.0","id":4,"result":{"messages":[{"text":"abc...[18778 chars truncated]...xyz"}]}} { metadata: undefined })");
  CHECK(inside.messages[0].kind == MessageKind::result);
  CHECK(inside.messages[0].defects == model::kTruncated);
  CHECK(inside.messages[0].digest == 0);
  const auto broken = read_body(R"({"jsonrpc":"2.0","id":5,"result":{"messages":[{"text":"abc...[18778 chars truncated]...}]}]}} { metadata: undefined })");
  CHECK(broken.outcome.truncated);
  CHECK(broken.messages[0].id.value == "5");
  const auto last = read_body(R"({"result":{"content":[{"type":"text","text":"abc...[99 chars truncated]...z"},{"id":3}]},"jsonrpc":"2.0","id":6} { metadata: undefined })");
  CHECK(last.messages[0].id.value == "6");
  const auto lost = read_body(R"({"result":{"content":[{"type":"text","text":"abc...[99 chars truncated]...,{"id":3}]},"jsonrpc":"2.0","id":6})");
  CHECK(lost.messages[0].kind == MessageKind::result);
  CHECK(lost.messages[0].id.value == "6");
  CHECK((lost.messages[0].defects & model::kTruncated) != 0);
}

TEST_CASE("a mark of a cut inside a string leaves the members beyond doubt") {
  const auto note = read_body(R"({"jsonrpc":"2.0","method":"vendor/log","params":{"data":"a...[10 chars truncated]...b"}})");
  CHECK(note.messages[0].kind == MessageKind::notification);
  CHECK(note.messages[0].defects == model::kTruncated);
  CHECK(note.messages[0].digest == 0);
}

TEST_CASE("text that is not JSON keeps its members and says so") {
  for (const char* text : {R"({"jsonrpc":"2.0","id":1,"result":{"x":NaN}})", R"({"jsonrpc":"2.0","id":1,"result":{"x":None}})",
                           "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"a\tb\"}}", R"({"jsonrpc":"2.0","id":1,"result":{"x":"\q"}})",
                           R"({"jsonrpc":"2.0","id":1,"result":{]}})", R"({"jsonrpc":"2.0","id":1,"result":{},})",
                           R"({"jsonrpc":"2.0","id":1,"result":{} "x":1})"}) {
    const auto read = read_body(text);
    INFO(text);
    REQUIRE(read.messages.size() == 1);
    CHECK(read.outcome.malformed);
    CHECK(read.messages[0].kind == MessageKind::result);
    CHECK(read.messages[0].id.value == "1");
    CHECK((read.messages[0].defects & model::kNotJson) != 0);
  }
}

TEST_CASE("an upper-case byte outside a string is no fault when it is JSON") {
  const auto read = read_body(R"({"jsonrpc":"2.0","id":1,"result":{"x":[1E5]}})");
  CHECK(read.messages[0].defects == 0);
  CHECK_FALSE(read.outcome.malformed);
}

TEST_CASE("nesting over the limit is told, the head is kept") {
  Limits limits;
  limits.json_depth = 8;
  const auto at_limit = read_body(R"({"jsonrpc":"2.0","id":1,"result":{"a":[[[[[[1]]]]]]}})", Codec::json, false, limits);
  CHECK(at_limit.messages[0].defects == 0);
  const auto over = read_body(R"({"jsonrpc":"2.0","result":{"a":[[[[[[[1]]]]]]]},"id":1})", Codec::json, false, limits);
  CHECK(over.messages[0].defects == model::kTooDeep);
  CHECK(over.messages[0].id.value == "1");
  const std::string open(1'000'000, '['), close(1'000'000, ']');
  const auto deep = read_body(R"({"jsonrpc":"2.0","method":"ping","params":)" + open + close + R"(,"id":9})");
  CHECK(deep.messages[0].id.value == "9");
  CHECK(deep.messages[0].defects == model::kTooDeep);
}

TEST_CASE("100 MB of opening brackets are a cut text, not a crash") {
  const std::string brackets(100'000'000, '[');
  const auto read = read_body(brackets);
  CHECK(read.messages.empty());
  CHECK(read.outcome.truncated);
}

TEST_CASE("a batch numbers its members; what is no object is an invalid one") {
  const auto read = read_body(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}, 5 ,{"jsonrpc":"2.0","method":"notifications/initialized"}] )");
  REQUIRE(read.messages.size() == 3);
  CHECK(read.outcome.is_batch);
  CHECK(read.messages[1].kind == MessageKind::invalid);
  CHECK(read.messages[2].batch_index == 2);
  CHECK(read.messages[2].batch_size == 3);
}

TEST_CASE("an empty batch is one invalid message where messages are known to be, else nothing") {
  const auto read = read_body(" [ ] ", Codec::json, true);
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].kind == MessageKind::invalid);
  CHECK(read_body("[]").messages.empty());
  CHECK(read_body("[]").outcome.not_rpc);
}

TEST_CASE("a batch over the limit delivers the limit and counts the rest") {
  Limits limits;
  limits.batch_messages = 2;
  const std::string one = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const auto read = read_body("[" + one + "," + one + "," + one + "]", Codec::json, false, limits);
  CHECK(read.messages.size() == 2);
  CHECK(read.outcome.over_limit == 1);
  CHECK(read.messages[0].batch_size == 3);
}

TEST_CASE("a cut batch keeps its whole members clean") {
  const auto read = read_body(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"met)");
  REQUIRE(read.messages.size() == 2);
  CHECK(read.messages[0].defects == 0);
  CHECK(read.messages[1].defects == model::kTruncated);
}

TEST_CASE("without a jsonrpc member a message counts by its method, or by its members where messages are known to be") {
  const auto known = read_body(R"({"method":"tools/list","id":1})");
  REQUIRE(known.messages.size() == 1);
  CHECK(known.messages[0].defects == model::kNoVersion);
  CHECK(read_body(R"({"method":"vendor/x","id":1})").messages.empty());
  CHECK(read_body(R"({"method":"vendor/x","id":1})", Codec::json, true).messages.size() == 1);
  CHECK(read_body(R"({"id":1,"result":"result-present"})").outcome.not_rpc);
  const auto remote = read_body(R"({"id":1,"result":"result-present"})", Codec::json, true);
  CHECK(remote.messages[0].result_keys == model::kResultNotObject);
  CHECK(read_body(R"({"error":"no such page"})", Codec::json, true).outcome.not_rpc);
}

TEST_CASE("params that a proxy logged as a cut JSON string still name the tool") {
  const auto read = read_body(R"({"method":"tools/call","id":1,"params":"{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\""})", Codec::json, true);
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].target == "add");
  CHECK(read.messages[0].defects == 0);
}

TEST_CASE("no JSON at all is malformed; nothing at all is nothing") {
  CHECK(read_body("hello").outcome.malformed);
  CHECK(read_body("hello").messages.empty());
  CHECK(read_body("<html>", Codec::json, true).messages[0].defects == model::kNotJson);
  CHECK(read_body("").outcome.not_rpc);
  CHECK(read_body(" 12 ").outcome.not_rpc);
  CHECK(read_body(R"({"a":[1,2]})").outcome.not_rpc);
}

TEST_CASE("an error needs an integer code and a message") {
  const auto bad = read_body(R"({"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}})");
  CHECK(bad.messages[0].defects == model::kBadError);
  const auto text = read_body(R"({"jsonrpc":"2.0","id":1,"error":"m"})");
  CHECK(text.messages[0].defects == model::kBadError);
  const auto huge = read_body(R"({"jsonrpc":"2.0","id":null,"error":{"code":-99999999999999999999,"message":"m"}})");
  CHECK(huge.messages[0].error_code == INT64_MIN);
  CHECK(huge.messages[0].defects == 0);
}

TEST_CASE("JSON inside a JSON string is read once and twice escaped, up to its closing quote") {
  const auto once = read_body(R"({\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"t\":\"a\\\"b\"}}","level":"debug"})", Codec::json_string);
  REQUIRE(once.messages.size() == 1);
  CHECK(once.messages[0].text == R"({"jsonrpc":"2.0","id":1,"result":{"t":"a\"b"}})");
  const auto twice = read_body(R"("{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":2,\\\"method\\\":\\\"ping\\\"}")", Codec::automatic);
  REQUIRE(twice.messages.size() == 1);
  CHECK(twice.messages[0].id.value == "2");
}

TEST_CASE("SSE text: lines of data are joined, other events and comments are counted") {
  const auto read = read_body(": ping\n\nevent: endpoint\ndata: /messages?sessionId=1\n\nid: 7\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"method\":\"ping\"}\n\n"
                              "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":5}}",
                              Codec::automatic);
  REQUIRE(read.messages.size() == 2);
  CHECK(read.messages[0].id.value == "1");
  CHECK(read.messages[1].related.value == "5");
  CHECK(read.outcome.other_events == 3);
  CHECK(read_body("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\rdata: {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\r\r").outcome.malformed);
  CHECK(read_body("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\rdata: {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\r\r", Codec::sse).messages.size() == 2);
}

TEST_CASE("a Python bytes literal may have double quotes, hold plain JSON, or be cut") {
  const auto quoted = read_body(R"(b"{'not': json}")", Codec::python_bytes);
  CHECK(quoted.messages.empty());
  const auto plain = read_body(R"(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x'y\"}" tail)", Codec::automatic);
  REQUIRE(plain.messages.size() == 1);
  CHECK(plain.messages[0].method == "x'y");
  const auto cut = read_body(R"(b'event: message\r\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"te)", Codec::python_bytes_sse);
  CHECK(cut.outcome.truncated);
  CHECK(cut.messages[0].id.value == "1");
  const auto several = read_body(R"(b'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\ndata: {"jsonrpc":"2.0","id":2,"method":"ping"}\n\n')", Codec::python_bytes_sse);
  CHECK(several.messages.size() == 2);
}

TEST_CASE("the words of the dialects name codecs") {
  CHECK(codec_named("") == Codec::automatic);
  CHECK(codec_named("python-bytes-sse") == Codec::python_bytes_sse);
  CHECK(codec_named("java-record") == Codec::java_record);
  CHECK_FALSE(codec_named("yaml").has_value());
}

}  // namespace
}  // namespace mcpscan::app
