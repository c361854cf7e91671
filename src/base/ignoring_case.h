// Looking for a word in text whose case its writers choose as they like. ASCII only. Threads: pure function.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/find_text.h"

namespace mcpscan {

// `lower_word` is written in lower case, as most writers do.
inline bool contains_ignoring_case(std::string_view text, std::string_view lower_word) {
  if (find_text(text, lower_word) != std::string_view::npos) return true;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::search(text.begin(), text.end(), lower_word.begin(), lower_word.end(), [&](char a, char b) { return lower(a) == b; }) != text.end();
}

}  // namespace mcpscan
