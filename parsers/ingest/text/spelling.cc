#include "ingest/text/spelling.h"

#include <algorithm>
#include <numeric>

namespace mcpscan::ingest {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t least = word.size() / 3 + 2;
  for (const std::string_view candidate : known) {
    const std::size_t distance = word.size() > 64 ? least : edit_distance(word, candidate);
    if (distance < least) least = distance, best = candidate;
  }
  if (!best.empty()) return "did you mean '" + std::string(best) + "'?";
  std::string list = "known:";
  for (const std::string_view candidate : known) list += " " + std::string(candidate);
  return list;
}

}  // namespace mcpscan::ingest
