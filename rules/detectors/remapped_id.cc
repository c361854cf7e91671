// Ids that a gateway rewrote: the original id, a separator and random hex ("1" becomes "1_a3b2c1d0"), seen behind it. Restored ids are a
// workaround at work and informational. Several requests must have the form, so that one odd id accuses nobody.
// Source: protocol notes ID12.
#include <unordered_map>

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
    if (event.call->requestor != Direction::client_to_server || !has_rewritten_form(event.call->id.type, event.call->id.value)) return;
    Seen& seen = seen_[event.session->index];
    ++seen.count;
    if (!seen.first.known()) seen.first = event.at;
    if (seen.drafts.size() >= kShown) return;
    FindingDraft draft;
    draft.call = finding_call(*event.call);
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

  struct Seen {
    std::uint64_t count = 0;
    Time first;
    std::vector<FindingDraft> drafts;
  };

  void flush(const Session& session, FindingSink& findings) {
    const auto found = seen_.find(session.index);
    if (found == seen_.end()) return;
    Seen& seen = found->second;
    for (std::size_t i = 0; seen.count >= kFewest && i < seen.drafts.size(); ++i) {
      FindingDraft& draft = seen.drafts[i];
      draft.session = session.label;
      draft.requestor = Direction::client_to_server;
      draft.count = i == 0 ? seen.count - seen.drafts.size() + 1 : 1;
      draft.fault = {Party::gateway, Certainty::strong, {}, "ids of this form are a gateway's: the client's id, and hex that it took off again in the replies"};
      findings.add(std::move(draft));
    }
    seen_.erase(found);
  }

  std::unordered_map<std::uint32_t, Seen> seen_;
};

}  // namespace

extern const DetectorEntry kRemappedId{"remapped_id", event_bit(EventKind::request) | event_bit(EventKind::session_finished) | event_bit(EventKind::notice), {},
                                       [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<RemappedId>(); }};

}  // namespace mcpscan::engine
