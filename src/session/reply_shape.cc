#include "session/reply_shape.h"

#include <simdjson.h>

#include <algorithm>
#include <cctype>

namespace mcpscan::session {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

namespace {

constexpr std::size_t kDepth = 4;
constexpr std::size_t kKeysOfObject = 24;
constexpr std::size_t kElementsLookedAt = 4;   // of an array: its elements are much alike
constexpr std::size_t kKeyBytes = 40;
constexpr std::size_t kLeadingBytes = 10;
constexpr std::size_t kJsonDepth = 64;

using Features = std::vector<std::string>;

void add(Features& features, std::string feature) {
  if (features.size() < 4 * ReplyShape::kMostFeatures) features.push_back(std::move(feature));
}

std::string_view type_word(element_type type) {
  switch (type) {
    case element_type::ARRAY: return "list";
    case element_type::OBJECT: return "object";
    case element_type::STRING: return "text";
    case element_type::BOOL: return "truth";
    case element_type::NULL_VALUE: return "null";
    default: return "number";
  }
}

void add_keys(Features& features, const std::string& path, element value, std::size_t depth) {
  add(features, path + ": " + std::string(type_word(value.type())));
  if (depth == 0) return;
  if (value.is_object()) {
    std::size_t seen = 0;
    for (const auto field : object(value)) {
      if (++seen > kKeysOfObject) break;
      add_keys(features, path + "." + std::string(field.key.substr(0, kKeyBytes)), field.value, depth - 1);
    }
  } else if (value.is_array()) {
    std::size_t seen = 0;
    for (const element item : array(value)) {
      if (++seen > kElementsLookedAt) break;
      add_keys(features, path + "[]", item, depth - 1);
    }
  }
}

std::string count_class(std::size_t count) { return count == 0 ? "none" : count == 1 ? "one" : "several"; }

// The first word, digits as 9: `Weather`, `#`, `99`.
std::string leading_class(std::string_view text) {
  std::string leading;
  for (const char c : text.substr(0, kLeadingBytes)) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) break;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !leading.empty() && leading.back() == '9') continue;
    leading += digit ? '9' : c;
  }
  return leading;
}

// Keeps its buffers from one text to the next, and its depth as they grow.
simdjson::dom::parser bounded_parser() {
  constexpr std::size_t kUsualBytes = 4096;
  simdjson::dom::parser parser;
  [[maybe_unused]] const auto failed = parser.allocate(kUsualBytes, kJsonDepth);  // shows when it parses
  return parser;
}

void add_text(Features& features, std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && (text[start] == '{' || text[start] == '[')) {
    thread_local simdjson::dom::parser parser = bounded_parser();  // the message's own parser still holds the text
    element parsed;
    if (parser.parse(text.data(), text.size()).get(parsed) == simdjson::SUCCESS) return add_keys(features, "text", parsed, kDepth);
  }
  add(features, "text begins " + leading_class(text));
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  add(features, std::string("text of ") + (lines == 0 ? "one line" : lines < 6 ? "some lines" : "many lines"));
}

void add_content(Features& features, array content) {
  std::size_t blocks = 0;
  bool text_seen = false;
  for (const element block : content) {
    ++blocks;
    std::string_view type, text, mime;
    if (block["type"].get(type) != simdjson::SUCCESS) type = "?";
    add(features, "content " + std::string(type.substr(0, kKeyBytes)));
    if (block["mimeType"].get(mime) == simdjson::SUCCESS) add(features, "mime " + std::string(mime.substr(0, kKeyBytes)));
    if (!text_seen && type == "text" && block["text"].get(text) == simdjson::SUCCESS) add_text(features, text), text_seen = true;
    if (blocks >= kKeysOfObject) break;
  }
  add(features, count_class(blocks) + " content");
}

}  // namespace

ReplyShape::ReplyShape(std::string_view message_text) {
  if (message_text.empty() || message_text.size() > kMostBytes) return;
  thread_local simdjson::dom::parser parser = bounded_parser();
  element message, result, structured;
  array content;
  if (parser.parse(message_text.data(), message_text.size()).get(message) != simdjson::SUCCESS) return;
  if (message["result"].get(result) != simdjson::SUCCESS || result["content"].get(content) != simdjson::SUCCESS) return;
  bool is_error = false;
  if (result["isError"].get(is_error) == simdjson::SUCCESS && is_error) return;  // errors of all tools look alike
  add_content(features_, content);
  if (result["structuredContent"].get(structured) == simdjson::SUCCESS) add_keys(features_, "structured", structured, kDepth);
  std::sort(features_.begin(), features_.end());
  features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
  if (features_.size() > kMostFeatures) features_.resize(kMostFeatures);
}

bool ReplyShape::has(std::string_view feature) const { return std::binary_search(features_.begin(), features_.end(), feature); }

}  // namespace mcpscan::session
