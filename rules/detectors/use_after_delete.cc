// Requests under a session that its client had ended with DELETE. A server that still answers them did not end it; a client that goes on is
// told of one request that was sent long after the answer to its DELETE, or of several: one alone may have been on its way.
// Source: MCP 2025-11-25 transports "Session Management"; protocol notes SE07.
#include <algorithm>
#include <optional>
#include <utility>

#include "engine/by_session.h"
#include "engine/call_picture.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::int64_t kOnItsWayUs = 50 * kMillisecond, kLongAfterUs = kSecond;

class UseAfterDelete : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (!event.session) return;
    if (event.kind == EventKind::session_finished) return void(deleted_.erase(event.session->index));
    const Exchange& exchange = *event.exchange;
    if (!exchange.named_session || exchange.status == 0) return;
    Deleted* const deleted = deleted_.find(event.session->index);
    if (!deleted) {
      if (exchange.method == "DELETE" && exchange.status >= 200 && exchange.status < 300) deleted_[event.session->index].at = event.at;
      return;
    }
    const std::int64_t round_trip = std::max<std::int64_t>(event.session->fastest_us, 0);
    if (!exchange.requested_at.known() || !deleted->at.known() || exchange.requested_at.us <= deleted->at.us + round_trip + kOnItsWayUs) return;
    if (exchange.status >= 200 && exchange.status < 300 && exchange.method != "DELETE") {
      findings.add(draft_for(event, {Party::server, Certainty::strong, {"client"}, "it answered a request of a session that it had ended"}));
    } else if (exchange.status >= 400) {
      FindingDraft refused = draft_for(event, {Party::client, Certainty::strong, {}, "it goes on with a session that it had ended"});
      if (++deleted->refused == 1 && exchange.requested_at.us <= deleted->at.us + round_trip + kLongAfterUs) return void(deleted->alone = std::move(refused));
      if (deleted->alone) findings.add(*std::exchange(deleted->alone, std::nullopt));
      findings.add(std::move(refused));
    }
  }

 private:
  struct Deleted {
    Time at;
    std::uint32_t refused = 0;
    std::optional<FindingDraft> alone;  // the first refused, while no other is
  };

  static FindingDraft draft_for(const TimelineEvent& event, Fault fault) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    if (event.call) draft.call = finding_call(*event.call);
    draft.fault = std::move(fault);
    draft.evidence.push_back({event.exchange->source, {}});
    draft.picture = picture_of(event);  // it may wait
    return draft;
  }

  BySession<Deleted> deleted_;
};

}  // namespace

extern const DetectorEntry kUseAfterDelete{"use_after_delete", event_bits(EventKind::exchange_closed, EventKind::session_finished), {}, made<UseAfterDelete>};

}  // namespace mcpscan::engine
