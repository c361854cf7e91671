// Connections that the server's side reset while a call on them waited. A reset that a resumed stream or a retry made good is not told; where the last
// copy of a message was reset as well, those of the copies before it are.
// Source: RFC 9293 section 3.5.2; protocol notes TM05.
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/proxy_share.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kRetried = 4096;  // calls whose copies were reset

class ConnectionReset : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::exchange_summary) return on_access_line(event, findings);
    if (event.kind == EventKind::call_closed) return on_closed(event, findings);
    if (!resets_.empty() && event.call && event.verdict == ReplyVerdict::answer) resets_.erase(key_of(*event.call));
  }

 private:
  using Key = std::tuple<std::uint32_t, Direction, IdType, std::string>;
  static Key key_of(const Call& call) { return {call.session, call.requestor, call.id.type, call.id.value}; }

  static FindingDraft draft_for(const TimelineEvent& event) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    draft.fault = or_of_proxy(event, {Party::server, Certainty::strong, {}, "its side reset the connection while a call waited"});
    if (event.call) {
      draft.requestor = event.call->requestor;
      draft.call = finding_call(*event.call);
      draft.cause_rule = "lost-reply";
    }
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  // An access line that names no call: what the session's other calls suffered need not be its cause.
  static void on_access_line(const TimelineEvent& event, FindingSink& findings) {
    const HttpFacts& http = *event.observation->http;
    const bool unanswered = http.status == 0 || http.status == 500 || (http.status >= 502 && http.status <= 504);
    if (http.method == "POST" && http.end == EndReason::reset_by_server && unanswered) findings.add(draft_for(event));
  }

  void on_closed(const TimelineEvent& event, FindingSink& findings) {
    const Call& call = *event.call;
    if (call.closed == CloseReason::sent_again && call.stream_ended == CloseReason::connection_reset) {
      if (resets_.size() >= kRetried || !findings.takes()) return;
      FindingDraft& draft = resets_[key_of(call)].emplace_back(draft_for(event));
      draft.at = call.stream_ended_at;
      return;
    }
    const auto before = resets_.empty() ? Resets::node_type() : resets_.extract(key_of(call));
    if (call.closed != CloseReason::connection_reset) return;
    if (before) {
      for (FindingDraft& draft : before.mapped()) findings.add(std::move(draft));
    }
    findings.add(draft_for(event));
  }

  using Resets = std::map<Key, std::vector<FindingDraft>>;
  Resets resets_;  // of messages that were sent again
};

}  // namespace

extern const DetectorEntry kConnectionReset{"connection_reset", event_bits(EventKind::call_closed, EventKind::exchange_summary, EventKind::reply), {}, made<ConnectionReset>};

}  // namespace mcpscan::engine
