#include <catch2/catch.hpp>

#include "session/argument_echo.h"

using namespace mcpscan::session;

namespace {

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  argument_tokens(text, tokens);
  return tokens;
}

}  // namespace

TEST_CASE("the values of the arguments are taken, their keys and short words are not") {
  const auto tokens = tokens_of(R"({"method":"tools/call","params":{"name":"update","arguments":{"event_id":"ev-5","state":"open","path":"/srv/a b.txt","nested":{"list":["amber-5999"]},"n":1234567,"flag":true},"_meta":{"progressToken":"zzzzzz"}}})");
  CHECK(tokens == std::vector<std::string>{"ev-5", "/srv/a b.txt", "amber-5999", "1234567"});
}

TEST_CASE("what escapes could change is left out, and a cut text gives what it shows") {
  CHECK(tokens_of(R"({"arguments":{"q":"north-west \"quoted\" x"}})") == std::vector<std::string>{"north-west "});
  CHECK(tokens_of(R"({"arguments":{"q":"harbor-1)") == std::vector<std::string>{"harbor-1"});
  CHECK(tokens_of(R"({"params":{"name":"no arguments"}})").empty());
}

TEST_CASE("a token stands in a text as a word of its own only") {
  CHECK(stands_in("ev-5", R"({\"event_id\":\"ev-5\"})"));
  CHECK(stands_in("ev-5", R"(line\nev-5)"));
  CHECK_FALSE(stands_in("ev-5", "ev-51"));
  CHECK_FALSE(stands_in("ev-5", "prev-5"));
  CHECK(stands_in("orders-77-7", "orders-77-70 and orders-77-7"));
  CHECK(stands_in("7-7", "7-7"));
  CHECK_FALSE(stands_in("orders-77-7", "orders-77-"));
  CHECK_FALSE(stands_in("", "anything"));
}
