#include "session/shape_profile.h"

#include <algorithm>
#include <cmath>

namespace mcpscan::session {
namespace {

constexpr double kUsual = 0.95;  // of the replies: then its absence says something

}  // namespace

void ShapeProfile::learn(const ReplyShape& shape) {
  if (!shape.known() || replies_ >= kEnough) return;
  ++replies_;
  for (const std::string& feature : shape.features()) {
    const auto known = counts_.find(feature);
    if (known != counts_.end()) ++known->second;
    else if (counts_.size() < kMostFeatures) counts_.emplace(feature, 1);
  }
}

void ShapeProfile::recall(const model::ToolShape& known) {
  replies_ = std::min(known.replies, kEnough);
  counts_.clear();
  for (const auto& [feature, count] : known.features) {
    if (count > 0 && count <= replies_ && counts_.size() < kMostFeatures) counts_.emplace(feature, count);
  }
}

model::ToolShape ShapeProfile::shape_of(std::uint64_t tool) const { return {tool, replies_, {counts_.begin(), counts_.end()}}; }

std::uint32_t ShapeProfile::count(const std::string& feature) const {
  const auto known = counts_.find(feature);
  return known == counts_.end() ? 0 : known->second;
}

double ShapeProfile::fit(const ReplyShape& shape, bool learned) const {
  double sum = 0;
  std::size_t terms = 0;
  for (const std::string& feature : shape.features()) sum += std::log(std::min(1.0, share(count(feature), learned))), ++terms;
  for (const auto& [feature, seen] : counts_) {
    if (seen < kUsual * replies_ || shape.has(feature)) continue;
    sum += std::log(share(replies_ - seen, learned));
    ++terms;
  }
  return terms == 0 ? 0 : sum / static_cast<double>(terms);
}

ShapeProfile::Rarest ShapeProfile::rarest(const ReplyShape& shape, bool learned) const {
  Rarest rarest;
  const auto weigh = [&](double likelihood, const std::string& feature, bool absent) {
    if (likelihood < rarest.likelihood) rarest = {likelihood, feature, absent};
  };
  for (const std::string& feature : shape.features()) weigh(share(count(feature), learned), feature, false);
  for (const auto& [feature, seen] : counts_) {
    if (seen >= kUsual * replies_ && !shape.has(feature)) weigh(share(replies_ - seen, learned), feature, true);
  }
  return rarest;
}

}  // namespace mcpscan::session
