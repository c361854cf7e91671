// Exchanges refused because the server no longer knows the session. A statement in the server's log and the refusal in the access log
// are one event; so are several wordings of it. One finding a session.
// Source: MCP 2025-11-25 transports "Session Management" (404, then initialize anew); protocol notes SE02.
#include <algorithm>
#include <map>
#include <string>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kSessions = 20000;

bool has_word(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; }) != text.end();
}

// An error text about the session itself: "Session not found", "No valid session ID provided", "session expired", ...
bool tells_lost_session(std::string_view text) {
  if (!has_word(text, "session")) return false;
  constexpr std::string_view kWords[] = {"not found", "invalid", "no valid", "expired", "unknown", "does not exist", "terminated", "not recognized", "not initialized"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return has_word(text, word); });
}

class SessionLost : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    switch (event.kind) {
      case EventKind::notice: return on_notice(event, findings);
      case EventKind::exchange_summary: return on_refusal(event, event.observation->http->status, Witness::access_line, findings);
      case EventKind::exchange_closed: return on_exchange(event, findings);
      case EventKind::reply: return on_reply(event, findings);
      case EventKind::session_finished: told_.erase(event.session->index); return;
      default: return;
    }
  }

 private:
  enum class Witness : std::uint8_t { statement, access_line, exchange };
  struct Told {
    std::map<Witness, std::uint64_t> count;
    std::uint64_t reported = 0;
    std::uint64_t exchange = 0;
  };

  void on_notice(const TimelineEvent& event, FindingSink& findings) {
    const NoticeKind kind = event.observation->notice->kind;
    if (kind == NoticeKind::server_started || kind == NoticeKind::server_stopped) restarted_ = true;
    if (kind == NoticeKind::session_not_found && event.session) tell(event, Witness::statement, findings);
  }

  void on_refusal(const TimelineEvent& event, unsigned status, Witness witness, FindingSink& findings) {
    if (event.session && status == 404 && !event.session->ended) tell(event, witness, findings);
  }

  void on_exchange(const TimelineEvent& event, FindingSink& findings) {
    if (!event.exchange->named_session || event.exchange->replies > 0) return;
    on_refusal(event, event.exchange->status, Witness::exchange, findings);
  }

  // A JSON-RPC error that refuses the exchange, with a usable id or without.
  void on_reply(const TimelineEvent& event, FindingSink& findings) {
    const RpcMessage& message = *event.observation->message;
    if (message.kind != MessageKind::error || !event.session || event.session->ended) return;
    const bool refused = event.exchange && event.exchange->named_session && event.exchange->status == 404;
    if (refused || tells_lost_session(message.reason)) tell(event, Witness::exchange, findings);
  }

  void tell(const TimelineEvent& event, Witness witness, FindingSink& findings) {
    if (told_.size() > kSessions) told_.clear();
    Told& told = told_[event.session->index];
    if (event.exchange && told.exchange == event.exchange->id) return;
    if (event.exchange) told.exchange = event.exchange->id;
    if (++told.count[witness] <= told.reported) return;  // another witness told this refusal already
    ++told.reported;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    if (event.call) draft.call = finding_call(*event.call);
    if (!event.call && event.observation->message && event.observation->message->id.type != IdType::null) {
      draft.call = FindingCall{OwnedId(event.observation->message->id), {}, {}, {}, event.at};
    }
    blame(*event.session, draft);
    findings.add(std::move(draft));
  }

  void blame(const Session& session, FindingDraft& draft) const {
    if (!session.was_alive && !session.initialize_seen) {
      draft.fault.reason = "the session was never seen alive: lost before the evidence begins, or never there";
      return;
    }
    draft.fault = {Party::server, Certainty::strong, {}, restarted_ ? "it was restarted and forgot the session" : "it no longer knew a session that it had served"};
  }

  std::map<std::uint32_t, Told> told_;
  bool restarted_ = false;
};

}  // namespace

extern const DetectorEntry kSessionLost{"session_lost",
                                        event_bit(EventKind::notice) | event_bit(EventKind::exchange_summary) | event_bit(EventKind::exchange_closed) |
                                            event_bit(EventKind::reply) | event_bit(EventKind::session_finished),
                                        {},
                                        [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<SessionLost>(); }};

}  // namespace mcpscan::engine
