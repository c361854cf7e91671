// What is replaced in a shared bundle and what stays, in every form that payloads have.
#include <catch2/catch.hpp>

#include "extract/base64.h"
#include "extract/leak_check.h"
#include "extract/share_sink.h"
#include "extract/share_text.h"

using namespace mcpscan;
using namespace mcpscan::extract;

namespace {

constexpr std::string_view kSession = "4d1f8c2e9a7b40d6b1c3e5f708192a3b";

ShareText knowing() {
  static const Limits kLimits;
  ShareText text(kLimits);
  text.know(kSession);
  text.know("gw.atrium.example");
  text.keep("read_ledger");
  return text;
}

}  // namespace

TEST_CASE("Payload words get stand-ins of the same length, the same ones each time; the protocol's own words, tools and members stay") {
  ShareText text = knowing();
  const std::string shared = text.payload(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_ledger","arguments":{"owner":"Mallory","note":"owes Mallory 12.50"}}})");
  CHECK(shared == R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_ledger","arguments":{"owner":"Aaaaaab","note":"aaab Aaaaaab 12.50"}}})");
}

TEST_CASE("What a client itself says of a call stays, so that a shared transcript still tells that it gave up; what stands around it does not") {
  ShareText text = knowing();
  const std::string shared = text.payload(R"({"type":"tool_result","content":"Ledger of Mallory: Tool call timed out waiting for server response"})");
  CHECK(shared.find("timed out waiting for server response") != std::string::npos);
  CHECK(shared.find("Mallory") == std::string::npos);
  CHECK(text.payload(R"({"content":"MCP error -32001: Request timed out"})") == R"({"content":"MCP error -32001: Request timed out"})");
}

TEST_CASE("Python's and escaped forms of one payload are replaced alike, so that echoes and equal texts stay equal") {
  ShareText text = knowing();
  CHECK(text.payload(R"({"ref":"cedar\ngrove"})") == R"({"ref":"aaaab\naaaac"})");
  CHECK(text.payload(R"(b'data: {"ref": "cedar\\ngrove"}\r\n')") == R"(b'data: {"ref": "aaaab\\naaaac"}\r\n')");
  CHECK(text.payload(R"("{\"ref\":\"cedar\"}")") == R"("{\"ref\":\"aaaab\"}")");
}

TEST_CASE("Letters beyond ASCII are replaced one by one, written as themselves or escaped") {
  ShareText text = knowing();
  const std::string plain = text.payload("\"\xe6\x9d\xb1\xe4\xba\xac\"");
  CHECK(plain.size() == 8);
  CHECK(plain.find("\xe6\x9d\xb1") == std::string::npos);
  CHECK(text.payload("\"\\u6771\\u4eac\"") == "\"\\u4e00\\u4e01\"");
  CHECK(plain == "\"\xe4\xb8\x80\xe4\xb8\x81\"");
}

TEST_CASE("Long numbers are replaced and stay numbers; times, measures, error codes and JSON-RPC ids stay") {
  ShareText text = knowing();
  text.keep("90210");
  CHECK(text.payload(R"({"id":90210,"account":4012888888})") == R"({"id":90210,"account":4000000001})");
  CHECK(text.payload(R"({"code":-32600,"at":"2026-11-28T08:13:23.104455Z","durationMs":61234,"x":0.123456})") ==
        R"({"code":-32600,"at":"2026-11-28T08:13:23.104455Z","durationMs":61234,"x":0.123456})");
}

TEST_CASE("In a log's prose only names and words met in a payload are replaced, never those of its grammar") {
  ShareText text = knowing();
  text.keep_in_prose("Request stream {key} not found");
  text.payload(R"({"note":"stream Mallory"})");
  CHECK(text.prose("Request stream 1 not found for Mallory") == "Request stream 1 not found for Aaaaaab");
  CHECK(text.prose("session 4d1f8c2e9a7b40d6b1c3e5f708192a3b from 10.20.30.40 at gw.atrium.example").find("4d1f") == std::string::npos);
}

TEST_CASE("Behind a body the log's prose goes on") {
  ShareText text = knowing();
  CHECK(text.record(R"(--> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"cedar"}} took some time)") ==
        R"(--> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"aaaab"}} took some time)");
}

TEST_CASE("A bearer token is replaced as one, whatever its letters are") {
  ShareText text = knowing();
  const std::string shared = text.payload(R"({"headers":"Bearer a1.b2-c3.d4=="})");
  CHECK(shared.find("b2-c3") == std::string::npos);
  CHECK(text.payload(R"({"again":"a1.b2-c3.d4=="})").find("b2-c3") == std::string::npos);
}

TEST_CASE("A curl command stays one, also where its client calls itself so; who it logs in as does not") {
  struct Kept final : PartSink {
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
  };
  ShareText text = knowing();
  text.payload(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"curl"}}})");
  Kept kept;
  ShareSink sink(text, ShareForm::http_dump, kept);
  sink.write("$ curl -i -u mallory:sesame http://gw.atrium.example/mcp -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'\nHTTP/1.1 200 OK\n");
  CHECK(kept.text.starts_with("$ curl -i -u "));
  CHECK(kept.text.find("mallory") == std::string::npos);
  CHECK(kept.text.find("sesame") == std::string::npos);
  CHECK(kept.text.find("\"method\":\"ping\"}'\nHTTP/1.1 200 OK\n") != std::string::npos);
}

