// DataFile: a YAML file of ours or of a user (rules, dialects, tuning), read with places: every complaint says file:line,
// shows the line with a caret, and hints at what was meant. Throws nothing.
// Ownership: nodes belong to the file.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"

namespace mcpscan {

// The text without these keys of its root, the lines of which become empty, so that places stay.
std::string without_keys(std::string_view yaml, std::initializer_list<std::string_view> keys);

class DataFile {
 public:
  // The document's root must be a map.
  static Result<DataFile> parse(std::string_view text, std::string_view path);

  const YamlNode& root() const { return root_; }
  const std::string& path() const { return path_; }

  // An error at the node's place. `hint` may be empty.
  Error error(const YamlNode& at, std::string_view what, std::string_view hint = {}) const;
  // An error at the first key of `map` that is not known, with "did you mean".
  Status check_keys(const YamlNode& map, const std::vector<std::string_view>& known) const;

  // Typed access; an absent key gives the default, a wrong type an error with its place.
  Result<std::string> text(const YamlNode& map, const char* key, bool required = false) const;
  Result<std::vector<std::string>> texts(const YamlNode& map, const char* key) const;  // a scalar counts as a list of one
  Result<double> number(const YamlNode& map, const char* key, double otherwise) const;

 private:
  YamlNode root_;
  std::string path_, text_;
};

// "did you mean 'x'?", else the known words.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace mcpscan
