// Exchanges refused because the server no longer knows the session. A statement in the server's log and the refusal in the access log
// are one event; so are several wordings of it. One finding a session; none where the session answers again afterwards, which is
// session-affinity's.
// Source: MCP 2025-11-25 transports "Session Management" (404, then initialize anew); protocol notes SE02.
#include <map>
#include <string>

#include "engine/session_refusal.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kDraftsOfSession = 100;
constexpr std::int64_t kMethodNotFound = -32601;

class SessionLost : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    switch (event.kind) {
      case EventKind::notice: return on_notice(event);
      case EventKind::exchange_summary: return on_status(event, event.observation->http->status, Witness::access_line);
      case EventKind::exchange_closed: return on_exchange(event);
      case EventKind::reply: return on_reply(event);
      case EventKind::session_finished: return flush(*event.session, findings);
      default: return;
    }
  }

 private:
  enum class Witness : std::uint8_t { statement, access_line, exchange };
  struct Told {
    std::map<Witness, std::uint64_t> count;  // what each witness has told
    std::uint64_t reported = 0;
    std::uint64_t exchange = 0;              // told last
    bool answered_again = false;
    std::vector<FindingDraft> drafts;
  };

  void on_notice(const TimelineEvent& event) {
    const NoticeKind kind = event.observation->notice->kind;
    if (kind == NoticeKind::server_started || kind == NoticeKind::server_stopped) restarted_ = true;
    if (kind == NoticeKind::session_not_found && event.session) tell(event, Witness::statement);
  }

  void on_status(const TimelineEvent& event, unsigned status, Witness witness) {
    if (!event.session || event.session->ended) return;
    const HttpFacts* http = event.observation->http;
    const std::string_view method = event.exchange ? std::string_view(event.exchange->method) : http ? http->method : std::string_view();
    if (status == 404 && refuses_session(method, status, http ? http->refusal : std::string_view())) return tell(event, witness);
    const auto told = told_.find(event.session->index);
    if (told != told_.end() && status >= 200 && status < 300) told->second.answered_again = true;
  }

  void on_exchange(const TimelineEvent& event) {
    if (!event.exchange->named_session) return;
    if (event.exchange->status == 404 && event.exchange->replies > 0) return;  // its error body has told
    if (event.exchange->status >= 400 && tells_lost_session(event.observation->http ? event.observation->http->refusal : std::string_view())) {
      return tell(event, Witness::exchange);  // whatever the status
    }
    on_status(event, event.exchange->status, Witness::exchange);
  }

  // A JSON-RPC error that refuses the exchange, with a usable id or without.
  void on_reply(const TimelineEvent& event) {
    const RpcMessage& message = *event.observation->message;
    if (message.kind != MessageKind::error || !event.session || event.session->ended) return;
    const bool refused = event.exchange && event.exchange->named_session && event.exchange->status == 404 && message.error_code != kMethodNotFound;
    if (refused || tells_lost_session(message.reason)) tell(event, Witness::exchange);
  }

  void tell(const TimelineEvent& event, Witness witness) {
    Told& told = told_[event.session->index];
    if (event.exchange && told.exchange == event.exchange->id) return;
    if (event.exchange) told.exchange = event.exchange->id;
    if (++told.count[witness] <= told.reported) return;  // another witness told this refusal already
    ++told.reported;
    if (told.drafts.size() >= kDraftsOfSession) {
      ++told.drafts.back().count;
      return;
    }
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    const RpcMessage* message = event.observation->message;
    if (event.call) {
      draft.call = finding_call(*event.call);
    } else if (message && message->id.type != IdType::null && message->id.present()) {
      draft.call = FindingCall{OwnedId(message->id), {}, {}, {}, event.at};
    }
    blame(*event.session, draft);
    told.drafts.push_back(std::move(draft));
  }

  void flush(const Session& session, FindingSink& findings) {
    const auto found = told_.find(session.index);
    if (found == told_.end()) return;
    for (FindingDraft& draft : found->second.drafts) {
      if (!found->second.answered_again) findings.add(std::move(draft));
    }
    told_.erase(found);
  }

  void blame(const Session& session, FindingDraft& draft) const {
    if (!session.was_alive && !session.initialize_seen) {
      draft.fault.reason = "the session was never seen alive: lost before the evidence begins, or never there";
      draft.level = Level::informational;
      return;
    }
    draft.fault = {Party::server, Certainty::strong, {}, restarted_ ? "it was restarted and forgot the session" : "it no longer knew a session that it had served"};
  }

  std::map<std::uint32_t, Told> told_;  // sessions open at a time, so bounded by Limits::sessions
  bool restarted_ = false;
};

}  // namespace

extern const DetectorEntry kSessionLost{"session_lost",
                                        event_bit(EventKind::notice) | event_bit(EventKind::exchange_summary) | event_bit(EventKind::exchange_closed) |
                                            event_bit(EventKind::reply) | event_bit(EventKind::session_finished),
                                        {},
                                        [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<SessionLost>(); }};

}  // namespace mcpscan::engine
