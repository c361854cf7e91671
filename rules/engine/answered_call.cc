#include "engine/answered_call.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "engine/overlap_group.h"
#include "session/argument_echo.h"

namespace mcpscan::engine {

using namespace model;

namespace {

constexpr std::size_t kArgumentBytes = 1024;  // head of a request kept to take its arguments from

// What was asked and what came, so that a reader can judge it again.
std::string asked_for(const AnsweredCall& call) { return call.tokens.empty() ? std::string() : fmt::format("  asks for {}", fmt::join(call.tokens, ", ")); }

std::string shown(const AnsweredCall& call) { return call.head.empty() ? std::string() : ": " + call.head; }

void draw(const AnsweredCall& got, const AnsweredCall& owner, FindingDraft& draft) {
  std::string whose = owner.call.tool == got.call.tool ? owner.call.tool + " id " + owner.call.id.raw : owner.call.tool;
  const bool across = owner.session != got.session;
  if (across) whose += " of session " + owner.session;
  for (const AnsweredCall* call : {&owner, &got}) {
    draft.picture.push_back({call->call.requested_at, '>', fmt::format("{}  id {}{}{}", call->call.tool, call->call.id.raw, across ? "  session " + call->session : std::string(), asked_for(*call)),
                             call->request.source, call->call.tool, call->request.source});
  }
  draft.picture.push_back({got.replied, '<', fmt::format("the result of {}, as the answer to {}{}", whose, got.call.tool, shown(got)), got.reply.source, owner.call.tool,
                           owner.request.source, got.request.source});
  if (!owner.answered || owner.head.empty()) return;
  draft.picture.push_back({owner.replied, '<', fmt::format("what {} got{}", whose, shown(owner)), owner.reply.source, owner.call.tool, owner.request.source});
}

Evidence request_of(const AnsweredCall& call) {
  return call.quoted == 0 ? call.request : Evidence{call.request.source, call.text.substr(0, call.quoted)};
}

}  // namespace

void begin_call(const TimelineEvent& event, AnsweredCall& member) {
  const Call& call = *event.call;
  const Session& session = *event.session;
  member.handle = call.handle;
  member.arguments = call.arguments_digest;
  member.session_index = session.index;
  member.session = session.label;
  member.endpoint = hash_bytes(session.server_endpoint);
  member.principal = session.principals.size() == 1 ? session.principals.front() : 0;
  reuse(member.call, call, event.at);
  member.replied = member.ended = Time{};
  member.request.source = event.source;
  member.text = event.observation->message->text.substr(0, kArgumentBytes);
  const bool same = member.text.starts_with(call.head);  // a record of its own holds nothing else
  member.quoted = same ? call.head.size() : 0;
  member.request.text.assign(same ? std::string_view() : std::string_view(call.head));
  member.tokens.clear();
  member.head.clear();
  member.reply.source = {};
  member.reply.text.clear();
  member.parsed = member.answered = member.wrong_channel = member.lost = member.own = member.is_result = member.told = member.loose = member.learned = false;
  member.shape = {};
  member.keys = 0;
  member.tool = call.method == kToolsCall ? hash_combine(hash_bytes(session.server_name, hash_bytes(session.server_version)), hash_bytes(call.target)) : 0;
  member.collided = event.other != nullptr;
  member.exact = event.exchange != nullptr;
  member.digest = 0;
  member.payload_of = AnsweredCall::kNoMember;
}

void parse_arguments(AnsweredCall& call) {
  if (call.parsed) return;
  call.parsed = true;
  session::argument_tokens(call.text, call.tokens);
}

bool is_shown_lost(const Call& call) {
  switch (call.closed) {
    case CloseReason::cancelled:
    case CloseReason::refused:
    case CloseReason::sent_again:
    case CloseReason::unseen:
    case CloseReason::evidence_gap:
    case CloseReason::evidence_ends: return false;
    default: return !call.maybe_answered;
  }
}

bool overlap(const AnsweredCall& a, const AnsweredCall& b) {
  return (!a.ended.known() || !(a.ended < b.requested)) && (!b.ended.known() || !(b.ended < a.requested));
}

bool of_one_id(const AnsweredCall& a, const AnsweredCall& b) { return a.collided && b.collided && a.call.id.value == b.call.id.value; }

FindingDraft mismatch_draft(const AnsweredCall& got, const AnsweredCall& owner) {
  FindingDraft draft;
  draft.session = got.session;
  draft.requestor = Direction::client_to_server;
  draft.call = got.call;
  draft.at = got.replied;
  draft.evidence = {request_of(got), got.reply, request_of(owner)};
  draw(got, owner, draft);
  return draft;
}

}  // namespace mcpscan::engine
