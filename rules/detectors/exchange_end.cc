// How exchanges end: a body shorter than its framing promised or a message cut inside it, and streams cut after a silence of a known idle
// limit; of an access line, by the proxy's own word. The rule's `fault` parameter says which: truncated-body or keepalive-gap. Nothing is
// told where the evidence itself has a hole.
// Source: RFC 9112 sections 6 and 8; protocol notes RS16 TM05.
#include <fmt/format.h>

#include <set>

#include "engine/known_waits.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kCut = 4096;  // exchanges with a cut message, still open

class ExchangeEnd : public Detector {
 public:
  explicit ExchangeEnd(const Parameters& parameters) : truncated_(parameters.at("fault") == "truncated-body") {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::malformed) return note_cut(event);
    if (event.kind == EventKind::exchange_summary) return judge_line(event, findings);
    const HttpFacts* http = event.observation->exchange == event.exchange->id ? event.observation->http : nullptr;
    const bool cut = cut_.erase(event.exchange->id) > 0;
    if (!http || event.exchange->gap) return;
    truncated_ ? judge_body(event, *http, cut, findings) : judge_silence(event, *http, findings);
  }

 private:
  // Whether the reply had come before the cut an access line cannot tell: hence no lost reply.
  void judge_line(const TimelineEvent& event, FindingSink& findings) const {
    const HttpFacts& http = *event.observation->http;
    const bool timed_out = event.observation->notice && event.observation->notice->kind == NoticeKind::request_timed_out;
    if (truncated_ && http.method == "POST" && http.status / 100 == 2 && http.end == EndReason::reset_by_server) {
      tell(event, {Party::server, Certainty::weak, {"gateway"}, "the proxy says that the server's side broke off before the response was whole"}, findings);
    } else if (!truncated_ && http.method == "GET" && http.status / 100 == 2 && timed_out) {
      tell(event, {Party::server, Certainty::weak, {"gateway"}, "the proxy says that its idle limit was over: no keep-alive had met it"}, findings);
    }
  }

  void note_cut(const TimelineEvent& event) {
    const RpcMessage* message = event.observation->message;
    if (!event.exchange || !message || (message->defects & kTruncated) == 0 || event.observation->direction != Direction::server_to_client) return;
    if (cut_.size() < kCut) cut_.insert(event.exchange->id);
  }

  static void judge_body(const TimelineEvent& event, const HttpFacts& http, bool cut, FindingSink& findings) {
    const EndReason end = event.exchange->end;
    const bool by_server = end == EndReason::closed_by_server || end == EndReason::reset_by_server || end == EndReason::complete;
    if (event.exchange->is_sse || !by_server || event.exchange->status == 0) return;
    const bool short_of = http.declared_bytes > 0 && http.response_bytes >= 0 && http.response_bytes < http.declared_bytes && end != EndReason::complete;
    if (!short_of && !cut) return;
    const std::string reason = short_of ? fmt::format("{} of {} bytes of the response came", http.response_bytes, http.declared_bytes)
                                        : std::string("the response ends in the middle of its message");
    tell(event, {Party::server, Certainty::weak, {"gateway"}, reason + "; a proxy's limit of body or time looks the same"}, findings);
  }

  // Ended from the server's side right when a proxy would lose patience.
  static void judge_silence(const TimelineEvent& event, const HttpFacts& http, FindingSink& findings) {
    const EndReason end = event.exchange->end;
    if (!event.exchange->is_sse || (end != EndReason::closed_by_server && end != EndReason::reset_by_server)) return;
    if (!http.last_byte_at.known() || !event.at.known()) return;
    const KnownWait* const limit = idle_limit(event.at.us - http.last_byte_at.us);
    if (!limit) return;
    tell(event, {Party::server, Certainty::weak, {"gateway"}, fmt::format("no byte for {} s on the stream, then it was cut: an idle limit, and no keep-alive that would have met it", limit->seconds)}, findings);
  }

  static void tell(const TimelineEvent& event, Fault fault, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    draft.fault = std::move(fault);
    if (event.call) draft.call = finding_call(*event.call);
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

  bool truncated_;
  std::set<std::uint64_t> cut_;
};

}  // namespace

extern const DetectorEntry kExchangeEnd{"exchange_end", event_bits(EventKind::malformed, EventKind::exchange_closed, EventKind::exchange_summary), {"fault"}, made<ExchangeEnd>};

}  // namespace mcpscan::engine
