// Where the evidence itself has holes: bytes lost or cut, a capture that begins in the middle, one direction only. One finding a
// session; rules that need absence are held back there.
#include <set>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class CaptureGap : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::gap) return tell(event, std::string(event.observation->gap->reason), findings);
    const Session& session = *event.session;
    const bool keyed = session.keyed_by == SessionKeying::mcp_session_id || session.keyed_by == SessionKeying::legacy_session_id;
    if (!session.on_wire || !keyed) return;
    if (!session.initialize_seen && session.counts.requests > 0) tell(event, "begins in the middle of the session", findings);
    if (session.unread_connections && session.counts.requests > 0) tell(event, "other connections to its server could not be read", findings);
    if (session.exchanges > 0 && session.responses == 0) tell(event, "one direction only", findings);
  }

 private:
  static void tell(const TimelineEvent& event, const std::string& why, FindingSink& findings) {
    FindingDraft draft;
    draft.detail = why;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    draft.fault = {Party::network, Certainty::undetermined, {}, "the evidence is incomplete; no party is accused"};
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kCaptureGap{"capture_gap", event_bit(EventKind::gap) | event_bit(EventKind::session_finished), {},
                                       [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<CaptureGap>(); }};

}  // namespace mcpscan::engine
