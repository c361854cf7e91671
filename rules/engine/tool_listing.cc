#include "engine/tool_listing.h"

#include <algorithm>

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

const ListedTool* ToolPage::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const ListedTool* ToolListing::Listed::find(std::string_view name) const {
  for (auto page = pages.rbegin(); page != pages.rend(); ++page) {
    if (const ListedTool* tool = (*page)->find(name)) return tool;
  }
  return nullptr;
}

std::shared_ptr<const ToolPage> ToolListing::page_of(const RpcMessage& message) {
  if (message.kind != MessageKind::result || (message.result_keys & model::kTools) == 0) return nullptr;
  const auto known = std::find_if(read_.begin(), read_.end(), [&](const Read& one) { return one.page && one.text == message.text; });
  if (known != read_.end()) return known->page;
  std::shared_ptr<const ToolPage> page = read(message);
  if (!page || message.text.size() > kPageBytes) return page;
  read_[next_read_] = {std::string(message.text), page};
  next_read_ = (next_read_ + 1) % kPages;
  return page;
}

std::shared_ptr<const ToolPage> ToolListing::read(const RpcMessage& message) {
  simdjson::dom::array tools;
  const auto found = json_.read(message) ? json_.at("/result/tools") : std::nullopt;
  if (!found || found->get(tools) != simdjson::SUCCESS) return nullptr;
  auto page = std::make_shared<ToolPage>();
  for (const MessageJson::Element& tool : tools) {
    std::string_view name;
    if (page->tools.size() >= kMost || tool["name"].get(name) != simdjson::SUCCESS) continue;
    MessageJson::Element schema;
    page->tools.push_back({std::string(name), definition_of(tool), tool["outputSchema"].get(schema) == simdjson::SUCCESS});
  }
  for (const ListedTool& tool : page->tools) page->by_name[tool.name] = &tool;
  page->last = json_.text("/result/nextCursor").empty();
  return page;
}

const ToolPage* ToolListing::note(const TimelineEvent& event) {
  const RpcMessage* message = event.observation ? event.observation->message : nullptr;
  if (!message || !event.session) return nullptr;
  if (event.kind == EventKind::notification) {
    if (message->method != "notifications/tools/list_changed") return nullptr;
    if (Listed* const listed = sessions_.find(event.session->index)) listed->stale = true;
    return nullptr;
  }
  if (event.kind != EventKind::reply || !event.call || event.call->method != kToolsList) return nullptr;
  page_ = page_of(*message);
  if (!page_) return nullptr;
  Listed& listed = sessions_[event.session->index];
  if (!listed.open) listed.pages.clear(), listed.tools = 0, listed.whole = false;  // the first page of a list begins it anew
  listed.tools += page_->tools.size();
  if (listed.tools <= kMost) listed.pages.push_back(page_);
  listed.open = !page_->last;
  if (page_->last) listed.whole = listed.tools < kMost, listed.stale = false;
  return page_.get();
}

const ToolListing::Listed* ToolListing::whole(std::uint32_t session) const {
  const Listed* const listed = sessions_.find(session);
  return listed && listed->whole && !listed->stale ? listed : nullptr;
}

}  // namespace mcpscan::engine
