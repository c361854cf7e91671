// Replies that do not pair with one waiting call: orphans, duplicates and ids that changed their JSON type. One detector for
// three rules; the rule's `verdict` parameter says which.
// Source: JSON-RPC 2.0 section 5; protocol notes RS01 RS02 ID09.
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class ReplyPairing : public Detector {
 public:
  explicit ReplyPairing(const Parameters& parameters) : verdict_(verdict_of(parameters.at("verdict"))) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.verdict != verdict_ || event.across_streams) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    const Call* call = event.call ? event.call : event.other;
    const bool of_client = event.observation->direction == Direction::client_to_server;
    draft.requestor = call ? call->requestor : of_client ? Direction::server_to_client : Direction::client_to_server;
    const bool by_server = draft.requestor == Direction::client_to_server;
    // Over HTTP a gateway may stand between; a process speaks for itself.
    const bool direct = !event.session->on_wire || verdict_ == ReplyVerdict::type_drift;
    draft.fault = {by_server ? Party::server : Party::client, direct ? Certainty::strong : Certainty::weak, {}, reason()};
    if (call) draft.evidence.push_back(evidence_of(*call));
    draft.evidence.push_back(evidence_of(event));
    draft.call = call_of(event);
    if (verdict_ == ReplyVerdict::duplicate && !event.same_payload) draft.level = Level::critical, draft.detail = "different payload";
    findings.add(draft);
    if (verdict_ == ReplyVerdict::orphan && event.other) {  // the request it was meant for belongs to the finding as well
      draft.count = 0;
      draft.call = finding_call(*event.other);
      draft.evidence.clear();
      findings.add(std::move(draft));
    }
  }

 private:
  static ReplyVerdict verdict_of(std::string_view word) {
    if (word == "orphan") return ReplyVerdict::orphan;
    return word == "duplicate" ? ReplyVerdict::duplicate : ReplyVerdict::type_drift;
  }

  std::string reason() const {
    if (verdict_ == ReplyVerdict::orphan) return "it answered with an id that no request waited for";
    if (verdict_ == ReplyVerdict::duplicate) return "it answered one request more than once";
    return "it answered with the id in another JSON type";
  }

  FindingCall call_of(const TimelineEvent& event) const {
    if (event.call) return finding_call(*event.call);
    return {OwnedId(event.observation->message->id), {}, {}, {}, event.at};
  }

  ReplyVerdict verdict_;
};

}  // namespace

extern const DetectorEntry kReplyPairing{"reply_pairing", event_bit(EventKind::reply), {"verdict"},
                                         [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<ReplyPairing>(parameters); }};

}  // namespace mcpscan::engine
