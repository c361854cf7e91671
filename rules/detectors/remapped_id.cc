// Ids that a gateway rewrote, in the forms that gateways are known by ("1" becomes "1_a3b2c1d0"), seen on its other side. Restored ids are a
// workaround at work and informational, one that came back to the client unrestored is not. Several requests must have the form, so that one odd id accuses nobody.
// Source: protocol notes ID12.
#include <map>
#include <utility>

#include "engine/rewritten_id.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kFewest = 3;
constexpr std::size_t kShown = 100;

class RemappedId : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return flush(*event.session, findings);
    if (event.kind == EventKind::notice) return note_statement(event, findings);
    if (event.kind == EventKind::reply) return note_reply(event, findings);
    if (!has_rewritten_form(event.call->id.type, event.call->id.value)) return;
    Seen& seen = seen_[{event.session->index, event.call->requestor}];
    ++seen.count;
    if (!seen.first.known()) seen.first = event.at;
    if (seen.drafts.size() >= kShown) return;
    FindingDraft draft;
    draft.call = finding_call(*event.call);
    draft.requestor = event.call->requestor;
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    seen.drafts.push_back(std::move(draft));
  }

 private:
  // The gateway's own statement that it rewrote an id.
  static void note_statement(const TimelineEvent& event, FindingSink& findings) {
    if (event.observation->notice->kind != NoticeKind::id_remapped || !event.session) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.detail = "told by the gateway";
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    draft.fault = {Party::gateway, Certainty::proven, {"client"}, "it says that it rewrites ids in flight"};
    findings.add(std::move(draft));
  }

  // What waits for the reply does not know it under this id.
  static void note_reply(const TimelineEvent& event, FindingSink& findings) {
    if (!is_unrestored(event) || !event.session) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.detail = "not restored";
    draft.level = Level::high;
    draft.at = event.at;
    draft.call = finding_call(*event.other);
    draft.evidence = {evidence_of(*event.other), evidence_of(event)};
    draft.fault = {Party::gateway, Certainty::strong, {}, "the reply came under the id as a gateway rewrites it, which its client never gave"};
    findings.add(std::move(draft));
  }

  struct Seen {
    std::uint64_t count = 0;
    Time first;
    std::vector<FindingDraft> drafts;
  };

  void flush(const Session& session, FindingSink& findings) {
    for (const Direction requestor : {Direction::client_to_server, Direction::server_to_client}) {
      const auto found = seen_.find({session.index, requestor});
      if (found == seen_.end()) continue;
      tell(session, found->second, findings);
      seen_.erase(found);
    }
  }

  static void tell(const Session& session, Seen& seen, FindingSink& findings) {
    for (std::size_t i = 0; seen.count >= kFewest && i < seen.drafts.size(); ++i) {
      FindingDraft& draft = seen.drafts[i];
      draft.session = session.label;
      draft.count = i == 0 ? seen.count - seen.drafts.size() + 1 : 1;
      draft.fault = {Party::gateway, Certainty::strong, {}, "ids of this form are a gateway's: what was asked with, and what it took off again in the replies"};
      findings.add(std::move(draft));
    }
  }

  std::map<std::pair<std::uint32_t, Direction>, Seen> seen_;  // by session, and who asks
};

}  // namespace

extern const DetectorEntry kRemappedId{"remapped_id", event_bits(EventKind::request, EventKind::reply, EventKind::session_finished, EventKind::notice), {},
                                       [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<RemappedId>(); }};

}  // namespace mcpscan::engine
