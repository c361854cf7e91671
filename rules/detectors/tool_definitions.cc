// What tools/list replies say against each other: a tool whose definition changed without a word, and tools of one list whose names a person
// or a model cannot tell apart. The rule's `fault` parameter says which: changed or shadowed.
// Source: MCP 2025-11-25 "Tools", list changed notification and security considerations; protocol notes TL01 TL05.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/hash.h"
#include "engine/tool_listing.h"
#include "engine/tool_name.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kServers = 1024;  // server and principal pairs whose tools are remembered

class ToolDefinitions : public Detector {
 public:
  explicit ToolDefinitions(const Parameters& parameters) : changed_(parameters.at("fault") == "changed") {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return listing_.forget(event.session->index);
    if (event.kind == EventKind::notification && event.observation->message && event.observation->message->method == "notifications/tools/list_changed") {
      if (const auto server = servers_.find(server_of(event)); server != servers_.end()) server->second.told = true;
    }
    const ToolPage* page = listing_.note(event);
    if (!page) return;
    changed_ ? compare(event, *page, findings) : look_for_twins(event, *page, findings);
  }

 private:
  struct Server {
    std::map<std::string, std::uint64_t> tools;
    std::string version;
    bool told = false;  // that its list changed, since it was last read
  };

  // What a list may depend on: the server, and who asks.
  static std::string server_of(const TimelineEvent& event) {
    const Session& session = *event.session;
    const std::uint64_t principal = event.exchange ? event.exchange->principal : 0;
    const std::string& where = !session.server_endpoint.empty() || !session.server_name.empty() ? session.server_endpoint : session.key;
    return fmt::format("{}\x1f{}\x1f{:x}", where, session.server_name, principal);
  }

  void compare(const TimelineEvent& event, const ToolPage& page, FindingSink& findings) {
    const std::string key = server_of(event);
    if (!servers_.contains(key) && servers_.size() >= kServers) return;
    Server& server = servers_[key];
    const bool updated = !server.version.empty() && server.version != event.session->server_version;
    for (const ListedTool& tool : page.tools) {
      const auto [known, fresh] = server.tools.try_emplace(tool.name, tool.definition);
      if (fresh || known->second == tool.definition) continue;
      known->second = tool.definition;
      if (server.told) continue;
      FindingDraft draft = draft_for(event, tool.name);
      if (updated) draft.level = Level::medium;
      draft.fault = {Party::server, updated ? Certainty::weak : Certainty::strong, {},
                     fmt::format("it changed what the tool {} says of itself without notifications/tools/list_changed{}", tool.name, updated ? ", along with its version" : "")};
      findings.add(std::move(draft));
    }
    server.version = event.session->server_version;
    if (page.last) server.told = false;
  }

  static void look_for_twins(const TimelineEvent& event, const ToolPage& page, FindingSink& findings) {
    std::map<std::string, std::string_view> by_look;
    for (const ListedTool& tool : page.tools) {
      const auto [twin, fresh] = by_look.try_emplace(look_of(tool.name), tool.name);
      if (fresh) continue;
      FindingDraft draft = draft_for(event, tool.name);
      draft.fault = {Party::server, Certainty::strong, {"gateway"},
                     twin->second == tool.name ? fmt::format("its list has two tools named {}", tool.name) : fmt::format("its list has two tools that look like {}, told apart by characters nobody sees", twin->second)};
      findings.add(std::move(draft));
    }
  }

  static FindingDraft draft_for(const TimelineEvent& event, const std::string& tool) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.discriminator = tool;
    draft.at = event.at;
    draft.call = finding_call(*event.call);
    draft.call->tool = tool;
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  bool changed_;
  ToolListing listing_;
  std::map<std::string, Server> servers_;
};

}  // namespace

extern const DetectorEntry kToolDefinitions{"tool_definitions", event_bits(EventKind::reply, EventKind::notification, EventKind::session_finished), {"fault"}, made<ToolDefinitions>};

}  // namespace mcpscan::engine
