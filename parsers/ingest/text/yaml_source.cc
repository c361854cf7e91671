#include "ingest/text/yaml_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/data_file.h"

namespace mcpscan::ingest {

std::string YamlSource::picture(YamlPlace place) const {
  const auto line = line_at(text_, place);
  return line ? fmt::format("\n  {}\n  {:>{}}", *line, '^', place.column + 1) : std::string();
}

void YamlSource::fail(YamlPlace place, std::string_view what, std::string hint) {
  if (failed_) return;
  failed_ = true;
  error_.code = ErrorCode::malformed;
  error_.where = fmt::format("{}:{}", path_, place.line + 1);
  error_.what = std::string(what) + picture(place);
  error_.hint = std::move(hint);
}

void YamlSource::each_key(const YamlNode& map, std::string_view what, const std::vector<Key>& keys) {
  if (!map.is_map()) return fail(map, fmt::format("{} must be a map", what));
  std::vector<std::string> seen;
  for (const YamlEntry& entry : map.entries()) {
    if (failed_) return;
    const std::string name = scalar(entry.key, "a key");
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return fail(entry.key, fmt::format("key '{}' stands twice", name));
    seen.push_back(name);
    const auto found = std::find_if(keys.begin(), keys.end(), [&name](const Key& key) { return key.name == name; });
    if (found != keys.end()) {
      found->read(entry.value);
      continue;
    }
    std::vector<std::string_view> known;
    for (const Key& key : keys) known.push_back(key.name);
    return fail(entry.key, fmt::format("unknown key '{}' in {}", name, what), did_you_mean(name, known));
  }
}

void YamlSource::each_item(const YamlNode& list, std::string_view what, const Reader& read) {
  if (!list.is_list()) return fail(list, fmt::format("{} must be a list", what));
  for (const YamlNode& item : list.items()) {
    if (failed_) return;
    read(item);
  }
}

std::string YamlSource::scalar(const YamlNode& node, std::string_view what) {
  if (node.is_text()) return node.text();
  fail(node, fmt::format("{} must be a text", what));
  return {};
}

std::vector<std::string> YamlSource::scalars(const YamlNode& node, std::string_view what) {
  if (!node.is_list()) return {scalar(node, what)};
  std::vector<std::string> result;
  each_item(node, what, [&](const YamlNode& item) { result.push_back(scalar(item, what)); });
  return result;
}

bool YamlSource::boolean(const YamlNode& node, std::string_view what) { return choice(node, what, {"false", "true"}) == 1; }

std::size_t YamlSource::choice(const YamlNode& node, std::string_view what, const std::vector<std::string_view>& words) {
  const std::string word = scalar(node, what);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  fail(node, fmt::format("'{}' is no {}", word, what), did_you_mean(word, words));
  return 0;
}

}  // namespace mcpscan::ingest
