#include "app/message_reader.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

#include "base/hash.h"
#include "support/read_messages.h"

namespace mcpscan::app {
namespace {

using model::IdType;
using model::MessageKind;
using tests::read_body;

TEST_CASE("params in a string are a log's abridged copy: what they name is read, and what the copy leaves out is no fault") {
  const auto read = read_body(R"({"method":"notifications/cancelled","params":"{\"requestId\":2,\"reason\":\"Request timed out\"}"})", Codec::json, true);
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].related.value == "2");
  CHECK(read.messages[0].reason == "Request timed out");
  CHECK(read.messages[0].defects == 0);
}

TEST_CASE("a tools/call request gives id, tool, progress token and the digest of its params") {
  const auto read = read_body(
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"name":"no","a":[1,{"b":2}]},"_meta":{"progressToken":"p1"}}} rest)");
  REQUIRE(read.messages.size() == 1);
  const auto& m = read.messages[0];
  CHECK(m.kind == MessageKind::request);
  CHECK(m.id.type == IdType::integer);
  CHECK(m.id.value == "7");
  CHECK(m.method == "tools/call");
  CHECK(m.target == "add");
  CHECK(m.progress_token.type == IdType::string);
  CHECK(m.progress_token.value == "p1");
  CHECK(m.defects == 0);
  CHECK(m.digest == hash_bytes(R"({"name":"add","arguments":{"name":"no","a":[1,{"b":2}]},"_meta":{"progressToken":"p1"}})"));
  CHECK(m.text.substr(m.text.size() - 3) == "}}}");
  CHECK(read.outcome.consumed == m.text.size());
}

TEST_CASE("the kind follows from which members are there, whatever their order") {
  CHECK(read_body(R"({"id":1,"method":"ping","jsonrpc":"2.0"})").messages[0].kind == MessageKind::request);
  CHECK(read_body(R"({"method":"ping","jsonrpc":"2.0"})").messages[0].kind == MessageKind::notification);
  CHECK(read_body(R"({"result":{},"jsonrpc":"2.0","id":1})").messages[0].kind == MessageKind::result);
  CHECK(read_body(R"({"error":{"code":1,"message":"x"},"jsonrpc":"2.0"})").messages[0].kind == MessageKind::error);
  const auto both = read_body(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}})");
  CHECK(both.messages[0].kind == MessageKind::result);
  CHECK(both.messages[0].defects == model::kResultAndError);
  const auto none = read_body(R"({"jsonrpc":"2.0","id":1})");
  CHECK(none.messages[0].kind == MessageKind::invalid);
  CHECK(none.messages[0].defects == model::kNeitherMember);
}

TEST_CASE("an id keeps its JSON type and every digit") {
  const auto id = [](const char* token) {
    return read_body(std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + token + "}");
  };
  CHECK(id("1").messages[0].id.type == IdType::integer);
  CHECK(id("178123456789012345678901").messages[0].id.value == "178123456789012345678901");
  CHECK(id("\"1\"").messages[0].id.type == IdType::string);
  CHECK(id("null").messages[0].id.type == IdType::null);
  CHECK(id("null").messages[0].kind == MessageKind::request);
  CHECK(id("1.5").messages[0].id.type == IdType::fraction);
  CHECK(id("1e3").messages[0].id.type == IdType::fraction);
  CHECK(id("1.0").messages[0].id.type == IdType::fraction);
  CHECK(id("1.0").messages[0].id.value == "1");
  CHECK(id("1.0").messages[0].id.raw == "1.0");
  CHECK(id("true").messages[0].id.type == IdType::other);
  CHECK(id("[]").messages[0].id.type == IdType::other);
  CHECK(id("{}").messages[0].id.type == IdType::other);
  CHECK(id("true").messages[0].id.value != id("{}").messages[0].id.value);
  const auto escaped = id(R"("\u006cab")");
  CHECK(escaped.messages[0].id.value == "lab");
  CHECK(escaped.messages[0].id.raw == R"("\u006cab")");
}

TEST_CASE("an SSE chunk in Python bytes gives its reply, and its ping is counted") {
  const auto read = read_body(
      R"(b'event: message\r\ndata: {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"it\'s \\n caf\xc3\xa9"}],"isError":true}}\r\n\r\n: ping - 1\r\n\r\n')",
      Codec::python_bytes_sse);
  REQUIRE(read.messages.size() == 1);
  CHECK(read.messages[0].kind == MessageKind::result);
  CHECK(read.messages[0].result_keys == (model::kContent | model::kIsErrorTrue));
  CHECK(read.messages[0].defects == 0);
  CHECK(read.messages[0].text == "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"it's \\n caf\xc3\xa9\"}],\"isError\":true}}");
  CHECK(read.outcome.other_events == 1);
}

TEST_CASE("what was read or written at once, printed as one string, holds a message a line") {
  const auto read = read_body(R"("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}\n", 84) = 84)", Codec::json_string);
  REQUIRE(read.messages.size() == 2);
  CHECK(read.messages[0].id.value == "5");
  CHECK(read.messages[1].id.value == "6");
  CHECK(read_body(R"(b'{"jsonrpc":"2.0","id":5,"method":"ping"}\n{"jsonrpc":"2.0","id":6,"method":"ping"}\n')", Codec::python_bytes).messages.size() == 2);
}

