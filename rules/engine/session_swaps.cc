#include "engine/session_swaps.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/argument_echo.h"

namespace mcpscan::engine {

using namespace model;

namespace {

constexpr double kAlarm = 0.99;            // posterior of what is told
constexpr double kWorthTelling = 0.5;      // the same for a hint
constexpr double kStrayPrior = 0.1;        // that a reply strayed, where a call got none
constexpr double kStrangeEchoOdds = 5e4;   // measured: 1 reply in 100 is strange to its call, 1 in 500 repeats all of another one's arguments

// Everything that `owner` alone was asked with, and there is something of the kind.
bool repeats_what_only(const AnsweredCall& owner, const AnsweredCall& other, std::string_view payload) {
  std::size_t told = 0;
  for (const std::string& token : owner.tokens) {
    if (session::stands_in(token, other.text)) continue;
    if (!session::stands_in(token, payload)) return false;
    ++told;
  }
  return told > 0;
}

bool left_open(const AnsweredCall& call) { return call.collided && !call.exact; }

bool may_belong_together(const AnsweredCall& a, const AnsweredCall& b) {
  return a.session_index != b.session_index && a.endpoint == b.endpoint && a.digest != b.digest && !a.told && !b.told && !left_open(a) && !left_open(b) && overlap(a, b);
}

// In tool and form.
bool differ(const AnsweredCall& a, const AnsweredCall& b) {
  return a.tool != b.tool && a.tool != 0 && b.tool != 0 && a.shape.known() && b.shape.known() && a.shape.features() != b.shape.features();
}

std::string whose(const AnsweredCall& got, const AnsweredCall& owner) {
  const bool other_user = got.principal != 0 && owner.principal != 0 && got.principal != owner.principal;
  return fmt::format("{} (id {}) of session {} got what {} (id {}) of session {}{} had asked for", got.call.tool, got.call.id.raw, got.session, owner.call.tool, owner.call.id.raw,
                     owner.session, other_user ? ", another user's," : "");
}

void tell(const AnsweredCall& got, const AnsweredCall& owner, const char* detail, const std::string& why, FindingSink& findings, bool alarm = true) {
  FindingDraft draft = mismatch_draft(got, owner);
  draft.detail = alarm ? detail : "possible swap";  // a hint is no part of an alarm's count
  if (!alarm) draft.level = Level::informational;
  draft.fault = {Party::server, Certainty::weak, {"gateway"}, fmt::format("{}: {}. A hop behind this one did it; the wire behind the gateway would tell which", whose(got, owner), why)};
  if (!alarm) draft.fault = {Party::unknown, Certainty::undetermined, {}, fmt::format("{}: {}; that may be chance", whose(got, owner), why)};
  findings.add(std::move(draft));
}

double posterior_of(double prior, double odds, std::size_t tried) { return prior * odds / (prior * odds + (1 - prior) * static_cast<double>(tried)); }

}  // namespace

bool SessionSwaps::has_rivals(const AnsweredCall& call, std::size_t open_beside) const {
  if (open_ > open_beside) return true;
  for (auto other = loose_.rbegin(); other != loose_.rend(); ++other) {
    if (!overlap(call, other->call)) return false;
    if (other->call.session_index != call.session_index) return true;
  }
  return false;
}

void SessionSwaps::take_stranger(AnsweredCall& call, std::string_view payload, FindingSink& findings) {
  const bool strange = is_strange(call);
  judge(call, payload, strange, findings);
  if (call.told) return;
  call.loose = true;
  if (loose_.size() >= kLoose) loose_.pop_front();
  loose_.push_back({call, std::string(payload.substr(0, kPayloadBytes)), strange});
}

// A tool that repeats its arguments and did not, or one whose replies look otherwise. What is not known yet may be strange.
bool SessionSwaps::is_strange(const AnsweredCall& call) const {
  if (!call.tokens.empty() && habits_.always(call.tool)) return true;
  return call.shape.known() && (!shapes_.mature(call.tool) || shapes_.is_strange(call.tool, call.shape));
}

void SessionSwaps::judge(AnsweredCall& call, std::string_view payload, bool strange, FindingSink& findings) {
  std::size_t tried = 0;
  for (auto other = loose_.rbegin(); other != loose_.rend() && overlap(call, other->call); ++other) tried += may_belong_together(call, other->call) && differ(call, other->call);
  for (auto other = loose_.rbegin(); other != loose_.rend() && overlap(call, other->call); ++other) {
    AnsweredCall& twin = other->call;
    if (!(strange || other->strange) || !may_belong_together(call, twin)) continue;
    const bool there = repeats_what_only(twin, call, payload), here = repeats_what_only(call, twin, other->payload);
    bool told = false;
    const bool crosswise = there && here, known = habits_.known(call.tool) && habits_.known(twin.tool);
    if (crosswise && known) {
      told = tell_crosswise(call, twin, findings);
    } else if (crosswise || differ(call, twin)) {
      Pair pair{call, twin, there, here, tried};
      told = judge_shapes(pair, false, findings);
      if (!told && (crosswise || !(shapes_.mature(call.tool) && shapes_.mature(twin.tool)))) hold(std::move(pair), findings);
    }
    if (told) {
      twin.told = call.told = true;
      return;
    }
  }
}

// Each repeats what the other was asked with; that proves nothing of tools whose replies seldom repeat what was asked.
bool SessionSwaps::tell_crosswise(const AnsweredCall& a, const AnsweredCall& b, FindingSink& findings) const {
  if (habits_.seldom(a.tool) || habits_.seldom(b.tool)) return false;
  tell(a, b, "swap", "it repeats those arguments and none of its own, and the other way round", findings);
  tell(b, a, "swap", "it repeats those arguments and none of its own, and the other way round", findings);
  return true;
}

// By what the profiles know now, if that is enough or nothing more is to come.
bool SessionSwaps::judge_shapes(const Pair& pair, bool last, FindingSink& findings) {
  const auto& [a, b, a_repeats_b, b_repeats_a, tried] = pair;
  if (last && a_repeats_b && b_repeats_a && tell_crosswise(a, b, findings)) return true;
  if (!differ(a, b)) return false;
  if (!last && !(shapes_.mature(a.tool) && shapes_.mature(b.tool))) return false;
  const auto side = [](const AnsweredCall& call, bool repeats) { return ShapeBook::Side{call.tool, call.call.tool, &call.shape, repeats, call.learned}; };
  const auto verdict = shapes_.exchanged(side(a, a_repeats_b), side(b, b_repeats_a), tried);
  if (!verdict || verdict->posterior < kWorthTelling) return false;
  const bool alarm = verdict->posterior >= kAlarm;
  const std::string why = fmt::format("{}; {:.3f} that they were exchanged", verdict->why, verdict->posterior);
  tell(a, b, "swap", why, findings, alarm);
  tell(b, a, "swap", why, findings, alarm);
  return alarm;
}

void SessionSwaps::hold(Pair pair, FindingSink& findings) {
  if (waiting_.size() >= kWaiting) {
    judge_shapes(waiting_.front(), true, findings);
    waiting_.pop_front();
  }
  waiting_.push_back(std::move(pair));
}

void SessionSwaps::note_learned(const AnsweredCall& learned) {
  const auto note = [&](AnsweredCall& call) {
    if (call.handle == learned.handle && call.session_index == learned.session_index && call.requested == learned.requested) call.learned = true;
  };
  for (Loose& loose : loose_) note(loose.call);
  for (Pair& pair : waiting_) note(pair.a), note(pair.b);
}

void SessionSwaps::lose(const AnsweredCall& lost, FindingSink& findings) {
  if (lost.tokens.empty() || left_open(lost)) return;
  Loose* found = nullptr;
  std::size_t tried = 0;
  for (auto other = loose_.rbegin(); other != loose_.rend() && overlap(lost, other->call); ++other) {
    if (other->call.session_index == lost.session_index) continue;
    ++tried;
    if (!other->strange || other->call.tokens.empty() || !may_belong_together(lost, other->call) || !repeats_what_only(lost, other->call, other->payload)) continue;
    if (found) return;
    found = &*other;
  }
  if (!found || posterior_of(kStrayPrior, kStrangeEchoOdds, tried) < kAlarm || !is_strange(found->call)) return;
  found->call.told = true;
  tell(found->call, lost, "echo", "it repeats those arguments and none of its own, and the other call got no reply", findings);
}

void SessionSwaps::finish(FindingSink& findings) {
  for (const Pair& pair : waiting_) judge_shapes(pair, true, findings);
  waiting_.clear();
}

}  // namespace mcpscan::engine
