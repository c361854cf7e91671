#include "ingest/json_outline.h"

#include <algorithm>

namespace mcpscan::ingest {
namespace {

std::size_t skip_space(std::string_view text, std::size_t at) { return std::min(text.find_first_not_of(" \t\r\n", at), text.size()); }

// Behind the closing quote of the string that opens at `at`; the end of the text when it does not close.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// Behind a value: at the comma or bracket that ends it on its own level.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return at;
}

}  // namespace

JsonOutline::JsonOutline(std::string_view text) {
  std::size_t at = skip_space(text, 0);
  if (at == text.size() || text[at] != '{') return;
  while (members_.size() < kMembers) {
    at = skip_space(text, at + 1);
    if (at >= text.size() || text[at] != '"') return;
    const std::size_t key_end = end_of_string(text, at);
    const std::string_view key = text.substr(at + 1, key_end - at - 2);
    at = skip_space(text, key_end);
    if (at >= text.size() || text[at] != ':') return;
    at = skip_space(text, at + 1);
    const std::size_t end = end_of_value(text, at);
    members_.emplace_back(key, text.substr(at, end - at));
    if (end >= text.size() || text[end] != ',') return;
    at = end;
  }
}

std::string_view JsonOutline::value(std::string_view key) const {
  const auto member = std::find_if(members_.begin(), members_.end(), [key](const auto& one) { return one.first == key; });
  return member == members_.end() ? std::string_view() : member->second;
}

std::string_view JsonOutline::text(std::string_view key) const {
  const std::string_view found = value(key);
  if (!found.starts_with('"')) return {};
  return found.substr(1, std::min(found.find('"', 1), found.size()) - 1);
}

}  // namespace mcpscan::ingest
