#include "engine/shown_swaps.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "session/argument_echo.h"

namespace mcpscan::engine {

using namespace model;
using session::any_stands_in;

void ShownSwaps::note(const TimelineEvent& event) {
  const OutcomeFacts& facts = *event.observation->outcome;
  if (facts.is_start || facts.not_sent || facts.replaced || facts.tool.empty() || !facts.started.known() || !event.at.known()) return;
  Shown shown{std::string(facts.call), std::string(facts.tool), std::string(facts.server), std::string(facts.conversation), {}, {}, facts.started, event.at, evidence_of(event), hash_bytes(facts.arguments), false};
  session::argument_tokens(fmt::format(R"({{"params":{{"arguments":{}}}}})", facts.arguments), shown.tokens);
  if (shown.tokens.empty()) return;
  shown.gave_up = facts.timed_out;
  if (!shown.gave_up) {
    if (facts.is_error) return;
    shown.text = facts.text;
    if (habits_.size() < kTools || habits_.contains(shown.tool)) {
      Habit& habit = habits_[shown.tool];
      ++habit.calls;
      habit.repeated += any_stands_in(shown.tokens, shown.text);
    }
  }
  note_again(shown);
  for (const Shown& other : recent_) {
    if (ran_together(shown, other)) compare(shown, other);
  }
  if (recent_.size() == kRecent) recent_.pop_front();
  recent_.push_back(std::move(shown));
}

bool ShownSwaps::ran_together(const Shown& a, const Shown& b) {
  return a.from < b.to && b.from < a.to && a.server == b.server && a.conversation == b.conversation;
}

// What it shows repeats the other's arguments and none of its own.
bool ShownSwaps::shows_payload_of(const Shown& shown, const Shown& other) {
  return !shown.gave_up && any_stands_in(other.tokens, shown.text) && !any_stands_in(shown.tokens, shown.text);
}

void ShownSwaps::compare(const Shown& a, const Shown& b) {
  if (pairs_.size() >= kPairs) return;
  const bool a_shows_b = shows_payload_of(a, b), b_shows_a = shows_payload_of(b, a);
  if (a_shows_b && b_shows_a) pairs_.push_back({a, b, true, false});
  if (a_shows_b && b.gave_up) pairs_.push_back({a, b, false, false});
  if (b_shows_a && a.gave_up) pairs_.push_back({b, a, false, false});
}

void ShownSwaps::note_again(const Shown& shown) {
  if (shown.gave_up) return;
  for (Pair& pair : pairs_) {
    const Shown& lost = pair.second;
    const bool again = lost.gave_up && lost.arguments == shown.arguments && lost.tool == shown.tool && lost.server == shown.server && lost.to <= shown.from;
    if (again && shown.text == pair.first.text) pair.brought_again = true;
  }
}

bool ShownSwaps::repeats(const std::string& tool) const {
  const auto habit = habits_.find(tool);
  return habit != habits_.end() && habit->second.repeated >= kHabit && habit->second.repeated + 1 >= habit->second.calls;
}

void ShownSwaps::tell(const Shown& shown, const Shown& other, bool mutual, FindingSink& findings) {
  FindingDraft draft;
  draft.requestor = Direction::client_to_server;
  draft.call = FindingCall{{}, "tools/call", shown.tool, shown.from, shown.to};
  draft.at = shown.to;
  draft.evidence = {shown.evidence, other.evidence};
  const std::string what = shown.gave_up ? fmt::format("it showed {} ({}) as timed out, and under {} ({}) what repeats that call's arguments", shown.tool, shown.client_id, other.tool, other.client_id)
                                         : fmt::format("it showed under {} ({}) what repeats the arguments of {} ({}){}", shown.tool, shown.client_id, other.tool, other.client_id, mutual ? ", and the other way round" : "");
  draft.fault = {Party::unknown, Certainty::undetermined, {}, what + "; client, gateway and server look the same from here: a capture of the client's side tells"};
  findings.add(std::move(draft));
}

void ShownSwaps::finish(FindingSink& findings) const {
  for (const Pair& pair : pairs_) {
    if (!pair.mutual && !pair.brought_again && !repeats(pair.first.tool)) continue;
    tell(pair.first, pair.second, pair.mutual, findings);
    tell(pair.second, pair.first, pair.mutual, findings);
  }
}

}  // namespace mcpscan::engine
