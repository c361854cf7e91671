#include "session/call_table.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mcpscan;
using model::Call;
using model::CloseReason;
using model::Direction;
using session::CallTable;

namespace {

constexpr Direction kClient = Direction::client_to_server, kServer = Direction::server_to_client;

model::RpcId one{model::IdType::integer, "1", "1"};
model::RpcId one_text{model::IdType::string, "1", "\"1\""};

std::vector<std::uint32_t> open_by_value(CallTable& table, std::string_view value) {
  std::vector<std::uint32_t> handles;
  table.each_open_by_value(kClient, value, [&](Call& call) { return handles.push_back(call.handle), true; });
  return handles;
}

}  // namespace

TEST_CASE("of several open calls with one id the newest is found first, and the others behind it") {
  const Limits limits;
  CallTable table(limits);
  const auto first = table.open(0, kClient, one).handle, second = table.open(0, kClient, one).handle;
  CHECK(table.newest_open(0, kClient, one)->handle == second);
  CHECK(open_by_value(table, "1") == std::vector{second, first});
  table.close(table.at(second), CloseReason::answered, {});
  CHECK(table.newest_open(0, kClient, one)->handle == first);
  CHECK(table.newest_finished(0, kClient, one)->handle == second);
}

TEST_CASE("session, requestor and JSON type are part of a call's identity") {
  const Limits limits;
  CallTable table(limits);
  table.open(0, kClient, one);
  CHECK(table.newest_open(1, kClient, one) == nullptr);
  CHECK(table.newest_open(0, kServer, one) == nullptr);
  CHECK(table.newest_open(0, kClient, one_text) == nullptr);
  REQUIRE(table.other_type_open(0, kClient, one_text) != nullptr);
  CHECK(table.other_type_open(0, kClient, one) == nullptr);
  CHECK(table.other_type_open(1, kClient, one_text) == nullptr);
}

TEST_CASE("a closed call stays readable until finished_calls younger ones are closed; its slot is then used again, clean") {
  Limits limits;
  limits.finished_calls = 1;
  CallTable table(limits);
  Call& first = table.open(0, kClient, one);
  const auto handle = first.handle;
  first.method = "tools/call";
  first.collided = first.maybe_answered = true;
  first.gave_up_at = {5};
  table.close(first, CloseReason::timed_out, {7});
  CHECK(table.newest_finished(0, kClient, one)->closed == CloseReason::timed_out);
  table.close(table.open(1, kClient, one), CloseReason::answered, {});
  CHECK(table.newest_finished(0, kClient, one) == nullptr);
  const Call& again = table.open(2, kServer, one_text);
  CHECK(again.handle == handle);
  CHECK(again.method.empty());
  CHECK_FALSE(again.collided);
  CHECK_FALSE(again.maybe_answered);
  CHECK_FALSE(again.gave_up_at.known());
  CHECK(again.closed == CloseReason::open);
}

TEST_CASE("the oldest open call is found whatever was closed between, and full() counts open ones only") {
  Limits limits;
  limits.calls_in_flight = 3;
  CallTable table(limits);
  std::vector<std::uint32_t> handles;
  for (int i = 0; i < 3; ++i) handles.push_back(table.open(0, kClient, one).handle);
  CHECK(table.full());
  table.close(table.at(handles[1]), CloseReason::answered, {});
  CHECK_FALSE(table.full());
  CHECK(table.oldest_open() == handles[0]);
  table.close(table.at(handles[0]), CloseReason::answered, {});
  CHECK(table.oldest_open() == handles[2]);
  table.close(table.at(handles[2]), CloseReason::answered, {});
  CHECK(table.oldest_open() == session::kNoCall);
}

TEST_CASE("one call that stays open does not hide which is the oldest, however many come and go after it") {
  Limits limits;
  limits.finished_calls = 2;
  CallTable table(limits);
  const auto oldest = table.open(0, kClient, one).handle;
  for (int i = 0; i < 100; ++i) table.close(table.open(1, kClient, one), CloseReason::answered, {});
  CHECK(table.oldest_open() == oldest);
  table.close(table.at(oldest), CloseReason::answered, {});
  CHECK(table.oldest_open() == session::kNoCall);
}

