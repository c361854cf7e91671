// JsonOutline: the keys of the first object of a text, with where their values begin. For telling forms apart from a head that may
// end anywhere; it accepts what is no JSON and never fails. Not a parser: escapes in keys are not decoded.
// Ownership: views into the text. Bounds: kMembers keys.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace mcpscan::ingest {

class JsonOutline {
 public:
  explicit JsonOutline(std::string_view text);

  bool has(std::string_view key) const { return !value(key).empty(); }
  // The text from the value's first byte to the end of the value, or of the head; empty: no such key.
  std::string_view value(std::string_view key) const;
  // A string value without quotes; empty for anything else.
  std::string_view text(std::string_view key) const;

 private:
  static constexpr std::size_t kMembers = 64;
  std::vector<std::pair<std::string_view, std::string_view>> members_;
};

}  // namespace mcpscan::ingest
