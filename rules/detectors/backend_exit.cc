// The end of the process behind a gateway or client. One that was asked to end while nothing waited for it is a shutdown.
// Source: MCP 2025-11-25 transports, stdio, "Shutdown"; protocol notes HT04.
#include <string>

#include "engine/backend_end.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class BackendExit : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.observation->notice->kind != NoticeKind::backend_exited) return;
    const BackendEnd end = backend_end(*event.observation);
    const bool waited_for = event.session && !event.session->open.empty();
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    draft.fault = end.fault;
    // Where a client ended its session first, that is why; and the tail of a session that nothing is known of may be anything.
    const bool told_before = was_told(event, draft.session, end.dumped);
    const bool by_dump = end.dumped || told_.dumped;
    const bool told_how = !event.observation->notice->key.empty() || !event.observation->notice->second_key.empty();
    if ((event.session && event.session->ended && !told_how) || (told_before && (!told_how || by_dump))) return;
    const bool was_asked = !event.observation->notice->method.empty();  // as is said with it
    const bool seen_alive = was_asked || (event.session && (event.session->was_alive || event.session->initialize_seen || event.session->start_seen));
    if ((end.orderly && !waited_for) || (!told_how && !seen_alive && (event.session || end.dumped))) draft.level = Level::informational;
    told_ = {event.at, draft.session, end.dumped && !draft.level, true};
    if (end.asked) draft.cause_rule = "second-get-stream";
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

 private:
  static constexpr std::int64_t kToldTwiceUs = kSecond;  // with its code, and then what was waiting for it

  struct Told {
    Time at;
    std::string session;
    bool dumped = false, any = false;
  };

  // By what was waiting for it, or by the runtime and by who keeps it.
  bool was_told(const TimelineEvent& event, const std::string& session, bool dumped) const {
    const bool at_once = told_.at.known() && event.at.known() ? event.at.us - told_.at.us <= kToldTwiceUs : dumped != told_.dumped;
    return told_.any && at_once && told_.session == session;
  }

  Told told_;  // the last one
};

}  // namespace

extern const DetectorEntry kBackendExit{"backend_exit", event_bit(EventKind::notice), {}, made<BackendExit>};

}  // namespace mcpscan::engine
