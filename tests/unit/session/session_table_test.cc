#include "session/session_table.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mcpscan;
using model::SessionKeying;
using session::SessionState;
using session::SessionTable;

namespace {

constexpr SessionKeying kHeader = SessionKeying::mcp_session_id;

}  // namespace

TEST_CASE("a session id is the same with or without dashes and in either case; short and other ids are taken as they stand") {
  CHECK(session::normalise_session_id("0B48A2F0-11EC-4C1e-9c1e-0242ac120002") == "0b48a2f011ec4c1e9c1e0242ac120002");
  CHECK(session::normalise_session_id("AB-CD") == "AB-CD");
  CHECK(session::normalise_session_id("session-Deadbeef-00000000") == "session-Deadbeef-00000000");
  CHECK(session::normalise_session_id("").empty());
}

TEST_CASE("one id at two servers is two sessions, one id spelled in two ways is one") {
  const Limits limits;
  SessionTable table(limits);
  bool created = false;
  SessionState& first = table.named("0b48a2f0-11ec-4c1e-9c1e-0242ac120002", "a:1", kHeader, created);
  CHECK(created);
  table.named("0b48a2f0-11ec-4c1e-9c1e-0242ac120002", "b:1", kHeader, created);
  CHECK(created);
  CHECK(&table.named("0B48A2F011EC4C1E9C1E0242AC120002", "a:1", kHeader, created) == &first);
  CHECK_FALSE(created);
  CHECK(first.session.id == "0b48a2f0-11ec-4c1e-9c1e-0242ac120002");
  CHECK(table.size() == 2);
}

TEST_CASE("a removed session is not found any more, not even as the one looked up last") {
  const Limits limits;
  SessionTable table(limits);
  bool created = false;
  SessionState& first = table.named("s1", {}, kHeader, created);
  const auto index = first.session.index;
  table.remove(first);
  CHECK_FALSE(table.alive(index));
  CHECK(table.find("s1", {}) == nullptr);
  const SessionState& again = table.named("s1", {}, kHeader, created);
  CHECK(created);
  CHECK(again.session.index != index);
}

TEST_CASE("a session without an id gets one later, unless another session has it") {
  const Limits limits;
  SessionTable table(limits);
  bool created = false;
  SessionState& pending = table.unnamed("log#1", SessionKeying::source, created);
  pending.pending = true;
  CHECK(table.give_id(pending, "s1", {}, kHeader));
  CHECK_FALSE(pending.pending);
  CHECK(table.find("s1", {}) == &pending);
  CHECK(pending.session.label == "s1");
  SessionState& other = table.unnamed("log#2", SessionKeying::source, created);
  CHECK_FALSE(table.give_id(other, "s1", {}, kHeader));
}

TEST_CASE("a process names its session by its label and has no session id") {
  const Limits limits;
  SessionTable table(limits);
  bool created = false;
  const SessionState& state = table.named("stdio:files", {}, SessionKeying::process, created);
  CHECK(state.session.id.empty());
  CHECK(state.session.label == "stdio:files");
}

TEST_CASE("when sessions is reached a tenth goes, the longest silent ones first, and never none") {
  Limits limits;
  limits.sessions = 20;
  SessionTable table(limits);
  bool created = false;
  for (int i = 0; i < 20; ++i) table.named("s" + std::to_string(i), {}, kHeader, created);
  CHECK(table.crowded());
  table.named("s0", {}, kHeader, created);
  std::vector<std::string> gone;
  table.retire_oldest([&](SessionState& state) { gone.push_back(state.session.id); });
  CHECK(gone == std::vector<std::string>{"s1", "s2"});
  CHECK(table.size() == 18);
  Limits tight;
  tight.sessions = 1;
  SessionTable small(tight);
  small.named("s0", {}, kHeader, created);
  small.retire_oldest([&](SessionState& state) { gone.push_back(state.session.id); });
  CHECK(gone.back() == "s0");
  CHECK(small.size() == 0);
}

TEST_CASE("each() visits living sessions in the order of their first appearance") {
  const Limits limits;
  SessionTable table(limits);
  bool created = false;
  for (const char* id : {"c", "a", "b"}) table.named(id, {}, kHeader, created);
  table.remove(*table.find("a", {}));
  std::string order;
  table.each([&](SessionState& state) { order += state.session.id; });
  CHECK(order == "cb");
}

TEST_CASE("a session that goes by a name is found by its id as well, and by neither once it is removed") {
  const Limits limits;
  SessionTable table(limits);
  bool created = false;
  SessionState& named = table.named("a17e55d0", {}, SessionKeying::process, created);
  CHECK(table.also_named(named, "0B48A2F0-11EC-4C1E-9C1E-0242AC120002", kHeader));
  CHECK(table.find("0b48a2f011ec4c1e9c1e0242ac120002", {}) == &named);
  CHECK(&table.named("a17e55d0", {}, SessionKeying::process, created) == &named);
  CHECK(named.session.label == "0B48A2F0-11EC-4C1E-9C1E-0242AC120002");
  SessionState& other = table.named("b", {}, SessionKeying::process, created);
  CHECK_FALSE(table.also_named(other, "0b48a2f011ec4c1e9c1e0242ac120002", kHeader));
  table.remove(named);
  CHECK(table.find("0b48a2f011ec4c1e9c1e0242ac120002", {}) == nullptr);
  CHECK(table.find("a17e55d0", {}) == nullptr);
}
