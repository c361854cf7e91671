// Requests that a proxy gave up on: answered 504 (Cloudflare: 524), or cut later as its access line says, or told in its own error log, or by the
// client that got the answer; tool calls that a gateway did. Both logs of one proxy tell of one request; what the error log alone has is a response
// that was cut after its head, or a log without the other beside it.
// Source: RFC 9110 section 15.6.5; nginx ngx_http_upstream.c; protocol notes TM05.
#include <cstdlib>
#include <vector>

#include "engine/proxy_statement.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kHeld = 4096;             // statements, and answers beside them
constexpr unsigned kTimeoutStatus = 504, kCloudflareStatus = 524;
constexpr std::int64_t kToldTwiceUs = 100'000;  // a client's words for one answer, where it sends and where it handles errors
constexpr std::int64_t kSameUs = 2 * kSecond;   // both logs write whole seconds, one after the other

class GatewayTimeout : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::timeout) return on_statement(event);
    const HttpFacts& http = *event.observation->http;
    const std::string_view method = event.exchange ? std::string_view(event.exchange->method) : http.method;
    const Notice* notice = event.observation->notice;
    const bool cut = event.kind == EventKind::exchange_summary && notice && notice->kind == NoticeKind::request_timed_out;
    if ((http.status != kTimeoutStatus && http.status != kCloudflareStatus && !cut) || method != "POST") return;
    if (answered_.size() < kHeld) answered_.push_back({event.at, false});
    findings.add(draft_for(event));
  }

  void finish(FindingSink& findings) override {
    for (FindingDraft& draft : stated_) {
      if (!is_answered(draft.at)) findings.add(std::move(draft));
    }
  }

 private:
  struct Answered {
    Time at;
    bool matched = false;
  };

  static FindingDraft draft_for(const TimelineEvent& event) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    if (event.call) draft.call = finding_call(*event.call);
    draft.at = event.at;
    draft.fault = {Party::gateway, Certainty::weak, {}, "its own limit was over before the server answered"};
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  void on_statement(const TimelineEvent& event) {
    const Notice* notice = event.observation ? event.observation->notice : nullptr;
    const bool of_stream = notice && (notice->method == "GET" || notice->method == "DELETE");
    if (!notice || !is_of_proxy(*event.observation) || of_stream || stated_.size() >= kHeld) return;
    const bool by_client = event.observation->direction == Direction::server_to_client;
    const bool again = by_client && !event.call && last_of_client_.known() && event.at.known() && event.at.us - last_of_client_.us <= kToldTwiceUs;
    if (by_client) last_of_client_ = event.at;
    if (!again) stated_.push_back(draft_for(event));
  }

  bool is_answered(Time stated) {
    for (Answered& answered : answered_) {
      if (answered.matched || !answered.at.known() || !stated.known() || std::abs(answered.at.us - stated.us) > kSameUs) continue;
      return answered.matched = true;
    }
    return false;
  }

  std::vector<Answered> answered_;
  std::vector<FindingDraft> stated_;
  Time last_of_client_;
};

}  // namespace

extern const DetectorEntry kGatewayTimeout{"gateway_timeout", event_bits(EventKind::exchange_closed, EventKind::exchange_summary, EventKind::timeout), {}, made<GatewayTimeout>};

}  // namespace mcpscan::engine
