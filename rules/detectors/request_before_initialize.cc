// Requests before the answer to initialize: seen as such, or told by a server that got one without any handshake. Where a gateway speaks, it
// passed on what belonged to a session older than its backend.
// Source: MCP 2025-11-25 Lifecycle "Initialization"; protocol notes LC01.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

bool may_come_first(std::string_view method) {
  constexpr std::string_view kMethods[] = {"initialize", "ping", "server/discover"};
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

class RequestBeforeInitialize : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) {
      const Session& session = *event.session;
      if (session.on_wire && !session.initialize_seen && !session.had_gap) tell_all_early(session, {}, findings);
      told_.erase(session.index);
      early_.erase(session.index);
    } else if (event.kind == EventKind::notice) {
      if (event.observation->notice->kind == NoticeKind::request_before_initialize) on_statement(event, findings);
    } else if (event.kind == EventKind::reply) {
      tell_early(event, findings);
      if (is_refused_for_it(event) && !was_told(event)) tell(event, findings, {Party::client, Certainty::strong, {}, "the server refused its request, as it had seen no handshake"});
    } else if (comes_early(event)) {
      const Session& session = *event.session;
      FindingDraft draft = draft_of(event, {Party::client, Certainty::strong, {}, "it did not wait for the answer to initialize"});
      const bool waits = session.on_wire || session.initialize_seen;
      if (!waits) return findings.add(std::move(draft));
      if (!findings.takes()) return;
      auto& early = early_[session.index];
      if (early.size() < kEarly) early.push_back(std::move(draft));
    }
  }

 private:
  static constexpr std::size_t kEarly = 1000;  // of one session
  static constexpr std::string_view kUnfinished = "notification";  // what the server waited for still: rmcp's word

  // It was early only where the answer to initialize comes after it, or its server says so: else that answer is what the evidence lacks. One
  // that was never seen to ask on the wire may have done so in a hole, known only when what is behind it has come.
  void tell_early(const TimelineEvent& event, FindingSink& findings) {
    const bool by_word = event.kind == EventKind::notice;
    if (!event.session || (!by_word && (!event.call || event.call->method != kInitialize))) return;
    tell_all_early(*event.session, event.at, findings);
  }

  // Those that came before `answered`: behind a hole a stream is told late.
  void tell_all_early(const Session& session, Time answered, FindingSink& findings) {
    const auto early = early_.find(session.index);
    if (early == early_.end()) return;
    for (FindingDraft& draft : early->second) {
      const bool in_time = answered.known() && draft.at.known() && draft.at > answered;
      if (!in_time && !session.mixed) findings.add(std::move(draft));
    }
    early_.erase(early);
  }

  // With a session named, the server has lost that session: another rule's to tell.
  static bool is_refused_for_it(const TimelineEvent& event) {
    // A stream that is asked for early is none, nor is a notification that comes late.
    const bool request = event.exchange && event.exchange->method != "GET" && (event.exchange->carries_request || event.exchange->gap);
    const bool nameless = event.verdict == ReplyVerdict::refusal && request && !event.exchange->named_session && !event.modern;
    const bool early = nameless && (!event.call || !may_come_first(event.call->method));
    return early && event.observation->message->reason.find("not initialized") != std::string_view::npos;
  }

  static bool comes_early(const TimelineEvent& event) {
    const Session& session = *event.session;
    if (event.call->requestor != Direction::client_to_server || session.initialize_answered || session.stateless || session.mixed || event.modern) return false;
    if (event.source.kind == PlaceKind::entry && may_follow_the_answer(event)) return false;
    const bool begun = session.initialize_seen || (session.start_seen && session.keyed_by == SessionKeying::legacy_session_id);
    return begun && !may_come_first(event.call->method);
  }

  // Who names the session had the answer, and the clock of a HAR is too coarse to show another order. When a message of the older transport's stream
  // came few HARs tell at all.
  static bool may_follow_the_answer(const TimelineEvent& event) {
    if (event.session->keyed_by == SessionKeying::legacy_session_id) return true;
    return event.session->keyed_by == SessionKeying::mcp_session_id && event.exchange && event.exchange->named_session;
  }

  bool was_told(const TimelineEvent& event) const {
    if (!event.session || !event.call) return false;
    const auto told = told_.find(event.session->index);
    return told != told_.end() && told->second.view() == event.call->id.view();
  }

  void on_statement(const TimelineEvent& event, FindingSink& findings) {
    if (event.observation->notice->reason == kUnfinished) {
      return tell(event, findings, {Party::unknown, Certainty::undetermined, {"client", "server"}, "a request came before notifications/initialized, and the server gave the session up for it: whether the client sent it too early, and whether the server had to refuse it, the record does not tell"});
    }
    tell_early(event, findings);
    if (was_told(event)) return;  // by the message itself
    if (event.observation->vantage == Vantage::gateway) {
      return tell(event, findings, {Party::gateway, Certainty::strong, {}, "it passed on a request of a session for which its backend had seen no handshake"});
    }
    tell(event, findings, {Party::client, Certainty::strong, {}, "the server got a request of it before any handshake"});
  }

  void tell(const TimelineEvent& event, FindingSink& findings, Fault fault) { findings.add(draft_of(event, std::move(fault))); }

  FindingDraft draft_of(const TimelineEvent& event, Fault fault) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.requestor = Direction::client_to_server;
    draft.at = event.at;
    draft.fault = std::move(fault);
    if (event.call) draft.call = finding_call(*event.call);
    if (event.call && event.kind == EventKind::notice) draft.evidence.push_back(evidence_of(*event.call));
    draft.evidence.push_back(evidence_of(event));
    if (event.session && event.call) told_[event.session->index] = event.call->id;
    return draft;
  }

  std::unordered_map<std::uint32_t, std::vector<FindingDraft>> early_;  // of sessions open at a time whose answers were not seen so far
  std::unordered_map<std::uint32_t, OwnedId> told_;  // the last call told, of sessions open at a time
};

}  // namespace

extern const DetectorEntry kRequestBeforeInitialize{"request_before_initialize", event_bits(EventKind::request, EventKind::reply, EventKind::notice, EventKind::session_finished), {},
                                                    made<RequestBeforeInitialize>};

}  // namespace mcpscan::engine
