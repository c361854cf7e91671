// Calls that a client gave up: by notifications/cancelled for a timeout, by its own statement, or by hanging up after one of the
// known waits; where the evidence holds no calls, also by what the client's own record shows. The cause carries the alarm; this only says who
// stopped waiting, and after how long. A proxy that gives up on its server, and says so, is gateway-timeout's; a cancel of what was never sent is
// cancel-invalid-target's, unless the evidence lacks that request.
// Source: MCP 2025-11-25 "Timeouts"; TypeScript SDK shared/protocol.ts (60 s), protocol notes TM01.
#include <fmt/format.h>

#include <vector>

#include "engine/client_record.h"
#include "engine/held_drafts.h"
#include "engine/known_waits.h"
#include "engine/proxy_statement.h"
#include "model/detector.h"
#include "session/id_ledger.h"

namespace mcpscan::engine {
namespace {

using namespace model;

// The call that a timeout is about. One of a call that was answered says nothing, unless its reply missed the client.
const Call* waited_for(const TimelineEvent& event) {
  if (event.call || !event.other) return event.call;
  const bool gone = event.other->closed == CloseReason::backend_gone || event.other->closed == CloseReason::client_closed;
  return event.other->untaken != Untaken::no || gone ? event.other : nullptr;
}

// The rule whose finding explains why no reply reached the client; where there is a queue, it explains who waited in it.
const char* cause_of(const Call& call) {
  if (call.collided) return "duplicate-request-id";
  if (call.closed == CloseReason::backend_gone) return "backend-exit";
  if (call.stream_ended == CloseReason::stream_closed || call.stream_ended == CloseReason::connection_reset) return "lost-reply";
  switch (call.untaken) {
    case Untaken::wrong_channel: return "wrong-channel-reply";
    case Untaken::type_drift: return "id-type-drift";
    case Untaken::rejected: return "reply-dropped-by-client";
    case Untaken::nameless: return "lost-reply";
    case Untaken::no: break;
  }
  return "serialized-calls";
}

class ClientTimeout : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    switch (event.kind) {
      case EventKind::request: saw_calls_ = saw_calls_ || event.call->method == kToolsCall; return;
      case EventKind::outcome: return on_outcome(event);
      case EventKind::timeout: return on_timeout(event, findings);
      case EventKind::call_closed: return on_hang_up(event, findings);
      case EventKind::session_finished: return tell_unseen(*event.session, findings);
      default: return on_access_line(event, findings);
    }
  }

  void finish(FindingSink& findings) override {
    if (saw_calls_) return;
    for (FindingDraft& draft : shown_) findings.add(std::move(draft));
  }

 private:
  static constexpr std::size_t kShown = 1024;
  static constexpr double kWaitFactor = 5;  // times the 99th percentile of answered calls

  void on_outcome(const TimelineEvent& event) {
    const auto ended = record_.note(event);
    if (!ended || !event.observation->outcome->timed_out || shown_.size() >= kShown) return;
    const bool timed = ended->at.known() && event.at.known();
    FindingDraft draft = draft_for(event, timed ? event.at.us - ended->at.us : -1);
    draft.level = Level::informational;  // what the client was waiting for, and whether it came, nobody else tells
    draft.call = ClientRecord::call_of(*ended);
    draft.evidence.insert(draft.evidence.begin(), ended->evidence);
    shown_.push_back(std::move(draft));
  }

  static std::string words_of(std::int64_t wait_us) {
    if (wait_us < 0) return "gave up waiting";
    const KnownWait* known = client_wait(wait_us);
    return fmt::format("gave up after {}", format_duration(wait_us)) + (known && !known->owner.empty() ? fmt::format(" ({})", known->owner) : std::string());
  }

