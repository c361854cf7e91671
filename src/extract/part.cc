#include "extract/part.h"

#include <fmt/format.h>

namespace mcpscan::extract {

void KeptRanges::add(std::uint64_t first, std::uint64_t last) {
  if (!ranges_.empty() && left_out_ == 0 && ranges_.back().last + 1 == first) {
    ranges_.back().last = last;
  } else if (ranges_.size() < kRanges) {
    ranges_.push_back({first, last});
  } else {
    ++left_out_;
  }
}

std::string KeptRanges::text() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += ", ";
    text += range.first == range.last ? fmt::format("{}", range.first) : fmt::format("{}-{}", range.first, range.last);
  }
  if (left_out_ > 0) text += fmt::format(" and {} more", left_out_);
  return text;
}

}  // namespace mcpscan::extract
