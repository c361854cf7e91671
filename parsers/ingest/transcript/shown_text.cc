#include <cstring>

#include "ingest/transcript/transcript_line.h"

namespace mcpscan::ingest {
namespace {

bool is_text_block(const JsonMembers& block) {
  const std::string_view type = block.find("type").text;
  return type == "text" || type == "input_text" || type == "output_text";
}

// The second text and those behind it cost a copy; nearly all results have one.
void append(ShownText& shown, std::string_view text, Arena& arena) {
  if (shown.text.empty()) {
    shown.text = text;
  } else if (!text.empty()) {
    const std::span<char> joined = arena.buffer(shown.text.size() + text.size());
    std::memcpy(joined.data(), shown.text.data(), shown.text.size());
    std::memcpy(joined.data() + shown.text.size(), text.data(), text.size());
    shown.text = {joined.data(), joined.size()};
  }
  shown.any = true;
}

ShownText text_of_blocks(std::string_view blocks, Arena& arena) {
  ShownText shown;
  JsonMembers block;
  for_each_item(blocks, [&](const JsonValue& item) {
    if (item.type != JsonType::object || !block.read(item.text) || !is_text_block(block)) return true;
    const JsonValue text = block.find("text");
    if (text.is_text()) append(shown, unescape_json(text, arena), arena);
    return true;
  });
  return shown;
}

}  // namespace

std::string_view text_of(const JsonMembers& members, std::string_view key, Arena& arena) {
  const JsonValue value = members.find(key);
  return value.is_text() ? unescape_json(value, arena) : std::string_view{};
}

ShownText shown_text(const JsonValue& content, Arena& arena) {
  if (content.is_text()) return {unescape_json(content, arena), true};
  if (content.type == JsonType::array) return text_of_blocks(content.text, arena);
  JsonMembers members;
  if (content.type != JsonType::object || !members.read(content.text)) return {};
  const JsonValue inner = members.find("content");
  if (inner.type == JsonType::array) return text_of_blocks(inner.text, arena);
  return inner.is_text() ? ShownText{unescape_json(inner, arena), true} : ShownText{};
}

}  // namespace mcpscan::ingest
