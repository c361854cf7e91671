// One stray reply, and the client ends its whole transport: the calls that waited beside it are lost with it. Told by the client's own words, or
// where it hangs up on several calls at once right after such a reply.
// Source: JSON-RPC 2.0 section 5; TypeScript and Python SDKs report a stray reply as an error of the transport; protocol notes D.1.
#include <vector>

#include "engine/by_session.h"
#include "engine/client_record.h"
#include "engine/stray_close.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::int64_t kAtOnceUs = kSecond;
constexpr std::size_t kFewest = 2;  // calls hung up at once; one may have been given up

bool is_stray(const TimelineEvent& event) {
  if (event.kind == EventKind::notice) return event.observation->notice->kind == NoticeKind::unknown_reply_id;
  return event.kind == EventKind::reply && (event.verdict == ReplyVerdict::late || event.verdict == ReplyVerdict::duplicate || event.verdict == ReplyVerdict::orphan);
}

// What a reply answers may have been in a hole, and the calls beside it may be another client's.
bool shows_one_client(const Session& session) { return !session.had_gap && session.ids_tell() && !session.mixed; }

bool ends_transport(CloseReason reason) { return reason == CloseReason::client_dead || reason == CloseReason::session_ended || reason == CloseReason::client_closed; }

class TransportClosedByClient : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::outcome) return note_outcome(event, findings);
    if (event.kind == EventKind::notice) closing_.note(event);
    if (!event.session) return;
    if (event.kind == EventKind::session_finished) return void(sessions_.erase(event.session->index));
    if (is_stray(event)) {
      if (event.kind == EventKind::reply && !shows_one_client(*event.session)) return;
      Stray& stray = sessions_[event.session->index];
      stray = {};
      stray.at = event.at;
      stray.evidence = evidence_of(event);
      return;
    }
    if (event.kind == EventKind::call_closed) note_loss(event, findings);
  }

 private:
  struct Stray {
    Time at;
    Evidence evidence;
    std::vector<FindingDraft> losses;  // at most the calls in flight
  };

  // The record of a client that shows no messages: what it ended itself has no answer.
  void note_outcome(const TimelineEvent& event, FindingSink& findings) {
    const auto ended = record_.note(event);
    if (!ended || !closing_.ended(event, ended->at)) return;
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.requestor = Direction::client_to_server;
    draft.call = ClientRecord::call_of(*ended);
    draft.at = event.at;
    draft.fault = closing_.fault();
    draft.evidence = {closing_.stray(), ended->evidence};
    findings.add(std::move(draft));
  }

  void note_loss(const TimelineEvent& event, FindingSink& findings) {
    Stray* const stray = sessions_.find(event.session->index);
    if (!stray || event.call->requestor != Direction::client_to_server || !ends_transport(event.call->closed)) return;
    const bool at_once = !stray->at.known() || !event.at.known() || event.at.us - stray->at.us <= kAtOnceUs;
    const NoticeKind told_by = event.observation && event.observation->notice ? event.observation->notice->kind : NoticeKind::message_dropped;
    const bool own_words = told_by == NoticeKind::transport_closed || told_by == NoticeKind::client_dead;
    if (!at_once && !own_words) return;
    if (event.call->closed == CloseReason::session_ended && !own_words) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.call = finding_call(*event.call);
    draft.at = event.at;
    draft.fault = {Party::client, own_words ? Certainty::strong : Certainty::weak, {}, "it ended its transport over one reply that it could not place, and the calls beside it with it"};
    draft.evidence = {stray->evidence, evidence_of(*event.call)};
    stray->losses.push_back(std::move(draft));
    if (!own_words && stray->losses.size() < kFewest) return;
    for (FindingDraft& loss : stray->losses) findings.add(std::move(loss));
    stray->losses.clear();
  }

  BySession<Stray> sessions_;
  StrayClose closing_;
  ClientRecord record_;
};

}  // namespace

extern const DetectorEntry kTransportClosedByClient{"transport_closed_by_client",
                                                    event_bits(EventKind::reply, EventKind::notice, EventKind::call_closed, EventKind::outcome, EventKind::session_finished), {},
                                                    made<TransportClosedByClient>};

}  // namespace mcpscan::engine
