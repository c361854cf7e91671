// Split invariance: the same bytes in every cutting must give the same result. `run(pieces)` feeds the pieces to a fresh
// analyzer and returns what it yielded, as text.
#pragma once

#include <cstdint>
#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mcpscan::tests {

inline std::vector<std::string_view> cut(std::string_view bytes, const std::vector<std::size_t>& at) {
  std::vector<std::string_view> pieces;
  std::size_t from = 0;
  for (const std::size_t to : at) {
    if (to > from && to < bytes.size()) pieces.push_back(bytes.substr(from, to - from)), from = to;
  }
  pieces.push_back(bytes.substr(from));
  return pieces;
}

// Every cutting to try: whole, byte by byte, and 200 seeded ones with 1 to 8 cuts.
inline std::vector<std::vector<std::string_view>> all_cuttings(std::string_view bytes, std::uint32_t seed = 1) {
  std::vector<std::vector<std::string_view>> result{{bytes}};
  std::vector<std::size_t> every;
  for (std::size_t i = 1; i < bytes.size(); ++i) every.push_back(i);
  result.push_back(cut(bytes, every));
  std::mt19937 random(seed);
  for (int i = 0; i < 200 && bytes.size() > 1; ++i) {
    std::vector<std::size_t> at(1 + random() % 8);
    for (auto& position : at) position = 1 + random() % (bytes.size() - 1);
    std::sort(at.begin(), at.end());
    result.push_back(cut(bytes, at));
  }
  return result;
}

}  // namespace mcpscan::tests
