#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "report/redact.h"

using mcpscan::report::mask_secrets;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

void check(const Pairs& pairs) {
  for (const auto& [text, masked] : pairs) {
    CHECK(mask_secrets(text) == masked);
    CHECK(mask_secrets(mask_secrets(text)) == mask_secrets(text));
  }
}

const std::string kJwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";

}  // namespace

TEST_CASE("Authorization values are masked in headers, JSON and Python, the scheme stays") {
  check({{"Authorization: Bearer abc.def-123", "Authorization: Bearer ***"},
         {"authorization: Basic dXNlcjpwYXNz\r\nAccept: x", "authorization: Basic ***\r\nAccept: x"},
         {"Proxy-Authorization: opaque", "Proxy-Authorization: ***"},
         {R"({"authorization":"Bearer abc","x":1})", R"({"authorization":"Bearer ***","x":1})"},
         {R"({"Authorization":["Bearer abc","Basic d"],"Cookie":["a=1"]})", R"({"Authorization":["Bearer ***","Basic ***"],"Cookie":["***"]})"},
         {"{'authorization': 'Bearer abc', 'host': 'x'}", "{'authorization': 'Bearer ***', 'host': 'x'}"},
         {"(b'authorization', b'Bearer abc'), (b'host', b'x')", "(b'authorization', b'Bearer ***'), (b'host', b'x')"},
         {R"("{\"authorization\": \"Bearer abc\", \"n\": 1}")", R"("{\"authorization\": \"Bearer ***\", \"n\": 1}")"},
         {"Authorization: Digest username=\"u\", response=\"6629f\"\nnext", "Authorization: Digest ***\nnext"}});
}

TEST_CASE("Bearer tokens are masked anywhere, challenges and sentences are not") {
  check({{"token was Bearer abc123== ok", "token was Bearer *** ok"},
         {"bearer x", "bearer ***"},
         {"WWW-Authenticate: Bearer realm=\"mcp\", error=\"invalid_token\"", "WWW-Authenticate: Bearer realm=\"mcp\", error=\"invalid_token\""},
         {"Bearer token missing", "Bearer token missing"},
         {"Bearer authentication required", "Bearer authentication required"}});
}

TEST_CASE("cookies are masked to the end of their line or quote") {
  check({{"Cookie: sid=abc; theme=dark\nHost: x", "Cookie: ***\nHost: x"},
         {"set-cookie: a=b; HttpOnly", "set-cookie: ***"},
         {R"({"cookie":"a=b; c=d","n":1})", R"({"cookie":"***","n":1})"}});
}

TEST_CASE("keys, passwords and secrets are masked by their name") {
  check({{"x-api-key: 0123", "x-api-key: ***"},
         {"OPENAI_API_KEY=zzz next", "OPENAI_API_KEY=*** next"},
         {"password=hunter2, user=bob", "password=***, user=bob"},
         {"password=a,b)c rest", "password=*** rest"},
         {R"({"clientSecret": "s", "refresh_token":"r"})", R"({"clientSecret": "***", "refresh_token":"***"})"},
         {"api_key=null", "api_key=null"},
         {"{\"password\": \"has \\\" quote\", \"n\": 1}", "{\"password\": \"***\", \"n\": 1}"}});
}

TEST_CASE("URL parameters and passwords in URLs are masked, the rest of the URL stays") {
  check({{"GET /mcp?token=abc&x=1 HTTP/1.1", "GET /mcp?token=***&x=1 HTTP/1.1"},
         {"GET /sse?a=1&access_token=abc HTTP/1.1", "GET /sse?a=1&access_token=*** HTTP/1.1"},
         {"/mcp?api_key=abc\"", "/mcp?api_key=***\""},
         {"redirect=%2Fx?token%3Dabc", "redirect=%2Fx?token%3D***"},
         {"https://bob:pa55@host/mcp", "https://bob:***@host/mcp"},
         {"https://host:8080/mcp?a=b@c", "https://host:8080/mcp?a=b@c"}});
}

TEST_CASE("JWTs and vendor keys are masked without any name beside them, also where the text is cut") {
  check({{"got " + kJwt + " here", "got *** here"},
         {"cut " + kJwt.substr(0, 14), "cut ***"},
         {"key sk-test-aaaabbbbccccdddd used", "key *** used"},
         {"cut ghp_abcd", "cut ***"},
         {"AKIAIOSFODNN7EXAMPLE", "***"}});
}

TEST_CASE("session ids are shown, even one that looks like a token") {
  check({{"mcp-session-id: 9f2c4e1ab7d84c0f", "mcp-session-id: 9f2c4e1ab7d84c0f"},
         {"Mcp-Session-Id: " + kJwt, "Mcp-Session-Id: " + kJwt},
         {"/messages?sessionId=abc123&token=s", "/messages?sessionId=abc123&token=***"},
         {R"({"session_id": "eyJhbGciOiJIUzI1NiJ9x"})", R"({"session_id": "eyJhbGciOiJIUzI1NiJ9x"})"}});
}

TEST_CASE("ordinary protocol text is left alone") {
  check({{R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":7}}})",
          R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":7}}})"},
         {"Unexpected token: '<' in JSON at position 0", "Unexpected token: '<' in JSON at position 0"},
         {"max_tokens=4096 key=value code: -32001", "max_tokens=4096 key=value code: -32001"},
         {"eyJ", "eyJ"},
         {"password%3D", "password%3D"},
         {"token=", "token="},
         {"authorization: [", "authorization: ["},
         {"", ""}});
}

TEST_CASE("a long text of nothing but quotes and names is masked in one pass") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "\"password\":\"";
  CHECK(mask_secrets(text).size() <= text.size());
  CHECK(mask_secrets(std::string(1 << 20, 'e')).size() == 1 << 20);
}
