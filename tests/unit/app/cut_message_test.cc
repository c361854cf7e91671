// What is left of a message that a logger cut before it came to the word that tells it.
#include "app/cut_message.h"

#include <catch2/catch.hpp>

using mcpscan::app::holds_cut_message;

namespace {

bool is_cut(std::string_view text) { return holds_cut_message(text, 64); }

}  // namespace

TEST_CASE("a reply or request that breaks off before its protocol and id, in each of the forms that logs write") {
  CHECK(is_cut(R"(sent {"result":{"content":[{"type":"text","text":"abc)"));
  CHECK(is_cut(R"(sent {"result":{"content":[{"type":"text","text":"{\"a\":1})"));
  CHECK(is_cut(R"(body="{\"result\":{\"content\":[{\"type)"));
  CHECK(is_cut(R"(chunk: b'event: message\r\ndata: {"result":{"content":[{"text":"abc)"));
  CHECK(is_cut("{ result: { content: [ { type: 'text', text: 'abc"));
  CHECK(is_cut(R"({"error":{"code":-32602,"mess)"));
  CHECK(is_cut(R"({"method":"tools/call","params":{"name":"a","argum)"));
}

TEST_CASE("whole texts, and texts of others, are no cut messages") {
  CHECK_FALSE(is_cut(R"(sent {"result":{"content":[]}} in 5 ms)"));
  CHECK_FALSE(is_cut(R"(body="{\"result\":{\"content\":[]}}")"));
  CHECK_FALSE(is_cut(R"({"result":"ok","took":5)"));
  CHECK_FALSE(is_cut(R"({"method":"POST","path":"/mcp)"));
  CHECK_FALSE(is_cut("nothing of the kind {"));
  CHECK_FALSE(is_cut(""));
}
