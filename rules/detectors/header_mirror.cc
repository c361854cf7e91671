// Headers of a 2026-07-28 request that do not say what its body says: Mcp-Method and MCP-Protocol-Version of every request, Mcp-Name of those
// that name a tool, prompt, resource or task. A header that is missing is told where the evidence shows heads whole.
// Source: MCP 2026-07-28 transports "Standard Request Headers"; protocol notes LC10 LC11.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

bool names_target(std::string_view method) {
  return method == kToolsCall || method == kPromptsGet || method == "resources/read" || method.starts_with("tasks/");
}

class HeaderMirror : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const RpcMessage& message = *event.observation->message;
    const bool readable = (message.defects & (kTruncated | kNotJson | kTooDeep | kRepairedText)) == 0;
    if (!event.exchange || event.call->requestor == Direction::server_to_client || message.method == kInitialize || !readable) return;
    const Exchange& head = *event.exchange;
    Mirror mirror;
    mirror.whole = event.modern && event.session->on_wire && shows_head(head, event.source);
    mirror.compare("Mcp-Method", head.mcp_method, message.method);
    if (names_target(message.method)) mirror.compare("Mcp-Name", head.mcp_name, message.target);
    if (event.modern) mirror.compare("MCP-Protocol-Version", head.protocol_version, message.protocol_version);
    if (!mirror.reason.empty()) tell(event, mirror, findings);
  }

 private:
  struct Mirror {
    bool whole = false;   // what is not there was not sent
    bool differs = false;
    std::string reason;

    // Long values are kept as their heads, each in its own way.
    void compare(std::string_view name, std::string_view header, std::string_view body) {
      const bool kept = std::max(header.size(), body.size()) < Limits{}.id_bytes;
      if (header.empty() ? body.empty() || !whole : header == body || !kept || (body.empty() && !whole)) return;
      reason += reason.empty() ? "" : ", and ";
      if (header.empty()) return void(reason += fmt::format("its {} is missing or empty, where the body has {}", name, body));
      if (body.empty()) return void(reason += fmt::format("its {} says {}, of which the body says nothing", name, header));
      differs = true;
      reason += fmt::format("its {} says {}, its body {}", name, header, body);
    }
  };

  // Some tools leave headers out of what they record: one of these shows that others would be there.
  static bool shows_head(const Exchange& head, const SourceRef& source) {
    if (head.method.empty()) return false;
    return source.kind == PlaceKind::packet || !head.mcp_method.empty() || !head.mcp_name.empty() || !head.protocol_version.empty();
  }

  static void tell(const TimelineEvent& event, const Mirror& mirror, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.detail = mirror.differs ? "" : "missing";
    if (!mirror.differs) draft.level = Level::medium;
    draft.at = event.at;
    draft.call = finding_call(*event.call);
    draft.fault = {Party::client, Certainty::weak, {"gateway"}, mirror.reason};
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kHeaderMirror{"header_mirror", event_bits(EventKind::request), {}, made<HeaderMirror>};

}  // namespace mcpscan::engine
