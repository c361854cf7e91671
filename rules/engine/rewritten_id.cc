#include "engine/rewritten_id.h"

#include <string_view>

namespace mcpscan::engine {
namespace {

constexpr std::size_t kShortestSuffix = 6, kLongestSuffix = 32;

}  // namespace

bool has_rewritten_form(model::IdType type, const std::string& value) {
  if (type != model::IdType::string) return false;
  const std::size_t separator = value.find_last_of("_-:");
  if (separator == std::string::npos || separator == 0) return false;
  const std::string_view suffix = std::string_view(value).substr(separator + 1), original = std::string_view(value).substr(0, separator);
  if (suffix.size() < kShortestSuffix || suffix.size() > kLongestSuffix) return false;
  const bool hex = suffix.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  const bool varied = suffix.find_first_not_of(suffix.front()) != std::string_view::npos;
  return hex && varied && original.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace mcpscan::engine