  static FindingDraft draft_for(const TimelineEvent& event, std::int64_t wait_us) {
    FindingDraft draft;
    const KnownWait* known = wait_us < 0 ? nullptr : client_wait(wait_us);
    draft.detail = known ? fmt::format("{} s", known->seconds) : std::string();
    draft.session = event.session ? event.session->label : std::string();
    draft.requestor = Direction::client_to_server;
    draft.at = event.at;
    draft.fault = {Party::client, Certainty::weak, {}, "it " + words_of(wait_us)};
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  // What it says it waited for, its session has not sent as far as this shows.
  static bool names_unknown(const TimelineEvent& event) {
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    if (event.call || event.other || !message || !message->related.present() || !event.session) return false;
    const Session& session = *event.session;
    return session.initialize_seen && session.ids_tell() && !session.had_gap && !session.damaged && !session.mixed;
  }

  void tell_unseen(const Session& session, FindingSink& findings) {
    for (FindingDraft& draft : unknown_.take(session.index)) {
      if (session.had_gap || session::is_among(session.unseen_of(Direction::client_to_server), draft.call->id.view())) findings.add(std::move(draft));
    }
  }

  void on_timeout(const TimelineEvent& event, FindingSink& findings) {
    const Call* call = waited_for(event);
    const bool cancelled_by_server = event.observation && event.observation->message && event.observation->direction == Direction::server_to_client;
    const bool by_server = cancelled_by_server || (call && call->requestor == Direction::server_to_client);  // lost-reply's
    if ((!call && event.other) || by_server) return;
    const Notice* notice = event.observation ? event.observation->notice : nullptr;
    if (notice && is_of_proxy(*event.observation)) return;
    const bool timed = call && call->requested_at.known() && event.at.known();
    const std::int64_t wait = timed ? event.at.us - call->requested_at.us : notice ? notice->wait_us : -1;
    FindingDraft draft = draft_for(event, wait);
    draft.cause_rule = call ? cause_of(*call) : "serialized-calls";
    if (call) {
      draft.call = finding_call(*call);
      draft.evidence.insert(draft.evidence.begin(), evidence_of(*call));
      const bool by_call = call->collided || call->untaken != Untaken::no || call->stream_ended != CloseReason::open;
      if (by_call) draft.cause_id = call->id.value;
    } else if (notice && !notice->key.empty()) {
      draft.call = call_of_key(notice->key);
      draft.call->method = notice->method;
    }
    if (!names_unknown(event)) return findings.add(std::move(draft));
    draft.call = FindingCall{OwnedId(event.observation->message->related), {}, {}, {}, {}};
    HeldDrafts::Waiting(unknown_, event.session->index, findings).add(std::move(draft));
  }

  // From 2026-07-28 a client cancels by closing the response, and gives no reason: a known wait tells its deadline, another long one may have
  // been its user.
  static void on_hang_up(const TimelineEvent& event, FindingSink& findings) {
    const Call& call = *event.call;
    const bool by_closing = event.modern && call.closed == CloseReason::cancelled && event.observation && event.observation->kind == ObservationKind::exchange_end;
    const bool timed = call.requested_at.known() && event.at.known();
    if (!by_closing || !timed || call.method == "subscriptions/listen" || call.requestor != Direction::client_to_server) return;
    const std::int64_t wait = event.at.us - call.requested_at.us;
    const std::int64_t p99 = event.session->latency.quantile(0.99);
    const bool deadline = wait >= kTellingWaitUs && client_wait(wait);
    if (!deadline && (p99 < 0 || static_cast<double>(wait) <= kWaitFactor * static_cast<double>(p99))) return;
    FindingDraft draft = draft_for(event, wait);
    if (!deadline) draft.level = Level::informational;
    draft.call = finding_call(call);
    draft.evidence.insert(draft.evidence.begin(), evidence_of(call));
    findings.add(std::move(draft));
  }

  // Not one byte of a reply until a known wait was over, or the proxy says that the client left then: its deadline, seen from a proxy.
  static void on_access_line(const TimelineEvent& event, FindingSink& findings) {
    const HttpFacts& http = *event.observation->http;
    const bool says_left = http.status == 499 || http.status == 460;
    const bool left = http.end == EndReason::closed_by_client || says_left;
    const bool refused = http.status != 0 && http.status != 200 && !says_left;
    const bool hung_up = !refused && (http.end == EndReason::closed_by_client || (http.response_bytes == 0 && http.status != 0));
    if ((!event.session && !left) || http.method != "POST" || !hung_up || http.duration_us < kTellingWaitUs || !client_wait(http.duration_us)) return;
    FindingDraft draft = draft_for(event, http.duration_us);
    draft.cause_rule = "lost-reply";
    if (event.call) {
      draft.call = finding_call(*event.call);
      if (event.call->collided) draft.cause_rule = "duplicate-request-id", draft.cause_id = event.call->id.value;
    }
    findings.add(std::move(draft));
  }

  ClientRecord record_;
  HeldDrafts unknown_;
  std::vector<FindingDraft> shown_;  // given up by the record's word
  bool saw_calls_ = false;
};

}  // namespace

extern const DetectorEntry kClientTimeout{"client_timeout", event_bits(EventKind::timeout, EventKind::exchange_summary, EventKind::request, EventKind::outcome, EventKind::call_closed, EventKind::session_finished),
                                          {},
                                          [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<ClientTimeout>(); }};

}  // namespace mcpscan::engine
