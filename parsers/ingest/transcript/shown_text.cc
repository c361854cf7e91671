#include <algorithm>
#include <vector>

#include "ingest/transcript/transcript_line.h"

namespace mcpscan::ingest {
namespace {

bool is_text_block(const JsonMembers& block) {
  const std::string_view type = block.find("type").text;
  return type == "text" || type == "input_text" || type == "output_text";
}

// Nearly all results have one text; those of several cost a copy.
std::string_view joined(const std::vector<std::string_view>& texts, Arena& arena) {
  if (texts.size() == 1) return texts[0];
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  const std::span<char> buffer = arena.buffer(bytes);
  char* to = buffer.data();
  for (const std::string_view text : texts) to = std::copy(text.begin(), text.end(), to);
  return {buffer.data(), bytes};
}

ShownText text_of_blocks(std::string_view blocks, Arena& arena) {
  std::vector<std::string_view> texts;
  JsonMembers block;
  for_each_item(blocks, [&](const JsonValue& item) {
    if (item.type != JsonType::object || !block.read(item.text) || !is_text_block(block)) return true;
    const JsonValue text = block.find("text");
    if (text.is_text()) texts.push_back(unescape_json(text, arena));
    return true;
  });
  return {joined(texts, arena), !texts.empty()};
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
