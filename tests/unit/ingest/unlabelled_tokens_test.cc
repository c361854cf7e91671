// Ids before messages that no word names: of sessions, or of requests and traces.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

#include "ingest/text/unlabelled_tokens.h"

using namespace mcpscan::ingest;

namespace {

constexpr const char *kOne = "0b0e6f4e-1111-4222-8333-444455556666", *kOther = "7c1d9a2b-aaaa-4bbb-8ccc-0123456789ab";

std::string asks(const std::string& token, int id, const char* method = "tools/call") { return fmt::format(R"([{}] <- {{"jsonrpc":"2.0","id":{},"method":"{}"}})", token, id, method); }
std::string answers(const std::string& token, int id) { return fmt::format(R"([{}] -> {{"jsonrpc":"2.0","id":{},"result":{{}}}})", token, id); }

UnlabelledTokens two_clients(const std::string& one, const std::string& other) {
  UnlabelledTokens tokens;
  for (int id = 1; id < 4; ++id) {
    for (const std::string& token : {one, other}) tokens.take(asks(token, id));
    for (const std::string& token : {one, other}) tokens.take(answers(token, id));
  }
  return tokens;
}

}  // namespace

TEST_CASE("ids that have several requests each, and their answers, are those of sessions") {
  CHECK(two_clients(kOne, kOther).are_sessions());
  CHECK(two_clients("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210").are_sessions());
}

TEST_CASE("one id on all messages parts nothing, and a name or number is no id") {
  CHECK_FALSE(two_clients(kOne, kOne).are_sessions());
  CHECK_FALSE(two_clients("worker-1", "worker-2").are_sessions());
}

TEST_CASE("an id for each request is a request's or trace's") {
  UnlabelledTokens tokens;
  for (int id = 1; id < 6; ++id) {
    const std::string token = fmt::format("0b0e6f4e-1111-4222-8333-44445555666{}", id);
    tokens.take(asks(token, id));
    tokens.take(answers(token, id));
  }
  CHECK_FALSE(tokens.are_sessions());
}

TEST_CASE("ids whose requests are answered beside others are not sessions'") {
  UnlabelledTokens tokens = two_clients(kOne, kOther);
  for (int id = 4; id < 8; ++id) tokens.take(asks(kOne, id)), tokens.take(answers(kOther, id));
  CHECK_FALSE(tokens.are_sessions());
}

TEST_CASE("traces of an agent's turns, of which only one begins a session, are not sessions'") {
  UnlabelledTokens tokens = two_clients(kOne, kOther);
  tokens.take(asks("11111111-1111-4222-8333-444455556666", 0, "initialize"));
  CHECK_FALSE(tokens.are_sessions());
}

TEST_CASE("ids under which sessions begin again and again are a client's or tenant's") {
  UnlabelledTokens tokens;
  for (int round = 0; round < 2; ++round) {
    for (int id = 0; id < 4; ++id) {
      for (const std::string token : {kOne, kOther}) tokens.take(asks(token, id, id == 0 ? "initialize" : "tools/call")), tokens.take(answers(token, id));
    }
    CHECK(tokens.are_sessions() == (round == 0));
  }
}

TEST_CASE("an id that a word names as something else is not looked at") {
  for (const char* before : {"trace_id={} ", "client_id: {} ", "Tenant [{}] ", "request {} ", "user=\"{}\" "}) {
    INFO(before);
    CHECK(opaque_word_in(fmt::format(fmt::runtime(before), kOne)).empty());
  }
  CHECK(opaque_word_in(fmt::format("trace={} server: [{}] ", kOther, kOne)) == kOne);
}

TEST_CASE("an id that begins with a letter may have been taken for the logger's name") {
  CHECK(token_of("<- ", "c0ffee00-cccc-4ccc-8ccc-0123456789ab") == "c0ffee00-cccc-4ccc-8ccc-0123456789ab");
  CHECK(token_of("<- ", "mcp.server").empty());
}

TEST_CASE("of two ids before a message it is not told which is meant") {
  CHECK(opaque_word_in(fmt::format("INFO ({}): recv ", kOne)) == kOne);
  CHECK(opaque_word_in(fmt::format("{} [{}] recv ", kOther, kOne)).empty());
  CHECK(opaque_word_in("2026-11-29T16:35:00.000Z INFO recv ").empty());
}
