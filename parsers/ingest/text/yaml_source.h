// YamlSource: the text of a data file while it is being loaded: errors that show file:line, the line and a caret, and the few
// shapes that dialect files use (scalar, list of scalars, map with known keys). The first error wins; what is read
// after it does not matter. Lives only during load_dialect().
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace mcpscan::ingest {

class YamlSource {
 public:
  YamlSource(std::string_view text, std::string_view path) : text_(text), path_(path) {}

  bool ok() const { return !failed_; }
  Error error() const { return error_; }
  void fail(const YAML::Mark& mark, std::string what, std::string hint = "");
  void fail(const YAML::Node& node, std::string what, std::string hint = "") { fail(node.Mark(), std::move(what), std::move(hint)); }

  using Reader = std::function<void(const YAML::Node&)>;
  struct Key {
    std::string_view name;
    Reader read;
  };
  // Hands each value of a map to its key's reader; an unknown key is an error with a hint, so is a key that stands twice.
  void each_key(const YAML::Node& map, std::string_view what, const std::vector<Key>& keys);
  void each_item(const YAML::Node& list, std::string_view what, const Reader& read);
  std::string scalar(const YAML::Node& node, std::string_view what);
  // One scalar, or a list of them.
  std::vector<std::string> scalars(const YAML::Node& node, std::string_view what);
  bool boolean(const YAML::Node& node, std::string_view what);
  // The index of the node's word among `words`, 0 and an error when it is none.
  std::size_t choice(const YAML::Node& node, std::string_view what, const std::vector<std::string_view>& words);

 private:
  std::string picture(const YAML::Mark& mark) const;

  std::string_view text_, path_;
  Error error_;
  bool failed_ = false;
};

}  // namespace mcpscan::ingest
