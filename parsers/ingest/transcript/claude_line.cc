#include "ingest/transcript/client_words.h"
#include "ingest/transcript/transcript_line.h"

namespace mcpscan::ingest {
namespace {

bool is_true(const JsonValue& value) { return value.type == JsonType::literal && value.text == "true"; }

void take_use(const JsonMembers& block, std::string_view quote, Arena& arena, ToolEvent& event) {
  event.is_start = true;
  event.call = text_of(block, "id", arena);
  event.quote = quote;
  const std::string_view name = text_of(block, "name", arena);
  const std::string_view server = text_of(block, "server_name", arena);  // mcp_tool_use, where the model's API made the call
  if (!server.empty()) {
    event.names_mcp = true;
    event.server = server;
    event.tool = name;
  } else if (!split_mcp_name(name, event)) {
    event.tool = name;
  }
  event.arguments = block.find("input").text;
}

void take_result(const JsonMembers& block, std::string_view quote, Arena& arena, ToolEvent& event) {
  event.call = text_of(block, "tool_use_id", arena);
  event.quote = quote;
  event.is_error = is_true(block.find("is_error"));
  event.shown = shown_text(block.find("content"), arena);
}

// toolUseResult and mcpMeta stand beside the message: they are the line's only result's.
void take_line_facts(const JsonMembers& members, Arena& arena, ToolEvent& event) {
  event.names_mcp |= members.find("mcpMeta").present() || event.call.starts_with("mcptoolu_");
  if (client_word(event.shown.text, event.is_error) == ClientWord::replaced) event.payload = shown_text(members.find("toolUseResult"), arena);
}

bool read_block(const JsonValue& item, const JsonMembers& members, Arena& arena, ToolEvent& event) {
  JsonMembers block;
  if (item.type != JsonType::object || !block.read(item.text)) return false;
  const std::string_view type = block.find("type").text;
  if (type == "tool_use" || type == "mcp_tool_use") {
    take_use(block, item.text, arena, event);
  } else if (type == "tool_result" || type == "mcp_tool_result") {
    take_result(block, item.text, arena, event);
    take_line_facts(members, arena, event);
  } else {
    return false;
  }
  return !event.call.empty();
}

}  // namespace

bool split_mcp_name(std::string_view name, ToolEvent& event) {
  constexpr std::string_view kPrefix = "mcp__";
  if (!name.starts_with(kPrefix)) return false;
  const std::string_view rest = name.substr(kPrefix.size());
  const std::size_t border = rest.find("__", 1);
  if (border == std::string_view::npos || border + 2 == rest.size()) return false;
  event.names_mcp = true;
  event.server = rest.substr(0, border);
  event.tool = rest.substr(border + 2);
  return true;
}

void read_claude_line(const JsonMembers& members, Arena& arena, TranscriptLine& line, OnToolEvent on_event) {
  JsonMembers message;
  const JsonValue inner = members.find("message");
  if (inner.type != JsonType::object || !message.read(inner.text)) return;
  line.form = TranscriptForm::claude_code;
  line.at = members.find("timestamp").text;
  line.conversation = text_of(members, members.find("sessionId").is_text() ? "sessionId" : "session_id", arena);
  line.agent = text_of(members, members.find("agentId").is_text() ? "agentId" : "parent_tool_use_id", arena);
  line.sidechain = is_true(members.find("isSidechain")) || !line.agent.empty();
  for_each_item(message.find("content").text, [&](const JsonValue& item) {
    ToolEvent event;
    if (read_block(item, members, arena, event)) on_event(event);
    return true;
  });
}

}  // namespace mcpscan::ingest