TEST_CASE("a result's content digest is that of its texts as they read, whoever escaped what") {
  const auto digest = [](const std::string& content) {
    const auto read = read_body(R"({"jsonrpc":"2.0","id":1,"result":{"content":)" + content + R"(,"isError":false}})");
    return model::content_digest(read.messages.at(0));
  };
  CHECK(digest(R"([{"type":"text","text":"plain"}])") == hash_bytes("plain"));
  CHECK(digest(R"([{"text":"a \u0022b\u0022 \/ \u00e9\n","type":"text"}])") == hash_bytes("a \"b\" / \u00e9\n"));
  CHECK(digest(R"([{"type":"text","text":"a\"b"},{"type":"image","data":"AAAA","mimeType":"x"},{"type":"text","text":"c"}])") == hash_bytes("a\"bc"));
  CHECK(digest(R"([{"type":"text","text":""}])") == hash_bytes(""));
  CHECK(digest(R"([{"type":"image","data":"AAAA","mimeType":"x"}])") == 0);
  CHECK(digest("[]") == 0);
  CHECK(digest(R"({"type":"text","text":"a sampling result"})") == 0);
}

TEST_CASE("a long escaped text has one content digest, in one block or in many") {
  std::string text, escaped, blocks;
  for (int i = 0; i < 3000; ++i) {
    const std::string piece = "row " + std::to_string(i) + " \"x\"\n";
    const std::string as_json = "row " + std::to_string(i) + R"( \"x\"\n)";
    text += piece;
    escaped += as_json;
    blocks += (i == 0 ? "" : ",") + std::string(R"({"type":"text","text":")") + as_json + "\"}";
  }
  const auto digest = [](const std::string& content) {
    const auto read = read_body(R"({"jsonrpc":"2.0","id":1,"result":{"content":[)" + content + "]}}");
    return model::content_digest(read.messages.at(0));
  };
  CHECK(digest(R"({"type":"text","text":")" + escaped + "\"}") == hash_bytes(text));
  CHECK(digest(blocks) == hash_bytes(text));
}

TEST_CASE("structured content and arguments have digests of their own, a cut message has none") {
  const auto result = read_body(R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":[1]}}})");
  CHECK(model::structured_digest(result.messages.at(0)) == hash_bytes(R"({"a":[1]})"));
  const auto call = read_body(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"q":"z"}}})");
  CHECK(call.messages.at(0).arguments_digest == hash_bytes(R"({"q":"z"})"));
  const auto asked = [](const std::string& arguments) { return read_body(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":)" + arguments + "}}").messages.at(0).arguments_digest; };
  CHECK(asked("{ \"q\" :\n\"z\" }") == asked(R"({"q":"z"})"));
  CHECK(asked(R"({"q":"a b"})") != asked(R"({"q":"ab"})"));
  CHECK(asked(R"({"q":"caf\u00e9 \ud83d\ude00 a\/b"})") == asked("{\"q\":\"caf\xc3\xa9 \xf0\x9f\x98\x80 a/b\"}"));
  CHECK(asked(R"({"q":"\u0022,\\"})") == asked(R"({"q":"\",\u005c"})"));
  CHECK(asked(R"({"q":"a\",\"b"})") != asked(R"({"q":"a","b"})"));
  const auto cut = read_body(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}],"structuredContent":{"a")");
  CHECK(model::content_digest(cut.messages.at(0)) == 0);
}

TEST_CASE("an id or name over Limits::id_bytes is told by its head and a digest: one stays itself, two stay two") {
  Limits limits;
  limits.id_bytes = 100;
  const auto told = [&](const std::string& id, const std::string& tool) {
    auto read = read_body(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"tools/call","params":{"name":")" + tool + "\"}}", Codec::json, false, limits);
    REQUIRE(read.messages.size() == 1);
    CHECK(read.outcome.shortened == (id.size() > 100 || tool.size() > 100 ? 1 : 0));
    return std::pair(std::string(read.messages[0].id.value), std::string(read.messages[0].target));
  };
  const std::string longest(100, 'x'), longer(101, 'x'), other = std::string(100, 'x') + "y";
  CHECK(told(longest, longest) == std::pair(longest, longest));
  CHECK(told(longer, "t").first.size() <= 100 + 40);
  CHECK(told(longer, longer) == told(longer, longer));
  CHECK(told(longer, longer).first != told(other, longer).first);
  CHECK(told(longer, longer).second != told(longer, other).second);
}

TEST_CASE("each bound that was reached is an anomaly that names it") {
  Limits limits;
  limits.json_depth = 4;
  limits.batch_messages = 1;
  limits.id_bytes = 8;
  model::AnomalyLog anomalies;
  for (const char* body : {R"({"jsonrpc":"2.0","id":1,"result":{"a":[[[[[1]]]]]}})", R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])",
                           R"({"jsonrpc":"2.0","id":"longer than eight","method":"ping"})"}) {
    note_bounds(read_body(body, Codec::json, false, limits).outcome, {}, anomalies);
  }
  CHECK(anomalies.entries().count("json-too-deep") == 1);
  CHECK(anomalies.entries().count("batch-too-long") == 1);
  CHECK(anomalies.entries().count("id-too-long") == 1);
}

}  // namespace
}  // namespace mcpscan::app
