#include "session/closed_calls.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;
using model::Call;
using model::CloseReason;
using session::ClosedCalls;

namespace {

Call call_of(std::uint64_t number) {
  Call call;
  call.number = number;
  call.session = 7;
  call.id = model::OwnedId({model::IdType::string, "x", "\"x\""});
  call.method = "tools/call";
  call.target = "tool " + std::to_string(number);
  call.head = "{\"quoted\":" + std::to_string(number) + "}";
  call.progress_token = model::OwnedId({model::IdType::integer, "5", "5"});
  call.taken_by_method = "ping";
  call.taken_by_target = "other";
  call.replied_at = {static_cast<std::int64_t>(number) * 10};
  call.source = {1, model::PlaceKind::line, number, 99};
  call.closed = CloseReason::timed_out;
  call.untaken = model::Untaken::rejected;
  return call;
}

std::uint64_t number_taken(ClosedCalls& calls, std::uint64_t identity) {
  Call call;
  return calls.take(identity, [](const Call&) { return true; }, call) ? call.number : 0;
}

}  // namespace

TEST_CASE("a call that was put away comes back as it was, once") {
  ClosedCalls calls(10);
  calls.keep(1, call_of(3));
  Call back = call_of(8);
  REQUIRE(calls.take(1, [](const Call&) { return true; }, back));
  CHECK(back.number == 3);
  CHECK(back.session == 7);
  CHECK(back.id.view() == model::RpcId{model::IdType::string, "x", "\"x\""});
  CHECK(back.id.raw == "\"x\"");
  CHECK(back.method == "tools/call");
  CHECK(back.target == "tool 3");
  CHECK(back.head == "{\"quoted\":3}");
  CHECK(back.progress_token.type == model::IdType::integer);
  CHECK(back.progress_token.value == "5");
  CHECK(back.taken_by_method == "ping");
  CHECK(back.taken_by_target == "other");
  CHECK(back.replied_at.us == 30);
  CHECK(back.source.number == 3);
  CHECK(back.source.offset == 99);
  CHECK(back.closed == CloseReason::timed_out);
  CHECK(back.untaken == model::Untaken::rejected);
  CHECK(number_taken(calls, 1) == 0);
}

TEST_CASE("of the calls of one hash the one put away last comes first, of those that are wanted") {
  ClosedCalls calls(100);
  for (std::uint64_t number = 1; number <= 4; ++number) calls.keep(number == 3 ? 2 : 1, call_of(number));
  Call call;
  REQUIRE(calls.take(1, [](const Call& each) { return each.number < 4; }, call));
  CHECK(call.number == 2);
  CHECK(number_taken(calls, 1) == 4);
  CHECK(number_taken(calls, 1) == 1);
  CHECK(number_taken(calls, 1) == 0);
  CHECK(number_taken(calls, 2) == 3);
}

TEST_CASE("calls whose hashes fall into one place are told apart") {
  ClosedCalls calls(100);
  const std::uint64_t apart = std::uint64_t{1} << 20;  // the same place
  for (std::uint64_t i = 0; i < 20; ++i) calls.keep(5 + i * apart, call_of(i + 1));
  for (std::uint64_t i = 0; i < 20; ++i) CHECK(number_taken(calls, 5 + i * apart) == i + 1);
}

TEST_CASE("the oldest are forgotten, never more than the bound are kept, and never much fewer") {
  constexpr std::size_t kMost = 10'000;
  ClosedCalls calls(kMost);
  for (std::uint64_t number = 1; number <= 50'000; ++number) {
    calls.keep(number * 0x9e3779b97f4a7c15ull, call_of(number));
    CHECK(calls.size() <= kMost);
  }
  CHECK(calls.size() > kMost - 4096);
  CHECK(number_taken(calls, 50'000 * 0x9e3779b97f4a7c15ull) == 50'000);
  CHECK(number_taken(calls, 45'000 * 0x9e3779b97f4a7c15ull) == 45'000);
  CHECK(number_taken(calls, 1 * 0x9e3779b97f4a7c15ull) == 0);
}

TEST_CASE("a bound of none keeps none") {
  ClosedCalls calls(0);
  calls.keep(1, call_of(1));
  CHECK(calls.size() == 0);
  CHECK(number_taken(calls, 1) == 0);
}
