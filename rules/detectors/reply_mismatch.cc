// Replies that carry another call's payload, told by what tools repeat of their arguments. Shape never accuses alone: a reply that repeats
// none of its own call's arguments and all of a concurrent call's is a finding only with a structural companion (a duplicate id, the wrong
// stream, a sibling that got nothing) or when the exchange is mutual; else it is informational. Byte-identical payloads are no swap.
// Not judged: calls that did not overlap, arguments that several calls of a group share, logs where a duplicate id leaves open which
// call a reply was given to.
// Source: protocol notes RS08 RS11 RS12, part C.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "session/argument_echo.h"
#include "engine/overlap_group.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kMembers = 64;         // calls of one group of overlapping ones
constexpr std::size_t kArgumentBytes = 1024; // head of a request kept to take its arguments from
constexpr std::size_t kReplyBytes = 1u << 18; // head of a reply searched
constexpr std::size_t kNoMember = SIZE_MAX;

struct Member {
  std::uint32_t handle = 0;
  FindingCall call;
  Evidence request, reply;
  std::string text;                // head of the request, until its arguments are wanted
  std::vector<std::string> tokens; // what its arguments say, taken from `text` when needed
  bool parsed = false, open = false, answered = false, collided = false, exact = false, wrong_channel = false, lost = false;
  bool own = false;                // its reply repeats its own arguments
  std::uint64_t digest = 0;        // of its reply
  std::size_t payload_of = kNoMember;  // the member whose arguments its reply repeats instead
  std::string head;                // of the reply
  Time requested, replied, ended;
};

using Group = OverlapGroup<Member>;

// A call and those of its group that were in flight at the same time.
struct Rivals {
  std::array<const Member*, kMembers> members{};
  std::size_t count = 0;

  void add(const Member& member) { members[count++] = &member; }
  bool has(const Member& member) const { return std::find(members.begin(), members.begin() + count, &member) != members.begin() + count; }
};
constexpr std::int64_t kPatience = 2;        // client timeouts after which a call is nobody's any more

