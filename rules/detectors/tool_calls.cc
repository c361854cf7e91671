// Calls against the list of tools that is valid when they are made: of a tool that the list has not, and results without the structure that
// their tool promised. The rule's `fault` parameter says which: unlisted or no-structure. Judged only where the list is whole.
// Source: MCP 2025-06-18 "Tools", output schema; 2025-11-25 "Tools", error handling; protocol notes TL04 RS10.
#include <fmt/format.h>

#include <unordered_map>

#include "engine/tool_listing.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class ToolCalls : public Detector {
 public:
  explicit ToolCalls(const Parameters& parameters) : unlisted_(parameters.at("fault") == "unlisted") {}

  std::uint32_t wants() const override { return unlisted_ ? ~0u : ~event_bit(EventKind::request); }

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return listing_.forget(event.session->index);
    if (!event.session) return;
    listing_.note(event);
    if (unlisted_ ? !may_be_unlisted(event) : !may_lack_structure(event)) return;
    const bool about_call = event.call && event.call->method == kToolsCall && event.call->requestor == Direction::client_to_server;
    const ToolListing::Listed* list = about_call && !event.session->had_gap && !event.session->mixed ? listing_.whole(event.session->index) : nullptr;
    if (!list) return;
    const ListedTool* tool = list->find(event.call->target);
    if (unlisted_ && !tool) judge_unlisted(event, findings);
    if (!unlisted_ && tool && tool->structured) judge_structure(event, findings);
  }

 private:
  // A request, or the reply to one that may have been found.
  bool may_be_unlisted(const TimelineEvent& event) const { return event.kind == EventKind::request || (event.kind == EventKind::reply && any_unlisted_); }

  // The request is what is wrong; that a server carries it out shows a tool that it hides.
  void judge_unlisted(const TimelineEvent& event, FindingSink& findings) {
    if (event.kind == EventKind::request) {
      any_unlisted_ = true;
      FindingDraft draft = draft_for(event);
      draft.call = finding_call(*event.call);
      draft.level = Level::informational;  // a refusal is the answer it gets; nothing came of it
      draft.fault = {Party::client, Certainty::strong, {}, fmt::format("it called {}, which the server's list does not have", event.call->target)};
      return findings.add(std::move(draft));
    }
    const RpcMessage* message = event.observation->message;
    const bool done = event.kind == EventKind::reply && message && message->kind == MessageKind::result && (message->result_keys & kIsErrorTrue) == 0;
    if (!done) return;
    FindingDraft draft = draft_for(event);
    draft.count = 0;
    draft.level = Level::high;
    draft.fault = {Party::server, Certainty::proven, {"client"}, fmt::format("it carried out {}, which its list does not have", event.call->target)};
    findings.add(std::move(draft));
  }

  // An answer that may be one without the structure that its tool promised.
  static bool may_lack_structure(const TimelineEvent& event) {
    constexpr std::uint32_t kExcused = kStructuredContent | kIsErrorTrue | kTask | kInputRequired;
    const RpcMessage* message = event.observation->message;
    return event.kind == EventKind::reply && event.verdict == ReplyVerdict::answer && message && message->kind == MessageKind::result &&
           (message->result_keys & kExcused) == 0 && message->defects == 0;
  }

  static void judge_structure(const TimelineEvent& event, FindingSink& findings) {
    constexpr std::string_view kSince = "2025-06-18";
    const std::string& version = event.session->protocol_version;
    if (!version.empty() && version < kSince) return;
    FindingDraft draft = draft_for(event);
    draft.call = finding_call(*event.call);
    draft.fault = {Party::server, Certainty::proven, {}, fmt::format("the tool {} declares an outputSchema and its result has no structuredContent", event.call->target)};
    findings.add(std::move(draft));
  }

  static FindingDraft draft_for(const TimelineEvent& event) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.discriminator = event.call->target;
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  bool unlisted_, any_unlisted_ = false;
  ToolListing listing_;
};

}  // namespace

extern const DetectorEntry kToolCalls{"tool_calls", event_bits(EventKind::request, EventKind::reply, EventKind::notification, EventKind::session_finished), {"fault"}, made<ToolCalls>};

}  // namespace mcpscan::engine
