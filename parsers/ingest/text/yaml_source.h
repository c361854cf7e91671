// YamlSource: the text of a data file while it is being loaded: errors that show file:line, the line and a caret, and the few
// shapes that dialect files use (scalar, list of scalars, map with known keys). The first error wins; what is read
// after it does not matter. Lives only during load_dialect().
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"

namespace mcpscan::ingest {

class YamlSource {
 public:
  YamlSource(std::string_view text, std::string_view path) : text_(text), path_(path) {}

  bool ok() const { return !failed_; }
  Error error() const { return error_; }
  void fail(YamlPlace place, std::string_view what, std::string hint = "");
  void fail(const YamlNode& node, std::string_view what, std::string hint = "") { fail(node.place(), what, std::move(hint)); }

  using Reader = std::function<void(const YamlNode&)>;
  struct Key {
    std::string_view name;
    Reader read;
  };
  // Hands each value of a map to its key's reader; an unknown key is an error with a hint, so is a key that stands twice.
  void each_key(const YamlNode& map, std::string_view what, const std::vector<Key>& keys);
  void each_item(const YamlNode& list, std::string_view what, const Reader& read);
  std::string scalar(const YamlNode& node, std::string_view what);
  // One scalar, or a list of them.
  std::vector<std::string> scalars(const YamlNode& node, std::string_view what);
  bool boolean(const YamlNode& node, std::string_view what);
  // The index of the node's word among `words`, 0 and an error when it is none.
  std::size_t choice(const YamlNode& node, std::string_view what, const std::vector<std::string_view>& words);

 private:
  std::string picture(YamlPlace place) const;

  std::string_view text_, path_;
  Error error_;
  bool failed_ = false;
};

}  // namespace mcpscan::ingest
