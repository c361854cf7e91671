// A gateway that goes on with a backend session which is gone: by its own statement, or by the error that it passes on to a client whose own
// session it knows. The tally says which backend.
// Source: MCP 2025-11-25 transports "Session Management"; protocol notes SE02.
#include "engine/upstream_errors.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class UpstreamSessionLost : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const Observation& seen = *event.observation;
    const bool stated = event.kind == EventKind::notice && seen.notice->kind == NoticeKind::upstream_session_lost;
    const bool passed_on = event.kind == EventKind::reply && is_upstream_error(event);
    if (!stated && !passed_on) return;
    FindingDraft draft;
    if (event.session) draft.session = event.session->label;
    draft.at = event.at;
    if (event.call) draft.call = finding_call(*event.call);
    draft.evidence.push_back(evidence_of(event));
    draft.fault = {Party::gateway, Certainty::strong, {}, "it went on with a backend session that was gone, and told its client nothing it could act on"};
    if (seen.http) draft.tally_key = seen.http->server;
    if (stated) draft.tally_key = seen.notice->key;
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kUpstreamSessionLost{"upstream_session_lost", event_bits(EventKind::notice, EventKind::reply), {}, made<UpstreamSessionLost>};

}  // namespace mcpscan::engine
