// ReplyShape: what a tool's reply looks like, apart from what it says: kinds of content, the keys and types of its JSON, how its text
// begins. A set of short features, sorted, comparable between replies. Bounded: kMostFeatures, keys to a depth of 4, replies up to 256 KB.
// Not a schema: it says what was seen, not what is allowed. Source: protocol notes C.4.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mcpscan::session {

class ReplyShape {
 public:
  static constexpr std::size_t kMostFeatures = 32;
  static constexpr std::size_t kMostBytes = 1u << 18;

  ReplyShape() = default;
  // Of a JSON-RPC result message as it stood. Unknown where it is no JSON, too long, an error, or no finished result of a tool.
  explicit ReplyShape(std::string_view message_text);

  bool known() const { return !features_.empty(); }
  const std::vector<std::string>& features() const { return features_; }  // sorted, each once
  bool has(std::string_view feature) const;

 private:
  std::vector<std::string> features_;
};

}  // namespace mcpscan::session
