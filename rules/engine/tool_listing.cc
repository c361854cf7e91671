#include "engine/tool_listing.h"

#include "base/hash.h"

namespace mcpscan::engine {

using namespace model;

namespace {

std::uint64_t definition_of(const MessageJson::Element& tool) {
  constexpr std::string_view kDecisive[] = {"description", "inputSchema", "outputSchema", "annotations"};
  std::uint64_t digest = 0;
  for (const std::string_view key : kDecisive) {
    MessageJson::Element value;
    if (tool[key].get(value) == simdjson::SUCCESS) digest = hash_combine(digest, hash_combine(hash_bytes(key), MessageJson::digest(value)));
  }
  return digest;
}

}  // namespace

bool ToolListing::read(const RpcMessage& message) {
  page_.tools.clear();
  if (message.kind != MessageKind::result || (message.result_keys & model::kTools) == 0 || !json_.read(message)) return false;
  simdjson::dom::array tools;
  const auto found = json_.at("/result/tools");
  if (!found || found->get(tools) != simdjson::SUCCESS) return false;
  for (const MessageJson::Element& tool : tools) {
    std::string_view name;
    if (page_.tools.size() >= kMost || tool["name"].get(name) != simdjson::SUCCESS) continue;
    MessageJson::Element schema;
    page_.tools.push_back({std::string(name), definition_of(tool), tool["outputSchema"].get(schema) == simdjson::SUCCESS});
  }
  page_.last = json_.text("/result/nextCursor").empty();
  return true;
}

const ToolPage* ToolListing::note(const TimelineEvent& event) {
  const RpcMessage* message = event.observation ? event.observation->message : nullptr;
  if (!message || !event.session) return nullptr;
  if (event.kind == EventKind::notification) {
    const auto listed = sessions_.find(event.session->index);
    if (message->method == "notifications/tools/list_changed" && listed != sessions_.end()) listed->second.stale = true;
    return nullptr;
  }
  if (event.kind != EventKind::reply || !event.call || event.call->method != "tools/list" || !read(*message)) return nullptr;
  Listed& listed = sessions_[event.session->index];
  if (!listed.open) listed.tools.clear(), listed.whole = false;  // the first page of a list begins it anew
  for (const ListedTool& tool : page_.tools) {
    if (listed.tools.size() < kMost) listed.tools.insert_or_assign(tool.name, tool);
  }
  listed.open = !page_.last;
  if (page_.last) listed.whole = listed.tools.size() < kMost, listed.stale = false;
  return &page_;
}

bool ToolListing::is_whole(std::uint32_t session) const {
  const auto listed = sessions_.find(session);
  return listed != sessions_.end() && listed->second.whole && !listed->second.stale;
}

const ListedTool* ToolListing::find(std::uint32_t session, std::string_view name) const {
  const auto listed = sessions_.find(session);
  if (listed == sessions_.end()) return nullptr;
  const auto tool = listed->second.tools.find(name);
  return tool == listed->second.tools.end() ? nullptr : &tool->second;
}

}  // namespace mcpscan::engine
