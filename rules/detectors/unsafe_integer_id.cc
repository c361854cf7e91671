// Integer ids that a double cannot hold. They work where every hop keeps 64 bits, so alone they are informational; a call with such an id
// that never got its reply is what they lead to.
// Source: RFC 8259 section 6; TypeScript SDK (zod number, refuses them); protocol notes ID02 ID03.
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

// What nobody waited for any more, and what the evidence may lack the reply of, shows nothing.
bool is_unanswered(CloseReason closed) { return closed != CloseReason::cancelled && closed != CloseReason::evidence_gap && closed != CloseReason::restarted; }

class UnsafeIntegerId : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (!is_unsafe_integer(event.call->id.view())) return;
    const bool request = event.kind == EventKind::request;
    if (!request && !is_unanswered(event.call->closed)) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = event.call->requestor;
    draft.level = request ? Level::informational : Level::medium;
    draft.count = request ? 1 : 0;
    if (request) draft.call = finding_call(*event.call);
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(*event.call));
    draft.fault = {draft.requestor == Direction::server_to_client ? Party::server : Party::client, Certainty::strong, {}, "it uses integer ids that a double cannot hold"};
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kUnsafeIntegerId{"unsafe_integer_id", event_bit(EventKind::request) | event_bit(EventKind::call_closed), {},
                                            [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<UnsafeIntegerId>(); }};

}  // namespace mcpscan::engine
