#include "engine/told_losses.h"

#include <fmt/format.h>

namespace mcpscan::engine {

using namespace model;

namespace {

constexpr std::int64_t kLongUs = 10 * kSecond;  // a healthy initialize takes less
constexpr std::uint64_t kReminders = 3;         // where there are no times

std::string label_of(const TimelineEvent& event) { return event.session ? event.session->label : std::string(); }

}  // namespace

void ToldLosses::note(const TimelineEvent& event, FindingSink& findings) {
  if (event.kind == EventKind::outcome) return note_outcome(event);
  saw_initialize_ = saw_initialize_ || (event.call && event.call->method == kInitialize);
  saw_calls_ = saw_calls_ || (event.call && event.call->method == kToolsCall);
  if (event.kind == EventKind::call_closed) return;
  if (event.kind == EventKind::reply) {
    if (event.call && event.call->method == kInitialize) pending_.erase(label_of(event));
    return;
  }
  const Notice* notice = event.observation ? event.observation->notice : nullptr;
  if (!notice) return;
  closing_.note(event);
  if (event.kind == EventKind::timeout) {
    if (!event.call && !event.other && notice->method == kInitialize) tell_given_up(event, findings);
    return;
  }
  if (notice->kind == NoticeKind::session_created) pending_.erase(label_of(event));
  if (notice->kind == NoticeKind::backend_exited && notice->method == kInitialize) tell_exited(event, findings);
  if (notice->kind == NoticeKind::unknown_reply_id && !event.other) note_stray_answer(event, findings);
  if (notice->kind != NoticeKind::initialize_pending) return;
  Pending& pending = pending_[label_of(event)];
  if (pending.reminders++ == 0) pending.first = event.at, pending.begin = evidence_of(event);
  pending.last = event.at;
  pending.end = evidence_of(event);
}

// A person who interrupts a call waits for no answer.
void ToldLosses::note_outcome(const TimelineEvent& event) {
  const auto ended = record_.note(event);
  const OutcomeFacts& facts = *event.observation->outcome;
  if (!ended || !facts.no_answer || facts.stopped || unanswered_.size() >= kUnanswered) return;
  FindingDraft draft = draft_for({}, "its client says that the stream or connection ended without the answer; who ended it cannot be seen from here");
  draft.detail = "stream closed";
  if (closing_.ended(event, ended->at)) draft.fault = StrayClose::fault(), draft.cause_rule = "transport-closed-by-client";
  draft.call = ClientRecord::call_of(*ended);
  draft.at = event.at;
  draft.evidence = {ended->evidence, evidence_of(event)};
  unanswered_.push_back(std::move(draft));
}

// "Request cancelled" came back for an id that the client had dropped: of the calls in its record it can only be the one still open.
void ToldLosses::note_stray_answer(const TimelineEvent& event, FindingSink& findings) {
  const std::string_view reason = event.observation->notice->reason;
  const bool cancelled = reason.find("ancelled") != std::string_view::npos || reason.find("anceled") != std::string_view::npos;
  const ClientRecord::Started* const started = record_.only();
  if (!cancelled || !started) return;
  FindingDraft draft = draft_for(label_of(event), "its record shows no result of this call; the answer to a cancelled request that came then can only be this one's");
  draft.fault.party = Party::client;
  draft.fault.certainty = Certainty::weak;
  draft.call = ClientRecord::call_of(*started);
  draft.at = event.at;
  draft.evidence = {started->evidence, evidence_of(event)};
  findings.add(std::move(draft));
  record_.forget();
}

void ToldLosses::tell_given_up(const TimelineEvent& event, FindingSink& findings) {
  FindingDraft draft = draft_for(label_of(event), "the server never answered initialize; whether it got it cannot be seen from here");
  draft.call = call_of_key(event.observation->notice->key);
  draft.call->method = "initialize";
  draft.at = event.at;
  draft.evidence.push_back(evidence_of(event));
  draft.cause_rule = "client-timeout";
  findings.add(std::move(draft));
}

void ToldLosses::tell_exited(const TimelineEvent& event, FindingSink& findings) {
  pending_.erase(label_of(event));
  if (saw_initialize_) return;  // then its own end has told
  FindingDraft draft = draft_for(label_of(event), "its process ended before it answered");
  draft.detail = "unknown";
  draft.fault.party = Party::server;
  draft.fault.certainty = Certainty::strong;
  draft.call = FindingCall{{}, "initialize", {}, {}, {}};
  draft.at = event.at;
  draft.evidence.push_back(evidence_of(event));
  draft.cause_rule = "backend-exit";
  findings.add(std::move(draft));
}

void ToldLosses::tell_pending(const std::string& session, const Pending& pending, FindingSink& findings) {
  const bool timed = pending.first.known() && pending.last.known();
  if (timed ? pending.last.us - pending.first.us < kLongUs : pending.reminders < kReminders) return;
  FindingDraft draft = draft_for(session, "the client went on waiting for the answer to initialize; server, proxy and client look the same from here");
  if (timed) draft.fault.reason = fmt::format("no answer to initialize, though the client waited {} and more; server, proxy and client look the same from here", format_duration(pending.last.us - pending.first.us));
  draft.call = FindingCall{{}, "initialize", {}, {}, {}};
  draft.at = pending.last;
  draft.evidence = {pending.begin, pending.end};
  findings.add(std::move(draft));
}

FindingDraft ToldLosses::draft_for(const std::string& session, const char* reason) {
  FindingDraft draft;
  draft.session = session;
  draft.requestor = Direction::client_to_server;
  draft.detail = "timeout";
  draft.fault = {Party::unknown, Certainty::undetermined, {}, reason};
  return draft;
}

void ToldLosses::finish(FindingSink& findings) {
  for (const auto& [session, pending] : pending_) tell_pending(session, pending, findings);
  if (saw_calls_) return;
  for (FindingDraft& draft : unanswered_) findings.add(std::move(draft));
}

}  // namespace mcpscan::engine
