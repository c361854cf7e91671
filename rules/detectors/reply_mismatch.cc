// Replies that carry another call's payload, told by the members a method's result must have, by what tools repeat of their arguments, and
// by what their replies look like. One reply that repeats none of its own call's arguments and all of a concurrent call's is a finding only
// with a structural companion (a duplicate id, the wrong stream, a sibling that got nothing), when the exchange is mutual, or when shape
// makes chance improbable (shape_book.h); else it is informational. Byte-identical payloads are no swap. Pairs of tools that were seen too
// seldom wait for the end of the evidence; shapes are learned from replies that nothing here speaks against.
// What strayed into another session is session_swaps.h's to find.
// Not judged: calls that did not overlap, arguments that several calls of a group share, logs where a duplicate id leaves open which
// call a reply was given to.
// Source: protocol notes RS08 RS11 RS12, part C.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>

#include "engine/answered_call.h"
#include "engine/echo_habits.h"
#include "engine/overlap_group.h"
#include "engine/reissues.h"
#include "engine/session_swaps.h"
#include "engine/shape_book.h"
#include "model/detector.h"
#include "session/argument_echo.h"
#include "session/result_fit.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kMembers = 256;        // calls of one group of overlapping ones; those beyond are not compared, and that is told
constexpr std::size_t kReplyBytes = 1u << 18; // head of a reply searched
constexpr std::size_t kNoMember = AnsweredCall::kNoMember;
constexpr std::size_t kWaiting = 2000;       // pairs that wait for their tools' profiles, 2 KB each; the oldest is judged by what is known
constexpr double kAlarm = 0.99;              // posterior of an exchange that is told as one
constexpr double kWorthTelling = 0.5;        // the same for a hint

using Member = AnsweredCall;
using Group = OverlapGroup<Member>;

// Two calls whose replies may be exchanged, until their tools' profiles have grown.
struct WaitingPair {
  Member a, b;
  std::size_t tried = 1;
};

// A reply that repeats another call's arguments, until the habits of their tools are known.
struct Held {
  Member member, owner;
  bool mutual = false;
};
constexpr std::size_t kHeld = 500;           // of them, 2 KB each

// A call and those of its group that were in flight at the same time.
struct Rivals {
  std::array<const Member*, kMembers> members;
  std::size_t count = 0;

  void add(const Member& member) { members[count++] = &member; }
  bool has(const Member& member) const { return std::find(members.begin(), members.begin() + count, &member) != members.begin() + count; }
};
constexpr std::int64_t kPatience = 2;        // client timeouts after which a call is nobody's any more

class ReplyMismatch : public Detector {
 public:
  explicit ReplyMismatch(const Parameters& parameters) : groups_(kMembers, kPatience * duration_parameter(parameters, "client_timeout_s", kSecond)) {}

