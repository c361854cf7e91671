// Calls that a client gave up: by notifications/cancelled for a timeout, by its own statement, or by hanging up after one of the
// known waits. The cause carries the alarm; this only says who stopped waiting, and after how long.
// Source: MCP 2025-11-25 "Timeouts"; TypeScript SDK shared/protocol.ts (60 s), protocol notes TM01.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::int64_t kConstantsS[] = {2, 5, 10, 20, 30, 60, 100, 120, 180, 240, 300};
constexpr double kTolerance = 0.02;
constexpr std::int64_t kLongEnoughUs = 25 * kSecond;  // an access line shorter than this says nothing about a timeout

// The constant a wait stands for, in seconds; 0: none.
std::int64_t constant_of(std::int64_t us) {
  for (const std::int64_t seconds : kConstantsS) {
    if (std::abs(static_cast<double>(us) - static_cast<double>(seconds * kSecond)) <= kTolerance * static_cast<double>(seconds * kSecond)) return seconds;
  }
  return 0;
}

class ClientTimeout : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::timeout) return on_timeout(event, findings);
    on_access_line(event, findings);
  }

 private:
  static FindingDraft draft_for(const TimelineEvent& event, std::int64_t wait_us) {
    FindingDraft draft;
    const std::int64_t constant = wait_us < 0 ? 0 : constant_of(wait_us);
    draft.detail = constant > 0 ? fmt::format("{} s", constant) : std::string();
    draft.session = event.session ? event.session->label : std::string();
    draft.requestor = Direction::client_to_server;
    draft.at = event.at;
    draft.fault = {Party::client, Certainty::weak, {}, wait_us < 0 ? std::string("it gave up waiting") : fmt::format("it gave up after {}", format_duration(wait_us))};
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  static void on_timeout(const TimelineEvent& event, FindingSink& findings) {
    // A cancel of a call that is over already says nothing, unless its reply came where the client does not look.
    const Call* call = event.call ? event.call : event.other && event.other->wrong_channel ? event.other : nullptr;
    if (!call && event.other) return;
    const Notice* notice = event.observation ? event.observation->notice : nullptr;
    const bool timed = call && call->requested_at.known() && event.at.known();
    const std::int64_t wait = timed ? event.at.us - call->requested_at.us : notice ? notice->wait_us : -1;
    FindingDraft draft = draft_for(event, wait);
    draft.cause_rule = "serialized-calls";  // where there is a queue, it explains who waited in it
    if (call) {
      draft.call = finding_call(*call);
      draft.evidence.insert(draft.evidence.begin(), evidence_of(*call));
      if (call->collided) draft.cause_rule = "duplicate-request-id", draft.cause_id = call->id.value;
      if (call->wrong_channel) draft.cause_rule = "wrong-channel-reply", draft.cause_id = call->id.value;
    }
    findings.add(std::move(draft));
  }

  // Not one byte of a reply until a known wait was over: the client's deadline, seen from a proxy.
  static void on_access_line(const TimelineEvent& event, FindingSink& findings) {
    const HttpFacts& http = *event.observation->http;
    if (!event.session || http.method != "POST" || http.response_bytes != 0 || http.duration_us < kLongEnoughUs) return;
    if ((http.status != 200 && http.status != 499) || constant_of(http.duration_us) == 0) return;
    FindingDraft draft = draft_for(event, http.duration_us);
    draft.cause_rule = "lost-reply";
    if (event.call) {
      draft.call = finding_call(*event.call);
      if (event.call->collided) draft.cause_rule = "duplicate-request-id", draft.cause_id = event.call->id.value;
    }
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kClientTimeout{"client_timeout", event_bit(EventKind::timeout) | event_bit(EventKind::exchange_summary), {},
                                          [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<ClientTimeout>(); }};

}  // namespace mcpscan::engine
