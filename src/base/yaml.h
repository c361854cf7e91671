// YamlNode: a value of a YAML document, with its place. read_yaml(): the first document of a text as a tree, by libyaml.
// Not here: what the values mean. Tags other than !!str are left out, merge keys (<<) are keys as others; a key that stands twice is
// told twice by entries(), and [] gives the first.
// Ownership: a node owns its text and what is below it. Threads: a tree may be read by many. Throws nothing; libyaml stays inside.
// Bounds: kYamlDepth levels, kYamlAliasBytes of copies that aliases stand for.
// Source: YAML 1.1 as libyaml 0.2 reads it (1.2.2 where both agree on what people write).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcpscan {

inline constexpr std::size_t kYamlDepth = 320;
inline constexpr std::size_t kYamlAliasBytes = 16u << 20;

// Both from 0; a column counts characters.
struct YamlPlace {
  std::size_t line = 0, column = 0;
};

struct YamlEntry;

class YamlNode {
 public:
  enum class Kind : std::uint8_t { undefined, null, text, list, map };

  bool is_defined() const { return kind_ != Kind::undefined; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_text() const { return kind_ == Kind::text; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_map() const { return kind_ == Kind::map; }

  // A text whatever it looks like: in quotes, or a block.
  bool is_quoted() const { return quoted_; }
  const std::string& text() const { return text_; }  // empty unless is_text()
  const std::vector<YamlNode>& items() const { return items_; }  // none unless is_list()
  const std::vector<YamlEntry>& entries() const { return entries_; }  // none unless is_map()
  // The value of the key; an undefined node where there is none.
  const YamlNode& operator[](std::string_view key) const;
  YamlPlace place() const { return place_; }

 private:
  friend class YamlTree;

  Kind kind_ = Kind::undefined;
  bool quoted_ = false;
  YamlPlace place_;
  std::string text_;
  std::vector<YamlNode> items_;
  std::vector<YamlEntry> entries_;
};

struct YamlEntry {
  YamlNode key, value;
};

// What a text is, or why it is no YAML and where. An empty text is an undefined node.
struct YamlText {
  YamlNode root;
  std::string error;  // empty: none
  YamlPlace error_place;
};
YamlText read_yaml(std::string_view text);

// The line of the place, without its end; nothing where the text has none there.
std::optional<std::string_view> line_at(std::string_view text, YamlPlace place);

}  // namespace mcpscan