TEST_CASE("a moved call is found in its new session only, by value as before") {
  const Limits limits;
  CallTable table(limits);
  Call& call = table.open(0, kClient, one);
  table.open(0, kClient, one);
  table.move(call, 5);
  CHECK(table.newest_open(5, kClient, one) == &call);
  CHECK(table.newest_open(0, kClient, one) != &call);
  CHECK(open_by_value(table, "1").size() == 2);
}

TEST_CASE("at most same_id_calls calls of one id are looked at") {
  Limits limits;
  limits.same_id_calls = 2;
  CallTable table(limits);
  for (int i = 0; i < 3; ++i) table.open(0, kClient, one);
  CHECK(open_by_value(table, "1").size() == 2);
}

TEST_CASE("finished calls are visited newest first, those with that id only") {
  const Limits limits;
  CallTable table(limits);
  for (std::uint32_t session = 0; session < 3; ++session) table.close(table.open(session, kClient, one), CloseReason::answered, {});
  table.close(table.open(9, kClient, {model::IdType::integer, "2", "2"}), CloseReason::answered, {});
  std::vector<std::uint32_t> sessions;
  table.each_finished_by_value(kClient, "1", [&](Call& call) { return sessions.push_back(call.session), sessions.size() < 2; });
  CHECK(sessions == std::vector<std::uint32_t>{2, 1});
}

TEST_CASE("a call closed long ago is found by its identity and by its reference, under another handle") {
  const Limits limits;
  CallTable table(limits);
  Call& first = table.open(0, kClient, one);
  first.method = "tools/call";
  const session::CallRef reference = table.ref(first);
  table.close(first, CloseReason::timed_out, {7});
  for (int i = 2; i < 3000; ++i) {
    const std::string id = std::to_string(i);
    table.close(table.open(0, kClient, {model::IdType::integer, id, id}), CloseReason::answered, {});
  }
  Call* const found = table.newest_finished(0, kClient, one);
  REQUIRE(found != nullptr);
  CHECK(found->method == "tools/call");
  CHECK(found->closed == CloseReason::timed_out);
  CHECK(&table.at(found->handle) == found);
  CHECK(table.find(reference) == found);
  found->replies = 3;
  table.close(table.open(0, kClient, one_text), CloseReason::answered, {});
  const Call* const again = table.find(reference);
  REQUIRE(again != nullptr);
  CHECK(again->replies == 3);
  CHECK(table.newest_finished(1, kClient, one) == nullptr);
  CHECK(table.newest_open(0, kClient, one) == nullptr);
}

TEST_CASE("a call brought back is older than a younger one of its id") {
  const Limits limits;
  CallTable table(limits);
  Call& first = table.open(0, kClient, one);
  const session::CallRef reference = table.ref(first);
  table.close(first, CloseReason::sent_again, {});
  for (int i = 2; i < 2000; ++i) {
    const std::string id = std::to_string(i);
    table.close(table.open(0, kClient, {model::IdType::integer, id, id}), CloseReason::answered, {});
  }
  Call& second = table.open(0, kClient, one);
  REQUIRE(table.find(reference) != nullptr);
  CHECK(table.newest_open(0, kClient, one) == &second);
  table.close(second, CloseReason::answered, {});
  CHECK(table.newest_finished(0, kClient, one) == &second);
  REQUIRE(table.sent_again(0, kClient, one) != nullptr);
  CHECK(table.sent_again(0, kClient, one)->number == reference.number);
}

TEST_CASE("what a call was asked with is kept where the head of its record ends before that") {
  const Limits limits;
  CallTable table(limits);
  const std::string message = R"({"id":1,"method":"tools/call","params":{"name":"a","arguments":{"q":"umber-3808"}}})";
  Call& brief = table.open(0, kClient, one);
  brief.head = message;
  table.keep_asked(brief, message);
  CHECK(table.asked(brief) == message);
  Call& cut = table.open(0, kClient, one_text);
  cut.head.assign(limits.evidence_text_bytes, '-');
  table.keep_asked(cut, message);
  CHECK(table.asked(cut) == R"("arguments":{"q":"umber-3808"}}})");
}
