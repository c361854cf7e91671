#include "ingest/text/yaml_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/data_file.h"

namespace mcpscan::ingest {

std::string YamlSource::picture(const YAML::Mark& mark) const {
  std::size_t from = 0;
  for (int line = 0; line < mark.line; ++line) {
    const std::size_t end = text_.find('\n', from);
    if (end == std::string_view::npos) return {};
    from = end + 1;
  }
  const std::string_view line = text_.substr(from, std::min(text_.find('\n', from), text_.size()) - from);
  return fmt::format("\n  {}\n  {:>{}}", line, '^', mark.column + 1);
}

void YamlSource::fail(const YAML::Mark& mark, std::string what, std::string hint) {
  if (failed_) return;
  failed_ = true;
  const bool placed = !mark.is_null();
  error_.code = ErrorCode::malformed;
  error_.where = placed ? fmt::format("{}:{}", path_, mark.line + 1) : std::string(path_);
  error_.what = placed ? what + picture(mark) : std::move(what);
  error_.hint = std::move(hint);
}

void YamlSource::each_key(const YAML::Node& map, std::string_view what, const std::vector<Key>& keys) {
  if (!map.IsMap()) return fail(map, fmt::format("{} must be a map", what));
  std::vector<std::string> seen;
  for (const auto& entry : map) {
    if (failed_) return;
    const std::string name = scalar(entry.first, "a key");
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return fail(entry.first, fmt::format("key '{}' stands twice", name));
    seen.push_back(name);
    const auto found = std::find_if(keys.begin(), keys.end(), [&name](const Key& key) { return key.name == name; });
    if (found != keys.end()) {
      found->read(entry.second);
      continue;
    }
    std::vector<std::string_view> known;
    for (const Key& key : keys) known.push_back(key.name);
    return fail(entry.first, fmt::format("unknown key '{}' in {}", name, what), did_you_mean(name, known));
  }
}

void YamlSource::each_item(const YAML::Node& list, std::string_view what, const Reader& read) {
  if (!list.IsSequence()) return fail(list, fmt::format("{} must be a list", what));
  for (const auto& item : list) {
    if (failed_) return;
    read(item);
  }
}

std::string YamlSource::scalar(const YAML::Node& node, std::string_view what) {
  if (node.IsScalar()) return node.Scalar();
  fail(node, fmt::format("{} must be a text", what));
  return {};
}

std::vector<std::string> YamlSource::scalars(const YAML::Node& node, std::string_view what) {
  if (!node.IsSequence()) return {scalar(node, what)};
  std::vector<std::string> result;
  each_item(node, what, [&](const YAML::Node& item) { result.push_back(scalar(item, what)); });
  return result;
}

bool YamlSource::boolean(const YAML::Node& node, std::string_view what) { return choice(node, what, {"false", "true"}) == 1; }

std::size_t YamlSource::choice(const YAML::Node& node, std::string_view what, const std::vector<std::string_view>& words) {
  const std::string word = scalar(node, what);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  fail(node, fmt::format("'{}' is no {}", word, what), did_you_mean(word, words));
  return 0;
}

}  // namespace mcpscan::ingest
