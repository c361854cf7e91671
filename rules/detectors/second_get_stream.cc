// A second standalone stream of a session that was refused, by 409 or by the server's word. Who is to blame cannot be told from that
// alone; a gateway that then ends its backend took a harmless refusal for a fatal error.
// Source: MCP 2025-11-25 transports "Listening for Messages from the Server"; protocol notes CH13.
#include <set>

#include "engine/backend_end.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class SecondGetStream : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    switch (event.kind) {
      case EventKind::exchange_closed: return on_status(event, event.exchange->method, event.exchange->status, findings);
      case EventKind::exchange_summary: return on_status(event, event.observation->http->method, event.observation->http->status, findings);
      case EventKind::session_finished: refused_.erase(event.session->index); return;
      default: return on_notice(event, findings);
    }
  }

 private:
  void on_status(const TimelineEvent& event, std::string_view method, unsigned status, FindingSink& findings) {
    if (method == "GET" && status == 409) tell(event, findings);
  }

  void on_notice(const TimelineEvent& event, FindingSink& findings) {
    const NoticeKind kind = event.observation->notice->kind;
    if (kind == NoticeKind::second_get_stream) return tell(event, findings);
    if (kind != NoticeKind::backend_exited || !event.session || !refused_.contains(event.session->index)) return;
    if (!backend_end(*event.observation).asked) return;
    FindingDraft draft = draft_for(event);
    draft.count = 0;
    draft.level = Level::low;
    draft.fault = {Party::gateway, Certainty::strong, {}, "it took the refusal of a second stream for a fatal error and ended its backend"};
    findings.add(std::move(draft));
  }

  void tell(const TimelineEvent& event, FindingSink& findings) {
    if (event.session) refused_.insert(event.session->index);
    FindingDraft draft = draft_for(event);
    draft.fault.reason = "a reconnect that raced the old stream and a second client look the same";
    findings.add(std::move(draft));
  }

  static FindingDraft draft_for(const TimelineEvent& event) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  std::set<std::uint32_t> refused_;  // sessions open at a time
};

}  // namespace

extern const DetectorEntry kSecondGetStream{"second_get_stream", event_bits(EventKind::notice, EventKind::exchange_closed, EventKind::exchange_summary, EventKind::session_finished), {}, made<SecondGetStream>};

}  // namespace mcpscan::engine
