// A session that one replica knows and another does not: refused and answered in turn within a short time.
// Source: MCP 2025-11-25 transports "Session Management"; protocol notes SE03.
#include "engine/by_session.h"
#include "engine/session_refusal.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class SessionAffinity : public Detector {
 public:
  explicit SessionAffinity(const Parameters& parameters) : window_us_(duration_parameter(parameters, "window_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (!event.session) return;
    if (event.kind == EventKind::session_finished) return flush(*event.session, findings);
    const bool summary = event.kind == EventKind::exchange_summary;
    if (!summary && !event.exchange->named_session) return;
    const unsigned status = summary ? event.observation->http->status : event.exchange->status;
    const HttpFacts* http = event.observation->http;
    const std::string_view method = summary ? http->method : std::string_view(event.exchange->method);
    const bool refused = refuses_session(method, status, http ? http->refusal : std::string_view());
    if (!refused && (status < 200 || status >= 300)) return;
    if (!refused && refused_last(event)) return;
    note(event, refused);
  }

 private:
  struct Seen {
    bool refused = false, any = false;
    Time last;
    std::uint64_t flips = 0;
    std::vector<Evidence> evidence;
    Time first_flip;
  };

  bool refused_last(const TimelineEvent& event) const {
    const Seen* const seen = seen_.find(event.session->index);
    return seen && seen->refused && asked_before(event, seen->last);
  }

  void note(const TimelineEvent& event, bool refused) {
    Seen& seen = seen_[event.session->index];
    const bool near = !seen.last.known() || !event.at.known() || event.at.us - seen.last.us <= window_us_;
    if (seen.any && seen.refused != refused && near) {
      if (++seen.flips == 1) seen.first_flip = event.at;
      seen.evidence.push_back(evidence_of(event));
      if (seen.evidence.size() > kEvidence) seen.evidence.pop_back();
    }
    seen.any = true;
    seen.refused = refused;
    seen.last = event.at;
  }

  void flush(const Session& session, FindingSink& findings) {
    const std::unique_ptr<Seen> seen = seen_.take(session.index);
    if (!seen || seen->flips < 2) return;
    FindingDraft draft;
    draft.session = session.label;
    draft.count = seen->flips;
    draft.at = seen->first_flip;
    draft.evidence = std::move(seen->evidence);
    draft.fault = {Party::network, Certainty::strong, {"server"}, "a load balancer sends one session to several replicas, of which only one knows it"};
    findings.add(std::move(draft));
  }

  static constexpr std::size_t kEvidence = 50;
  std::int64_t window_us_;
  BySession<Seen> seen_;
};

}  // namespace

extern const DetectorEntry kSessionAffinity{"session_affinity",
                                            event_bit(EventKind::exchange_summary) | event_bit(EventKind::exchange_closed) | event_bit(EventKind::session_finished),
                                            {"window_s"},
                                            [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<SessionAffinity>(parameters); }};

}  // namespace mcpscan::engine