class ReplyMismatch : public Detector {
 public:
  explicit ReplyMismatch(const Parameters& parameters) : groups_(kMembers, kPatience * duration_parameter(parameters, "client_timeout_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return close(*event.session, findings);
    if (!event.call || event.call->requestor != Direction::client_to_server) return;
    if (event.kind == EventKind::request) return join(event, findings);
    Group* group = groups_.find(event.session->index);
    Member* member = group ? group->find_open(event.call->handle) : nullptr;
    if (!member) return;
    if (event.kind == EventKind::reply) {
      if (event.verdict != ReplyVerdict::answer && event.verdict != ReplyVerdict::type_drift) return;
      take_reply(event, *group, *member);
    } else {
      member->lost = event.call->closed != CloseReason::cancelled && event.call->closed != CloseReason::refused;
    }
    member->collided = member->collided || event.call->collided;
    member->ended = event.at;
    group->close(*member);
    if (group->open == 0) close(*event.session, findings);
  }

 private:
  void join(const TimelineEvent& event, FindingSink& findings) {
    Member* const room = groups_.join(event.session->index, event.at, [](Member& overdue) { overdue.lost = true; },
                                      [&](const Group& group) { judge(*event.session, group, findings); });
    if (!room) return;
    Member& member = *room;
    const Call& call = *event.call;
    member.handle = call.handle;
    member.call.id.type = call.id.type;
    member.call.id.value = call.id.value;
    member.call.id.raw = call.id.raw;
    member.call.method = call.method;
    member.call.tool = call.target;
    member.call.requested_at = event.at;
    member.call.replied_at = member.replied = member.ended = Time{};
    member.request.source = event.source;
    member.request.text = call.head;
    member.text = event.observation->message->text.substr(0, kArgumentBytes);
    member.tokens.clear();
    member.head.clear();
    member.reply = {};
    member.parsed = member.answered = member.wrong_channel = member.lost = member.own = false;
    member.collided = event.other != nullptr;
    member.exact = event.exchange != nullptr;
    member.digest = 0;
    member.payload_of = kNoMember;
  }

  void close(const Session& session, FindingSink& findings) {
    if (const Group* group = groups_.find(session.index)) judge(session, *group, findings);
    groups_.end(session.index);
  }

  // A call that nothing overlaps has nobody to be mistaken for.
  static void take_reply(const TimelineEvent& event, Group& group, Member& member) {
    const RpcMessage& message = *event.observation->message;
    member.answered = true;
    member.digest = message.digest;
    member.call.replied_at = member.replied = event.at;
    member.wrong_channel = event.wrong_channel;
    if (group.used < 2 || message.kind != MessageKind::result || (message.defects & kTruncated) != 0) return;
    const std::string_view payload = message.text.substr(0, kReplyBytes);
    member.reply = evidence_of(event);
    member.head = payload.substr(0, kHeadShown);
    Rivals rivals;
    for (std::size_t i = 0; i < group.used; ++i) {
      Member& other = group.members[i];
      if (&other != &member && !other.open && other.ended.known() && other.ended < member.requested) continue;
      parse(other);
      rivals.add(other);
    }
    if (rivals.count < 2) return;
    member.own = is_alike(rivals, member) || repeats(payload, member.tokens, rivals, member, false);
    if (member.own) return;
    std::size_t fitting = kNoMember, count = 0;
    for (std::size_t i = 0; i < group.used; ++i) {
      const Member& other = group.members[i];
      if (!rivals.has(other)) continue;
      // Two calls of one id are companions already: one argument repeated is enough there.
      const bool companion = event.call->collided && other.call.id.value == member.call.id.value;
      if (&other == &member || !repeats(payload, other.tokens, rivals, other, !companion)) continue;
      fitting = i;
      ++count;
    }
    if (count == 1) member.payload_of = fitting;
  }

  static void parse(Member& member) {
    if (member.parsed) return;
    member.parsed = true;
    session::argument_tokens(member.text, member.tokens);
  }

  // Some (or, to accuse, every) token of `owner` that no other call of the group shares stands in the payload.
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

  static void judge(const Session& session, const Group& group, FindingSink& findings) {
    for (std::size_t i = 0; i < group.used && group.used > 1; ++i) {
      const Member& member = group.members[i];
      if (member.payload_of == kNoMember) continue;
      const Member& owner = group.members[member.payload_of];
      if (owner.answered && owner.digest == member.digest) continue;
      if ((member.collided || owner.collided) && !member.exact) continue;  // the log does not tell which call the reply was given to
      tell(session, member, owner, is_mutual(group, i), findings);
    }
  }

  static void tell(const Session& session, const Member& member, const Member& owner, bool mutual, FindingSink& findings) {
    FindingDraft draft;
    draft.session = session.label;
    draft.requestor = Direction::client_to_server;
    draft.call = member.call;
    draft.at = member.replied;
    draft.evidence = {member.request, member.reply, owner.request};
    const std::string what = fmt::format("the reply to {} (id {}) repeats the arguments of {} (id {}) and none of its own", member.call.tool, member.call.id.raw,
                                         owner.call.tool, owner.call.id.raw);
    if (member.collided && owner.collided && member.call.id.value == owner.call.id.value) {
      draft.detail = "duplicate-id";
      draft.cause_rule = "duplicate-request-id";
      draft.cause_id = member.call.id.value;
      draft.fault = {Party::client, Certainty::proven, {"server"}, what + ": both were in flight under one id"};
    } else if (member.wrong_channel) {
      draft.detail = "wrong-stream";
      draft.fault = {Party::server, Certainty::strong, {}, what};
    } else if (mutual) {
      draft.detail = "swap";
      draft.fault = {Party::server, Certainty::weak, {"gateway"}, what + "; the other way round as well. A hop behind this one did it; the wire behind the gateway would tell which"};
    } else if (!owner.answered && owner.lost) {
      draft.detail = "echo";
      draft.fault = {Party::server, Certainty::weak, {"gateway"}, what + ", which got no reply"};
    } else {
      draft.detail = "echo";
      draft.level = Level::informational;
      draft.fault = {Party::unknown, Certainty::undetermined, {}, what + "; nothing else speaks for a mix-up"};
    }
    draw(member, owner, draft);
    findings.add(std::move(draft));
  }

  static void draw(const Member& member, const Member& owner, FindingDraft& draft) {
    const std::string whose = owner.call.tool == member.call.tool ? owner.call.tool + " id " + owner.call.id.raw : owner.call.tool;
    draft.picture.push_back({owner.call.requested_at, '>', fmt::format("{}  id {}", owner.call.tool, owner.call.id.raw), owner.request.source, owner.call.tool, owner.request.source});
    draft.picture.push_back({member.call.requested_at, '>', fmt::format("{}  id {}", member.call.tool, member.call.id.raw), member.request.source, member.call.tool, member.request.source});
    draft.picture.push_back({member.replied, '<', fmt::format("the result of {}, as the answer to {}", whose, member.call.tool), member.reply.source, owner.call.tool,
                             owner.request.source, member.request.source});
  }

  static constexpr std::size_t kHeadShown = 200;
  OverlapGroups<Member> groups_;
};

}  // namespace

extern const DetectorEntry kReplyMismatch{"reply_mismatch",
                                          event_bit(EventKind::request) | event_bit(EventKind::reply) | event_bit(EventKind::call_closed) | event_bit(EventKind::session_finished),
                                          {},
                                          [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<ReplyMismatch>(parameters); }};

}  // namespace mcpscan::engine
