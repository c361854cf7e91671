// Replies that strayed between sessions are told where the tool's own habit makes them strange, and not otherwise.
#include "engine/session_swaps.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace mcpscan;
using engine::AnsweredCall;
using engine::SessionSwaps;

namespace {

struct Kept : model::FindingSink {
  void add(model::FindingDraft draft) override { drafts.push_back(std::move(draft)); }
  std::vector<model::FindingDraft> drafts;
};

AnsweredCall call(std::uint32_t handle, std::uint32_t session, const char* argument, double from, double to) {
  AnsweredCall made;
  made.handle = handle;
  made.session_index = session;
  made.session = "s" + std::to_string(session);
  made.call.tool = "lookup";
  made.text = argument;
  made.tokens = {argument};
  made.parsed = true;
  made.tool = 7;
  made.digest = handle;
  made.requested = made.call.requested_at = Time{static_cast<std::int64_t>(from * 1e6)};
  made.ended = made.replied = Time{static_cast<std::int64_t>(to * 1e6)};
  made.answered = true;
  return made;
}

// A tool that has repeated its argument twenty times, and one reply that repeats another session's, whose call got none.
std::vector<model::FindingDraft> after_a_stray(bool repeating_tool) {
  engine::ShapeBook shapes;
  engine::EchoHabits habits;
  SessionSwaps swaps(shapes, habits);
  Kept kept;
  for (std::uint32_t i = 0; i < 20; ++i) habits.note(call(i, 1, "amber-5999", 0, 0), repeating_tool);
  AnsweredCall lost = call(100, 1, "quartz-6202", 1, 61), stray = call(101, 2, "valley-4335", 2, 3);
  lost.answered = false;
  habits.note(stray, false);
  swaps.take_stranger(stray, "about quartz-6202", kept);
  swaps.lose(lost, kept);
  return kept.drafts;
}

}  // namespace

TEST_CASE("a reply that a repeating tool gave to another session's argument, whose call got none, strayed") {
  const auto drafts = after_a_stray(true);
  REQUIRE(drafts.size() == 1);
  CHECK(drafts[0].session == "s2");
  CHECK(drafts[0].detail == "echo");
  CHECK(drafts[0].fault.party == model::Party::server);
  CHECK(drafts[0].fault.certainty == model::Certainty::weak);
}

TEST_CASE("a tool that names whatever it finds proves nothing by naming another session's argument") { CHECK(after_a_stray(false).empty()); }

TEST_CASE("only calls of another session in flight at the same time are rivals") {
  engine::ShapeBook shapes;
  const engine::EchoHabits habits;
  SessionSwaps swaps(shapes, habits);
  swaps.opened();
  CHECK_FALSE(swaps.has_rivals(call(1, 1, "a", 0, 1), 1));
  swaps.opened();
  CHECK(swaps.has_rivals(call(1, 1, "a", 0, 1), 1));
}
