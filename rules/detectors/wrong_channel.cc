// Replies on a stream where they do not belong: the standalone GET stream, the POST stream of another request, or any stream of another
// session, whose client is shown what it never asked for. Such a one is told at the end of the session whose stream it came on: where that
// session's client has left out the reply's id, it may have asked on a connection that the evidence lacks. Where nothing but the id says whose
// it is, the call that is meant must stay without a reply, and the one whose stream it came on must not.
// Source: MCP 2025-11-25 transports "Sending Messages to the Server"; protocol notes CH01 CH02 CH03 ID15.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/answered_call.h"
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
    if (event.kind == EventKind::call_closed) return note_closed(*event.call);
    if (event.call && !by_id_.empty()) note_answered(*event.call, event.verdict);
    if (event.elsewhere && findings.takes() && by_id_.size() < kByIdAlone) {
      return by_id_.push_back({astray_draft(event, *event.elsewhere_in, *event.elsewhere), event.session->index, event.elsewhere->number, event.other ? event.other->number : 0,
                               event.observation->stream == StreamKind::post});
    }
    if (event.verdict == ReplyVerdict::other_session) {
      HeldDrafts::Waiting waiting(event.observation->stream == StreamKind::post ? on_posts_ : astray_, event.exchange->session, findings);
      return waiting.add(astray_draft(event, *event.session, *event.other));
    }
    const bool right = event.verdict == ReplyVerdict::answer || event.verdict == ReplyVerdict::late || event.verdict == ReplyVerdict::type_drift;
    if (!event.wrong_channel || event.across_streams || !right) return;
    FindingDraft draft = draft_for(event, *event.session, *event.call);
    draft.fault = {Party::server, Certainty::strong, {}, "it sent a reply on a stream that does not belong to the request"};
    findings.add(std::move(draft));
  }

  void finish(FindingSink& findings) override {
    for (ById& each : by_id_) {
      const bool own_fared_alike = std::any_of(by_id_.begin(), by_id_.end(), [&](const ById& other) { return other.call == each.own && other.lost; });
      if (each.lost && (each.own == 0 || each.own_answered || own_fared_alike)) findings.add(std::move(each.draft));
    }
  }

 private:
  static constexpr std::size_t kByIdAlone = 1024;

  // A reply that another session's call may be meant by.
  struct ById {
    FindingDraft draft;
    std::uint32_t session = 0;  // whose stream it came on
    std::uint64_t call = 0;     // that waits in the other session; the calls' numbers
    std::uint64_t own = 0;      // that waits for its own reply on this stream; 0: none
    bool on_post = false, lost = false, own_answered = false;
  };

  void note_closed(const Call& call) {
    for (ById& each : by_id_) each.lost = each.lost || (each.call == call.number && call.replies == 0 && is_shown_lost(call));
  }

  void note_answered(const Call& call, ReplyVerdict verdict) {
    if (verdict != ReplyVerdict::answer) return;
    for (ById& each : by_id_) each.own_answered = each.own_answered || each.own == call.number;
  }

  // On the stream of a request that was seen, only what is missing for sure can have been meant.
  void flush(const Session& session, FindingSink& findings) {
    const auto is_unseen = [&](const FindingDraft& draft) { return session::is_among(session.unseen_of(Direction::client_to_server), draft.call->id.view()); };
    for (FindingDraft& draft : on_posts_.take(session.index)) {
      if (!session.lacks_requests() || !is_unseen(draft)) findings.add(std::move(draft));
    }
    for (FindingDraft& draft : astray_.take(session.index)) {
      if (!is_unseen(draft)) findings.add(std::move(draft));
    }
    std::erase_if(by_id_, [&](const ById& each) {
      if (each.session != session.index) return false;
      return session.had_gap || (is_unseen(each.draft) && (!each.on_post || session.lacks_requests()));
    });
  }

  static FindingDraft draft_for(const TimelineEvent& event, const Session& session, const Call& call) {
    FindingDraft draft;
    draft.session = session.label;
    draft.requestor = call.requestor;
    draft.call = finding_call(call);
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  static FindingDraft astray_draft(const TimelineEvent& event, const Session& session, const Call& owner) {
    FindingDraft draft = draft_for(event, session, owner);
    draft.detail = "another session";
    draft.level = Level::critical;
    draft.evidence.insert(draft.evidence.begin(), evidence_of(owner));
    draft.fault = {Party::server, Certainty::strong, {"gateway"}, fmt::format("it sent the reply to {} (id {}) on a stream of another session as well, or instead", call_name(owner.method, owner.target), owner.id.raw)};
    return draft;
  }

  HeldDrafts astray_, on_posts_;
  std::vector<ById> by_id_;  // kByIdAlone
};

}  // namespace

extern const DetectorEntry kWrongChannel{"wrong_channel", event_bits(EventKind::reply, EventKind::call_closed, EventKind::session_finished), {}, made<WrongChannel>};

}  // namespace mcpscan::engine