TEST_CASE("What the first pass met is known from the beginning of the second") {
  ShareText text = knowing();
  CHECK(text.prose("peer plum-host says hello").find("plum-host") != std::string::npos);
  text.prose("hostname: plum-host");
  text.begin_second_pass();
  CHECK(text.prose("peer plum-host says hello").find("plum-host") == std::string::npos);
}

TEST_CASE("A document's own numbers stay, the texts in its strings do not") {
  ShareText text = knowing();
  CHECK(text.document(R"({"name":"Mcp-Protocol-Version"})") == R"({"name":"Mcp-Protocol-Version"})");
  CHECK(text.document(R"({"name":"Mcp-Session-Id","value":"POST"})") == R"({"name":"Mcp-Session-Id","value":"POST"})");
  CHECK(text.document(R"({"time":123456,"text":"{\"ref\":\"cedar\",\"n\":1234567}"})") == R"({"time":123456,"text":"{\"ref\":\"aaaab\",\"n\":1000001}"})");
}

TEST_CASE("A body in base64 is read before its words are replaced") {
  ShareText text = knowing();
  const std::string entry = R"({"content":{"encoding":"base64","text":")" + encode_base64(R"({"jsonrpc":"2.0","id":1,"result":{"x":"cedar"}})") + R"("}})";
  const std::string shared = share_har_entry(text, entry);
  CHECK(shared == R"({"content":{"encoding":"base64","text":")" + encode_base64(R"({"jsonrpc":"2.0","id":1,"result":{"x":"aaaab"}})") + R"("}})");
}

TEST_CASE("More different values than share_values make a text full") {
  Limits limits;
  limits.share_values = 2;
  ShareText text(limits);
  text.payload("cedar grove");
  CHECK_FALSE(text.full());
  text.payload("willow");
  CHECK(text.full());
}

TEST_CASE("A value is looked for plain, URL-encoded and in base64 at every alignment") {
  const auto forms = forms_of("a+b/c.example");
  CHECK(forms[1] == "a%2Bb%2Fc.example");
  for (std::size_t before = 0; before < 3; ++before) {
    const std::string hidden = encode_base64(std::string(before, 'x') + "a+b/c.example and more");
    CHECK(std::any_of(forms.begin(), forms.end(), [&](const std::string& form) { return hidden.find(form) != std::string::npos; }));
  }
}

TEST_CASE("Base64 reads what it wrote") {
  for (const std::string text : {"", "a", "ab", "abc", "\xff\x00\x10"}) CHECK(decode_base64(encode_base64(text)) == text);
  CHECK_FALSE(decode_base64("no base64!"));
}
