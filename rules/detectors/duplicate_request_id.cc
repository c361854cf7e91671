// Ids used again by one requestor of one session: concurrently (an earlier call waits) or sequentially.
// Source: MCP 2025-11-25 base protocol "Requests"; 2026-07-28 allows reuse once the id is free again.
#include <fmt/format.h>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

std::string named(const std::string& method, const std::string& target) { return target.empty() ? method : target; }

class DuplicateRequestId : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::request) return on_request(event, findings);
    if (event.call->closed == CloseReason::overwritten) raise_level(event, findings);
  }

 private:
  static void on_request(const TimelineEvent& event, FindingSink& findings) {
    if (event.retransmitted) return;
    const bool concurrent = event.other != nullptr;
    if (!concurrent && (!event.used_before || event.modern)) return;
    const Call& call = *event.call;
    FindingDraft draft;
    draft.detail = concurrent ? "concurrent" : "sequential";
    draft.session = event.session->label;
    draft.requestor = call.requestor;
    draft.level = event.session->mixed ? Level::informational : concurrent ? Level::high : Level::low;  // of several clients each may have its ids
    draft.call = finding_call(call);
    draft.at = event.at;
    const bool by_client = call.requestor == Direction::client_to_server;
    draft.fault = {by_client ? Party::client : Party::server, event.session->mixed ? Certainty::weak : Certainty::proven, {}, {}};
    draft.fault.reason = concurrent ? "it sent a request with an id that one of its own requests in flight had already"
                                    : "it used an id again that it had used in this session";
    if (!concurrent) draft.cause_rule = "duplicate-request-id", draft.cause_id = call.id.value;  // the same habit, where it also collided
    if (concurrent) {
      draft.fault.contributing.push_back(by_client ? "server" : "client");
      draft.evidence.push_back(evidence_of(*event.other));
      draw(*event.other, event, draft);
    }
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

  static void draw(const Call& earlier, const TimelineEvent& event, FindingDraft& draft) {
    const Call& later = *event.call;
    draft.picture.push_back({earlier.requested_at, '>', fmt::format("{}  id {}", named(earlier.method, earlier.target), earlier.id.raw), earlier.source, named(earlier.method, earlier.target), earlier.source});
    draft.picture.push_back({later.requested_at, '>', fmt::format("{}  id {}  takes over stream {}", named(later.method, later.target), later.id.raw, later.id.value), event.source, named(later.method, later.target), later.source});
  }

  // A reply had nowhere to go because its stream had been taken over: replies crossed.
  static void raise_level(const TimelineEvent& event, FindingSink& findings) {
    FindingDraft draft;
    draft.detail = "concurrent";
    draft.session = event.session->label;
    draft.requestor = event.call->requestor;
    draft.level = Level::critical;
    draft.count = 0;
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kDuplicateRequestId{"duplicate_request_id", event_bit(EventKind::request) | event_bit(EventKind::call_closed), {},
                                               [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<DuplicateRequestId>(); }};

}  // namespace mcpscan::engine
