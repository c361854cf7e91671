// Replies on a stream where they do not belong: the standalone GET stream, the POST stream of another request, or any stream of another
// session, whose client is shown what it never asked for. Such a one is told at the end of the session whose stream it came on: where that
// session's client has left out the reply's id, it may have asked on a connection that the evidence lacks.
// Source: MCP 2025-11-25 transports "Sending Messages to the Server"; protocol notes CH01 CH02 CH03 ID15.
#include <fmt/format.h>

#include "engine/call_picture.h"
#include "engine/held_drafts.h"
#include "model/detector.h"
#include "session/id_ledger.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class WrongChannel : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return flush(*event.session, findings);
    if (event.verdict == ReplyVerdict::other_session) {
      HeldDrafts::Waiting waiting(event.observation->stream == StreamKind::post ? on_posts_ : astray_, event.exchange->session, findings);
      return tell_astray(event, waiting);
    }
    const bool right = event.verdict == ReplyVerdict::answer || event.verdict == ReplyVerdict::late || event.verdict == ReplyVerdict::type_drift;
    if (!event.wrong_channel || event.across_streams || !right) return;
    FindingDraft draft = draft_for(event, *event.call);
    draft.fault = {Party::server, Certainty::strong, {}, "it sent a reply on a stream that does not belong to the request"};
    findings.add(std::move(draft));
  }

 private:
  // On the stream of a request that was seen, only what is missing for sure can have been meant.
  void flush(const Session& session, FindingSink& findings) {
    const auto is_unseen = [&](const FindingDraft& draft) { return session::is_among(session.unseen_of(Direction::client_to_server), draft.call->id.view()); };
    for (FindingDraft& draft : on_posts_.take(session.index)) {
      if (!session.lacks_requests() || !is_unseen(draft)) findings.add(std::move(draft));
    }
    for (FindingDraft& draft : astray_.take(session.index)) {
      if (!is_unseen(draft)) findings.add(std::move(draft));
    }
  }

  static FindingDraft draft_for(const TimelineEvent& event, const Call& call) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = call.requestor;
    draft.call = finding_call(call);
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  static void tell_astray(const TimelineEvent& event, FindingSink& findings) {
    FindingDraft draft = draft_for(event, *event.other);
    draft.detail = "another session";
    draft.level = Level::critical;
    draft.evidence.insert(draft.evidence.begin(), evidence_of(*event.other));
    draft.fault = {Party::server, Certainty::strong, {"gateway"}, fmt::format("it sent the reply to {} (id {}) on a stream of another session as well, or instead", call_name(event.other->method, event.other->target), event.other->id.raw)};
    findings.add(std::move(draft));
  }

  HeldDrafts astray_, on_posts_;
};

}  // namespace

extern const DetectorEntry kWrongChannel{"wrong_channel", event_bits(EventKind::reply, EventKind::session_finished), {}, made<WrongChannel>};

}  // namespace mcpscan::engine
