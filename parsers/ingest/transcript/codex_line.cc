#include <algorithm>
#include <charconv>

#include "ingest/transcript/transcript_line.h"

namespace mcpscan::ingest {
namespace {

std::int64_t whole_number(std::string_view text) {
  std::int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// {"secs":0,"nanos":12000000}
std::int64_t duration_of(const JsonValue& value) {
  JsonMembers parts;
  if (value.type != JsonType::object || !parts.read(value.text)) return -1;
  const std::int64_t seconds = whole_number(parts.find("secs").text), nanos = whole_number(parts.find("nanos").text);
  const bool sound = seconds >= 0 && seconds < 366ll * 24 * 3600 && nanos >= 0 && nanos < 1'000'000'000;
  return sound ? seconds * kSecond + nanos / 1000 : -1;
}

// mcp__demo__add; a namespace of its own in newer builds, demo__add in older ones.
void take_name(const JsonMembers& payload, Arena& arena, ToolEvent& event) {
  const std::string_view name = text_of(payload, "name", arena);
  const std::string_view space = text_of(payload, "namespace", arena);
  event.tool = name;
  if (split_mcp_name(name, event)) return;
  if (space.starts_with("mcp__") && space.size() > 5) {
    event.names_mcp = true;
    event.server = space.substr(5);
    while (event.server.ends_with('_')) event.server.remove_suffix(1);
    return;
  }
  const std::size_t border = name.find("__", 1);
  if (border == std::string_view::npos || border + 2 >= name.size()) return;
  event.names_mcp = true;
  event.server = name.substr(0, border);
  event.tool = name.substr(border + 2);
}

void take_call(const JsonMembers& payload, Arena& arena, ToolEvent& event) {
  event.is_start = true;
  take_name(payload, arena, event);
  event.arguments = text_of(payload, "arguments", arena);
}

// The output is a text that may itself be the JSON of content blocks, or an object with content and success.
void take_output(const JsonMembers& payload, Arena& arena, ToolEvent& event) {
  const JsonValue output = payload.find("output");
  event.shown = shown_text(output, arena);
  if (event.shown.text.starts_with("[{")) {
    const ShownText blocks = shown_text({JsonType::array, false, event.shown.text}, arena);
    if (blocks.any) event.shown = blocks;
  }
  JsonMembers members;
  if (output.type == JsonType::object && members.read(output.text)) event.is_error = members.find("success").text == "false";
  event.is_error |= event.shown.text.starts_with("tool call error") || event.shown.text.starts_with("user rejected MCP tool call") ||
                    event.shown.text.starts_with("unsupported call: ");
}

void take_invocation(const JsonMembers& named, Arena& arena, ToolEvent& event) {
  event.names_mcp = true;
  event.server = text_of(named, "server", arena);
  event.tool = text_of(named, "tool", arena);
  event.arguments = named.find("arguments").text;
}

void take_result(const JsonValue& result, Arena& arena, ToolEvent& event) {
  event.shown = shown_text(result, arena);
  JsonMembers members;
  if (result.type != JsonType::object || !members.read(result.text)) return;
  const JsonValue flag = members.find("isError").present() ? members.find("isError") : members.find("is_error");
  event.is_error = flag.text == "true";
}

// {"Ok":{"content":[...],"isError":false}} or {"Err":"..."}
void take_end(const JsonMembers& payload, Arena& arena, ToolEvent& event) {
  JsonMembers invocation, result;
  if (invocation.read(payload.find("invocation").text)) take_invocation(invocation, arena, event);
  event.duration_us = duration_of(payload.find("duration"));
  if (!result.read(payload.find("result").text)) return;
  const JsonValue failure = result.find("Err");
  if (!failure.present()) return take_result(result.find("Ok"), arena, event);
  event.is_error = true;
  event.shown = shown_text(failure, arena);
}

// item_completed of newest builds: {"type":"McpToolCall","id","server","tool","arguments","status","result","error"}
bool take_item(const JsonMembers& payload, Arena& arena, ToolEvent& event) {
  JsonMembers item;
  if (!item.read(payload.find("item").text) || item.find("type").text != "McpToolCall") return false;
  event.call = text_of(item, "id", arena);
  take_invocation(item, arena, event);
  const std::int64_t from = whole_number(payload.find("started_at_ms").text), to = whole_number(payload.find("completed_at_ms").text);
  constexpr std::int64_t kLatestMs = 7'258'118'400'000;  // the year 2200
  if (from > 0 && to >= from && to < kLatestMs) event.duration_us = (to - from) * kMillisecond;
  const JsonValue failure = item.find("error");
  if (!failure.present()) return take_result(item.find("result"), arena, event), true;
  JsonMembers told;
  event.is_error = true;
  event.shown = failure.type == JsonType::object && told.read(failure.text) ? shown_text(told.find("message"), arena) : shown_text(failure, arena);
  return true;
}

bool read_payload(const JsonMembers& payload, Arena& arena, ToolEvent& event) {
  const std::string_view type = payload.find("type").text;
  event.call = text_of(payload, "call_id", arena);
  if (type == "function_call") take_call(payload, arena, event);
  else if (type == "function_call_output") take_output(payload, arena, event);
  else if (type == "mcp_tool_call_end") take_end(payload, arena, event);
  else if (type != "item_completed" || !take_item(payload, arena, event)) return false;
  return !event.call.empty();
}

}  // namespace

void read_codex_line(const JsonMembers& members, Arena& arena, TranscriptLine& line, OnToolEvent on_event) {
  JsonMembers payload;
  const JsonValue inner = members.find("payload");
  if (inner.type != JsonType::object || !payload.read(inner.text)) return;
  line.form = TranscriptForm::codex;
  line.at = members.find("timestamp").text;
  if (members.find("type").text == "session_meta") line.conversation = text_of(payload, "id", arena);
  ToolEvent event;
  event.quote = inner.text;
  if (read_payload(payload, arena, event)) on_event(event);
}

}  // namespace mcpscan::ingest
