// Replies that came after their call had been given up. A reply that crosses the cancel on the wire is no fault: only what comes later
// than a round trip and a margin counts. The "request cancelled" error that some SDKs answer with is what a cancel asks for.
// Source: MCP 2025-11-25 "Cancellation" (timing considerations); protocol notes CA02 TM04.
#include <fmt/format.h>

#include "engine/call_picture.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class LateReply : public Detector {
 public:
  explicit LateReply(const Parameters& parameters) : margin_us_(duration_parameter(parameters, "margin_ms", kMillisecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::notice) return on_statement(event, findings);
    if (event.verdict != ReplyVerdict::late) return;
    const Call& call = *event.call;
    const Call* const later = event.other;  // of the same id
    const bool left = event.earlier == CloseReason::client_closed || event.earlier == CloseReason::restarted;
    const bool harmless = !later || asks_the_same(call, *later) || (later->closed == CloseReason::answered && later->reply_digest == event.observation->message->digest);
    if (event.earlier != CloseReason::timed_out && event.earlier != CloseReason::cancelled && (!left || harmless)) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = call.requestor;
    draft.call = finding_call(call);
    draft.at = event.at;
    draft.evidence = {evidence_of(call), evidence_of(event)};
    draft.fault = {call.requestor == Direction::server_to_client ? Party::server : Party::client, Certainty::weak, {}, "its deadline was shorter than the call takes"};
    const bool timed = event.at.known() && call.closed_at.known();
    const std::int64_t after = timed ? event.at.us - call.closed_at.us : 0;
    if (timed) draft.fault.reason += fmt::format(": the reply came {} after it gave up", format_duration(after));
    if (!harmless) blame_reuse(event, *later, draft);
    const std::int64_t round_trip = std::max<std::int64_t>(event.session->fastest_us, 0);
    if (says_cancelled(*event.observation->message) || (harmless && timed && after <= round_trip + margin_us_)) draft.level = Level::informational;
    const std::string name = call_name(call.method, call.target);
    draft.picture = {{call.requested_at, '>', fmt::format("{}  id {}", name, call.id.raw), call.source, name, call.source}};
    if (timed) draft.picture.push_back({call.closed_at, 'x', fmt::format("{} is given up after {}", name, format_duration(call.closed_at.us - call.requested_at.us)), {}, name, call.source});
    if (later) draft.picture.push_back({later->requested_at, '>', fmt::format("{}  id {} again", call_name(later->method, later->target), later->id.raw), later->source, name, later->source});
    draft.picture.push_back({event.at, '<', fmt::format("the reply of {}{} comes, {} too late", name, later ? ", that was given up," : "", format_duration(after)), event.source, name,
                             later ? later->source : call.source});
    findings.add(std::move(draft));
  }

 private:
  // The same call again, whose reply the first one's is as well.
  static bool asks_the_same(const Call& call, const Call& later) { return call.params_digest != 0 && call.params_digest == later.params_digest && call.method == later.method; }

  // The id had been given to another call meanwhile: clients find whose a reply is by the id alone.
  static void blame_reuse(const TimelineEvent& event, const Call& later, FindingDraft& draft) {
    const bool on_its_own_stream = event.exchange && event.exchange->id == event.call->exchange, restarted = event.earlier == CloseReason::restarted;
    const bool both_answered = later.closed == CloseReason::answered;
    const char* const what = both_answered ? "which of the two replies is whose, its ids do not tell" : "the late reply answers the wrong call";
    draft.level = Level::critical;
    draft.detail = "reissued id";
    draft.fault = {Party::client, on_its_own_stream ? Certainty::proven : Certainty::strong, {}, fmt::format("it {} and used its id again: {}", restarted ? "began anew while the call waited" : "gave the call up", what)};
    draft.cause_rule = "duplicate-request-id";
    draft.cause_id = later.id.value;
    draft.evidence.insert(draft.evidence.begin() + 1, evidence_of(later));
  }

  static bool says_cancelled(const RpcMessage& message) { return message.kind == MessageKind::error && says_cancelled(message.reason); }
  static bool says_cancelled(std::string_view reason) {
    return reason.find("ancelled") != std::string_view::npos || reason.find("anceled") != std::string_view::npos;
  }

  // A client tells that it got the answer to a cancelled request, whose call the evidence does not show.
  static void on_statement(const TimelineEvent& event, FindingSink& findings) {
    const Notice& notice = *event.observation->notice;
    if (notice.kind != NoticeKind::unknown_reply_id || event.other || !says_cancelled(notice.reason)) return;
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.requestor = Direction::client_to_server;
    draft.level = Level::informational;
    draft.call = call_of_key(notice.key);
    draft.call->replied_at = event.at;
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    draft.fault = {Party::server, Certainty::weak, {"client"}, "it answered a request that its client had cancelled; the call itself is not in the evidence"};
    findings.add(std::move(draft));
  }

  std::int64_t margin_us_;
};

}  // namespace

extern const DetectorEntry kLateReply{"late_reply", event_bits(EventKind::reply, EventKind::notice), {"margin_ms"},
                                      [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<LateReply>(parameters); }};

}  // namespace mcpscan::engine