  std::vector<ToolShape> shapes() const override { return shapes_.shapes(); }
  void recall(const std::vector<ToolShape>& known) override { shapes_.recall(known); }

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return tell_left_out(*event.session, findings), close(*event.session, findings);
    if (!event.call || event.call->requestor != Direction::client_to_server) return;
    if (event.kind == EventKind::request) return join(event, findings);
    Group* group = groups_.find(event.session->index);
    Member* member = group ? group->find_open(event.call->handle) : nullptr;
    if (!member) return;
    member->ended = event.at;
    member->collided = member->collided || event.call->collided;
    if (event.kind == EventKind::reply) {
      if (event.verdict != ReplyVerdict::answer && event.verdict != ReplyVerdict::type_drift) return;
      take_reply(event, *group, *member, findings);
    } else {
      note_end(*event.call, *member, findings);
    }
    group->close(*member);
    across_.closed();
    if (group->open == 0) close(*event.session, findings);
  }

  void finish(FindingSink& findings) override {
    for (const WaitingPair& pair : waiting_) judge_pair(pair.a, pair.b, pair.tried, true, findings);
    waiting_.clear();
    for (const Held& held : held_) tell_held(held, findings);
    held_.clear();
    across_.finish(findings);
  }

 private:
  void join(const TimelineEvent& event, FindingSink& findings) {
    const auto give_up = [this](Member& overdue) { overdue.lost = true, across_.closed(); };
    Member* const room = groups_.join(event.session->index, event.at, give_up,
                                      [&](Group& group) { judge(*event.session, group, findings); });
    if (event.other) mark_collided(event.session->index, event.other->handle);
    if (!room) return note_left_out(event);
    across_.opened();
    begin_call(event, *room);
  }

  void note_left_out(const TimelineEvent& event) {
    FindingDraft& draft = left_out_[event.session->index];
    if (!draft.call) {
      draft.call = finding_call(*event.call);
      draft.at = event.at;
      draft.evidence = {evidence_of(event)};
      draft.count = 0;
    }
    ++draft.count;
  }

  void tell_left_out(const Session& session, FindingSink& findings) {
    const auto found = left_out_.find(session.index);
    if (found == left_out_.end()) return;
    FindingDraft& draft = found->second;
    draft.session = session.label;
    draft.requestor = Direction::client_to_server;
    draft.detail = "not compared";
    draft.level = Level::informational;
    draft.fault = {Party::unknown, Certainty::undetermined, {}, fmt::format("{} calls of the session were in flight already: whose replies these calls got was not judged", kMembers)};
    findings.add(std::move(draft));
    left_out_.erase(found);
  }

  void mark_collided(std::uint32_t session, std::uint32_t handle) {
    Group* group = groups_.find(session);
    for (std::size_t i = 0; group && i < group->used; ++i) {
      if (group->members[i].handle == handle) group->members[i].collided = true;
    }
  }

  void close(const Session& session, FindingSink& findings) {
    if (Group* group = groups_.find(session.index)) {
      judge(session, *group, findings);
      for (; group->open > 0; --group->open) across_.closed();
    }
    groups_.end(session.index);
  }

  void take_reply(const TimelineEvent& event, Group& group, Member& member, FindingSink& findings) {
    const RpcMessage& message = *event.observation->message;
    member.answered = true;
    member.digest = message.digest;
    member.call.replied_at = member.replied = event.at;
    member.wrong_channel = event.wrong_channel;
    if ((message.defects & kTruncated) != 0) return;
    member.is_result = message.kind == MessageKind::result;
    const std::string_view payload = message.text.substr(0, kReplyBytes);
    std::optional<bool> repeats = find_echo(payload, event.call->collided, group, member);
    member.reply.source = event.source;
    if (!member.own) member.reply.text.assign(event.observation->text);  // else nobody will be shown it
    if (!member.is_result) return;  // an error has no members and no shape of its tool's
    member.keys = message.result_keys;
    const bool finished = (message.result_keys & (kInputRequired | kTask)) == 0;
    if (member.tool == 0 || !finished) return;
    const bool across = is_across(event, group, member), crowded = group.used > 1;
    if (!repeats && (across || !habits_.settled(member.tool))) {  // calls that nothing runs beside show best what their tool does
      repeats = session::repeats(payload, member.text);
      if (!*repeats) parse_arguments(member);
    }
    if (repeats) habits_.note(member, *repeats);
    const bool explained = member.payload_of != kNoMember || member.collided;  // within its own session
    const bool stranger = across && !*repeats && !explained;
    if (shapes_.wants(member.tool) || stranger || (crowded && !member.own)) member.shape = session::ReplyShape(message.text);
    if (!crowded && reissues_.expects(member)) note_reissue(message.text, member);
    if (!stranger) return;
    if (member.head.empty()) member.head = payload.substr(0, kHeadShown);
    across_.take_stranger(member, payload, findings);
  }

  void note_reissue(std::string_view text, Member& member) {
    if (!member.shape.known()) member.shape = session::ReplyShape(text);
    reissues_.note(member);
  }

  // Sessions that hold several clients' messages, or one process each, have no other session to be mistaken for.
  bool is_across(const TimelineEvent& event, const Group& group, Member& member) const {
    const Session& session = *event.session;
    if (session.mixed || session.keyed_by == SessionKeying::process || !event.at.known() || !across_.has_rivals(member, group.open)) return false;
    member.session = session.label;
    return true;
  }

  void note_end(const Call& call, Member& member, FindingSink& findings) {
    member.lost = is_shown_lost(call);
    if (!member.lost || member.tool == 0) return;
    parse_arguments(member);
    across_.lose(member, findings);
  }

  // Whether the reply repeats anything of its own call. Not looked for where nothing overlaps the call: it has nobody to be mistaken for.
  static std::optional<bool> find_echo(std::string_view payload, bool collided, Group& group, Member& member) {
    if (group.used < 2) return std::nullopt;
    member.head = payload.substr(0, kHeadShown);
    Rivals rivals;
    for (std::size_t i = 0; i < group.used; ++i) {
      Member& other = group.members[i];
      if (&other != &member && !other.open && other.ended.known() && other.ended < member.requested) continue;
      parse_arguments(other);
      rivals.add(other);
    }
    if (rivals.count < 2) return std::nullopt;
    bool names_own = false;
    for (std::size_t i = 0; i < member.tokens.size() && !member.own; ++i) {
      if (!session::stands_in(member.tokens[i], payload)) continue;
      names_own = true;
      member.own = !shared(member.tokens[i], rivals, member);
    }
    if (member.own || is_alike(rivals, member)) return names_own;
    std::size_t fitting = kNoMember, count = 0;
    for (std::size_t i = 0; i < group.used; ++i) {
      const Member& other = group.members[i];
      if (!rivals.has(other)) continue;
      // Two calls of one id are companions already: one argument repeated is enough there.
      const bool companion = collided && other.call.id.value == member.call.id.value;
      if (&other == &member || !session::any_stands_in(other.tokens, payload) || !repeats(payload, other.tokens, rivals, other, !companion)) continue;
      fitting = i;
      ++count;
    }
    if (count != 1) return names_own;
    member.payload_of = fitting;
    member.payload_handle = group.members[fitting].handle;
    return names_own;
  }

  // Some (or, to accuse, every) token of `owner` that no other call of the group shares stands in the payload. Dear: ask whether any stands there first.
  static bool repeats(std::string_view payload, const std::vector<std::string>& tokens, const Rivals& rivals, const Member& owner, bool every) {
    std::size_t told = 0, found = 0;
    for (const std::string& token : tokens) {
      if (shared(token, rivals, owner)) continue;
      ++told;
      if (session::stands_in(token, payload)) ++found;
    }
    return every ? told > 0 && found == told : found > 0;
  }

  // Nothing tells this call apart from the others: its reply cannot be judged.
  static bool is_alike(const Rivals& rivals, const Member& member) {
    return std::all_of(member.tokens.begin(), member.tokens.end(), [&](const std::string& token) { return shared(token, rivals, member); });
  }

  static bool shared(const std::string& token, const Rivals& rivals, const Member& owner) {
    for (std::size_t i = 0; i < rivals.count; ++i) {
      const Member& other = *rivals.members[i];
      if (&other == &owner) continue;
      if (session::stands_in(token, other.text)) return true;
    }
    return false;
  }

  // Along "carries the payload of", from the member back to itself: a swap of two, or a rotation of more.
  static bool is_mutual(const Group& group, std::size_t start) {
    std::size_t at = start;
    for (std::size_t step = 0; step < group.used; ++step) {
      at = group.members[at].payload_of;
      if (at == kNoMember) return false;
      if (at == start) return true;
    }
    return false;
  }

  void judge(const Session& session, Group& group, FindingSink& findings) {
    for (std::size_t i = 0; i < group.used; ++i) group.members[i].session = session.label;  // it may have got its name since
    for (std::size_t i = 0; i < group.used && group.used > 1; ++i) {
      Member& member = group.members[i];
      if (member.told || tell_foreign_type(group, member, findings) || member.payload_of == kNoMember) continue;
      Member& owner = group.members[member.payload_of];
      if (owner.answered && owner.digest == member.digest) continue;
      if (left_open(member, owner)) continue;
      const bool mutual = is_mutual(group, i);
      if (!is_structural(member, owner) && may_learn_habit(member, owner) && (mutual || is_orphan_of(member, owner))) {
        hold(member, owner, mutual, findings);
      } else if (is_structural(member, owner) || (mutual && may_repeat(member, owner)) || is_orphan_of(member, owner)) {
        tell(member, owner, mutual, findings);
      } else {
        continue;  // shape may tell more
      }
      member.told = true;
    }
    if (group.used > 1) {
      compare_shapes(group, findings);
      find_strays(group, findings);
      tell_lone_echoes(group, findings);
    }
    for (std::size_t i = 0; i < group.used; ++i) learn(group.members[i]);
  }

  void learn(Member& member) {
    const bool sound = member.answered && !member.open && !member.told && !member.collided && !member.wrong_channel && member.payload_of == kNoMember;
    if (!sound || member.tool == 0 || !member.shape.known() || !shapes_.wants(member.tool)) return;
    shapes_.learn(member.tool, member.shape);
    member.learned = true;
    if (member.loose) across_.note_learned(member);
    for (auto pair = waiting_.rbegin(); pair != waiting_.rend() && (pair->a.session_index == member.session_index || pair->b.session_index == member.session_index); ++pair) {
      for (Member* twin : {&pair->a, &pair->b}) twin->learned = twin->learned || (twin->handle == member.handle && twin->requested == member.requested);
    }
  }

  // The log does not tell which call of a shared id the reply was given to.
  static bool left_open(const Member& member, const Member& owner) { return (member.collided || owner.collided) && !member.exact; }
  static bool is_structural(const Member& member, const Member& owner) { return of_one_id(member, owner) || member.wrong_channel; }
  // "Busy with <another call's argument>" is a sound error for as long as that call hangs.
  bool is_orphan_of(const Member& member, const Member& owner) const { return member.is_result && !owner.answered && owner.lost && may_repeat(member, owner); }
  // Searches find what others ask for, and a parent names its child: where replies seldom repeat what was asked, it proves nothing that one does not.
  bool may_repeat(const Member& member, const Member& owner) const { return !habits_.seldom(member.tool) && !habits_.seldom(owner.tool); }
  bool may_learn_habit(const Member& member, const Member& owner) const {
    return (member.tool != 0 && !habits_.known(member.tool)) || (owner.tool != 0 && !habits_.known(owner.tool));
  }

  // Until more is known of how these tools reply.
  void hold(const Member& member, const Member& owner, bool mutual, FindingSink& findings) {
    if (held_.size() >= kHeld) tell_held(held_.front(), findings), held_.pop_front();
    held_.push_back({member, owner, mutual});
  }
  void tell_held(const Held& held, FindingSink& findings) const { tell(held.member, held.owner, held.mutual, findings); }

  // A result without the members its method requires, and with those that a sibling's method requires.
  static bool tell_foreign_type(const Group& group, Member& member, FindingSink& findings) {
    if (!member.is_result || !session::method_requires_keys(member.call.method) || session::result_fits(member.call.method, member.keys)) return false;
    for (std::size_t i = 0; i < group.used; ++i) {
      const Member& owner = group.members[i];
      if (owner.call.method == member.call.method || !session::method_requires_keys(owner.call.method) || !overlap(member, owner) || left_open(member, owner)) continue;
      if (!session::result_fits(owner.call.method, member.keys)) continue;
      member.told = true;
      FindingDraft draft = mismatch_draft(member, owner);
      draft.detail = "result-type";
      draft.fault = {Party::server, Certainty::weak, {"gateway"}, fmt::format("the reply to {} (id {}) has the members of a {} result, which {} waited for", member.call.method,
                                                                              member.call.id.raw, owner.call.method, owner.call.id.raw)};
      blame_id(member, owner, draft);
      findings.add(std::move(draft));
      return true;
    }
    return false;
  }

  void compare_shapes(Group& group, FindingSink& findings) {
    std::vector<std::pair<Member*, Member*>> pairs;
    for (std::size_t i = 0; i < group.used; ++i) {
      Member& a = group.members[i];
      for (std::size_t j = i + 1; j < group.used && may_be_exchanged(a); ++j) {
        Member& b = group.members[j];
        if (may_be_exchanged(b) && may_be_exchanged(a, b)) pairs.emplace_back(&a, &b);
      }
    }
    for (const auto& [a, b] : pairs) {
      if (a->told || b->told) continue;
      const Likely likely = judge_pair(*a, *b, pairs.size(), false, findings);
      if (likely == Likely::told) a->told = b->told = true;
      if (likely == Likely::told || (likely == Likely::no && shapes_.mature(a->tool) && shapes_.mature(b->tool))) continue;
      reissues_.expect(*a), reissues_.expect(*b);
      if (waiting_.size() >= kWaiting) {
        judge_pair(waiting_.front().a, waiting_.front().b, waiting_.front().tried, true, findings);
        waiting_.pop_front();
      }
      waiting_.push_back({*a, *b, pairs.size()});
    }
  }

  static bool may_be_exchanged(const Member& member) { return member.answered && !member.own && !member.told && member.shape.known(); }
  static bool may_be_exchanged(const Member& a, const Member& b) {
    return a.tool != b.tool && a.digest != b.digest && a.shape.features() != b.shape.features() && overlap(a, b) && !left_open(a, b) && !left_open(b, a);
  }

  static ShapeBook::Side side_of(const Member& member, const Member& other) {
    return {member.tool, member.call.tool, &member.shape, member.payload_of != kNoMember && member.payload_handle == other.handle, member.learned};
  }

  enum class Likely : std::uint8_t { no, hint, told };
  // A hint waits for more evidence, until `last`.
  Likely judge_pair(const Member& a, const Member& b, std::size_t tried, bool last, FindingSink& findings) {
    auto verdict = shapes_.exchanged(side_of(a, b), side_of(b, a), tried);
    if (!verdict) return Likely::no;
    for (const auto& again : {reissues_.of(a, b), reissues_.of(b, a)}) {
      if (again.what.empty()) continue;
      verdict->posterior = verdict->posterior * again.odds / (verdict->posterior * again.odds + 1 - verdict->posterior);
      verdict->why += "; " + again.what;
    }
    if (verdict->posterior < kWorthTelling) return Likely::no;
    const bool alarm = verdict->posterior >= kAlarm;
    if (!alarm && !last) return Likely::hint;
    for (const auto& [member, owner] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      FindingDraft draft = mismatch_draft(*member, *owner);
      draft.detail = alarm ? "swap" : "possible swap";  // a hint is no part of an alarm's count
      if (!alarm) draft.level = Level::informational;
      draft.fault = {alarm ? Party::server : Party::unknown, alarm ? Certainty::weak : Certainty::undetermined, {}, fmt::format("{}; {:.3f} that they were exchanged", verdict->why, verdict->posterior)};
      if (alarm) draft.fault.contributing = {"gateway"};
      findings.add(std::move(draft));
    }
    return Likely::told;
  }

  // A sibling that got nothing, and a reply that looks like what its tool answers and not like what was asked.
  void find_strays(Group& group, FindingSink& findings) {
    for (std::size_t i = 0; i < group.used; ++i) {
      Member& member = group.members[i];
      if (member.told || member.own || !member.answered || !member.shape.known()) continue;
      const Member* owner = nullptr;
      std::optional<ShapeBook::Verdict> verdict;
      std::size_t fitting = 0;
      for (std::size_t j = 0; j < group.used; ++j) {
        const Member& orphan = group.members[j];
        if (j == i || orphan.answered || !orphan.lost || orphan.tool == 0 || !overlap(member, orphan) || left_open(member, orphan)) continue;
        auto found = shapes_.strayed(side_of(member, orphan), {orphan.tool, orphan.call.tool, &orphan.shape, false, false}, of_one_id(member, orphan));
        if (!found) continue;
        ++fitting;
        owner = &orphan;
        verdict = std::move(found);
      }
      if (fitting != 1) continue;
      member.told = true;
      FindingDraft draft = mismatch_draft(member, *owner);
      draft.detail = "swap";
      draft.fault = {Party::server, Certainty::weak, {"gateway"}, fmt::format("{}, which got no reply; {:.2f} that it is the other call's", verdict->why, verdict->posterior)};
      blame_id(member, *owner, draft);
      findings.add(std::move(draft));
    }
  }

  void tell_lone_echoes(Group& group, FindingSink& findings) const {
    for (std::size_t i = 0; i < group.used; ++i) {
      Member& member = group.members[i];
      if (member.told || member.payload_of == kNoMember) continue;
      const Member& owner = group.members[member.payload_of];
      if ((owner.answered && owner.digest == member.digest) || left_open(member, owner)) continue;
      tell(member, owner, false, findings);
    }
  }

  // Two calls in flight under one id are the client's doing, whatever came of it.
  static bool blame_id(const Member& member, const Member& owner, FindingDraft& draft) {
    if (!of_one_id(member, owner)) return false;
    draft.detail = "duplicate-id";
    draft.cause_rule = "duplicate-request-id";
    draft.cause_id = member.call.id.value;
    draft.fault = {Party::client, Certainty::proven, {"server"}, draft.fault.reason + ": both were in flight under one id"};
    return true;
  }

  void tell(const Member& member, const Member& owner, bool mutual, FindingSink& findings) const {
    FindingDraft draft = mismatch_draft(member, owner);
    draft.fault.reason = fmt::format("the reply to {} (id {}) repeats the arguments of {} (id {}) and none of its own", member.call.tool, member.call.id.raw, owner.call.tool,
                                     owner.call.id.raw);
    const std::string what = draft.fault.reason;
    if (blame_id(member, owner, draft)) return findings.add(std::move(draft));
    if (member.wrong_channel) {
      draft.detail = "wrong-stream";
      draft.fault = {Party::server, Certainty::strong, {}, what};
    } else if (mutual && may_repeat(member, owner)) {
      draft.detail = "swap";
      draft.fault = {Party::server, Certainty::weak, {"gateway"}, what + "; the other way round as well. A hop behind this one did it; the wire behind the gateway would tell which"};
    } else if (is_orphan_of(member, owner)) {
      draft.detail = "echo";
      draft.fault = {Party::server, Certainty::weak, {"gateway"}, what + ", which got no reply"};
    } else {
      draft.detail = "lone echo";
      draft.level = Level::informational;
      draft.fault = {Party::unknown, Certainty::undetermined, {}, what + "; nothing else speaks for a mix-up"};
    }
    findings.add(std::move(draft));
  }

  static constexpr std::size_t kHeadShown = 160;
  OverlapGroups<Member> groups_;
  ShapeBook shapes_;
  std::deque<WaitingPair> waiting_;
  std::deque<Held> held_;
  std::map<std::uint32_t, FindingDraft> left_out_;  // by session
  Reissues reissues_;
  EchoHabits habits_;
  SessionSwaps across_{shapes_, habits_};
};

}  // namespace

extern const DetectorEntry kReplyMismatch{"reply_mismatch",
                                          event_bit(EventKind::request) | event_bit(EventKind::reply) | event_bit(EventKind::call_closed) | event_bit(EventKind::session_finished),
                                          {},
                                          [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<ReplyMismatch>(parameters); }};

}  // namespace mcpscan::engine
