// parse_word: the enumerator whose word it is, where the words stand in the enumerators' order. Internal to the module.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace mcpscan::model {

template <typename Enum, std::size_t N>
std::optional<Enum> parse_word(const std::array<std::string_view, N>& words, std::string_view text) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

}  // namespace mcpscan::model
