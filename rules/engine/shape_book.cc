#include "engine/shape_book.h"

#include <fmt/format.h>

#include <algorithm>

namespace mcpscan::engine {

using session::ShapeProfile;

namespace {

constexpr std::uint32_t kFewest = 3;         // replies a profile must rest on
constexpr std::uint32_t kFewestAlone = 10;   // the same, where only one reply speaks
constexpr double kPrior = 0.001;             // swaps a pair of calls
constexpr double kOrphanPrior = 0.1;         // that a reply strayed, where a neighbour got none
constexpr double kMisfit = 0.05;             // likelihood below which a reply is strange to its tool
constexpr double kFits = 0.2;                // likelihood above which it is at home
constexpr double kSummedGain = 1.0;          // mean logs, for both replies together
constexpr double kMargin = 0.7;              // the same for one reply
constexpr double kEchoOdds = 100;            // measured: 0.2 % of clean pairs repeat another call's arguments and none of their own

std::string told(const ShapeProfile::Rarest& rarest, const ShapeProfile& own, const std::string& own_name, const ShapeProfile& other, const std::string& other_name) {
  return fmt::format("the reply to {} {} \"{}\", as {} of {} replies of {} and {} of {} of {}", own_name, rarest.absent ? "lacks" : "has", rarest.feature,
                     rarest.absent ? own.replies() - own.count(rarest.feature) : own.count(rarest.feature), own.replies(), own_name,
                     rarest.absent ? other.replies() - other.count(rarest.feature) : other.count(rarest.feature), other.replies(), other_name);
}

double posterior_of(double prior, double odds, double tried) { return prior * odds / (prior * odds + (1 - prior) * tried); }

}  // namespace

void ShapeBook::learn(std::uint64_t tool, const session::ReplyShape& shape) {
  const auto known = profiles_.find(tool);
  if (known != profiles_.end()) return known->second.learn(shape);
  if (profiles_.size() < kTools) profiles_[tool].learn(shape);
}

bool ShapeBook::wants(std::uint64_t tool) const {
  const auto known = profiles_.find(tool);
  return known == profiles_.end() ? profiles_.size() < kTools : known->second.replies() < ShapeProfile::kEnough;
}

void ShapeBook::recall(const std::vector<model::ToolShape>& known) {
  for (const model::ToolShape& shape : known) {
    if (profiles_.size() < kTools || profiles_.contains(shape.tool)) profiles_[shape.tool].recall(shape);
  }
}

std::vector<model::ToolShape> ShapeBook::shapes() const {
  std::vector<model::ToolShape> shapes;
  for (const auto& [tool, profile] : profiles_) shapes.push_back(profile.shape_of(tool));
  std::sort(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) { return a.tool < b.tool; });
  return shapes;
}

bool ShapeBook::mature(std::uint64_t tool) const { return find(tool, kMature) != nullptr; }

bool ShapeBook::is_strange(std::uint64_t tool, const session::ReplyShape& shape) const {
  const ShapeProfile* const own = find(tool, kFewest);
  return own && own->rarest(shape).likelihood < kMisfit;
}

const ShapeProfile* ShapeBook::find(std::uint64_t tool, std::uint32_t least) const {
  const auto known = profiles_.find(tool);
  return known == profiles_.end() || known->second.replies() < least ? nullptr : &known->second;
}

std::optional<ShapeBook::Verdict> ShapeBook::exchanged(const Side& a, const Side& b, std::size_t pairs) const {
  const ShapeProfile* of_a = find(a.tool, kFewest);
  const ShapeProfile* of_b = find(b.tool, kFewest);
  if (!of_a || !of_b || a.tool == b.tool || !a.shape->known() || !b.shape->known()) return std::nullopt;
  const auto own_a = of_a->rarest(*a.shape, a.learned), own_b = of_b->rarest(*b.shape, b.learned);
  const double cross_a = of_b->rarest(*a.shape).likelihood, cross_b = of_a->rarest(*b.shape).likelihood;
  const double gain = of_b->fit(*a.shape) + of_a->fit(*b.shape) - of_a->fit(*a.shape, a.learned) - of_b->fit(*b.shape, b.learned);
  if (gain <= kSummedGain || cross_a <= own_a.likelihood || cross_b <= own_b.likelihood || std::min(own_a.likelihood, own_b.likelihood) >= kMisfit) return std::nullopt;
  double odds = cross_a / own_a.likelihood * (cross_b / own_b.likelihood);
  if (a.repeats_the_other) odds *= kEchoOdds;
  if (b.repeats_the_other) odds *= kEchoOdds;
  return Verdict{posterior_of(kPrior, odds, static_cast<double>(std::max<std::size_t>(pairs, 1))), told(own_a, *of_a, a.name, *of_b, b.name) + "; " + told(own_b, *of_b, b.name, *of_a, a.name)};
}

std::optional<ShapeBook::Verdict> ShapeBook::strayed(const Side& receiver, const Side& orphan, bool of_one_id) const {
  const std::uint32_t least = of_one_id ? kFewest : kFewestAlone;
  const ShapeProfile* own = find(receiver.tool, least);
  const ShapeProfile* other = find(orphan.tool, least);
  if (!own || !other || receiver.tool == orphan.tool || !receiver.shape->known()) return std::nullopt;
  const auto strange = own->rarest(*receiver.shape, receiver.learned);
  const double fits = other->rarest(*receiver.shape).likelihood;
  if (strange.likelihood >= kMisfit || fits < kFits || other->fit(*receiver.shape) - own->fit(*receiver.shape, receiver.learned) <= kMargin) return std::nullopt;
  const double odds = fits / strange.likelihood * (receiver.repeats_the_other ? kEchoOdds : 1);
  return Verdict{posterior_of(kOrphanPrior, odds, 1), told(strange, *own, receiver.name, *other, orphan.name)};
}

}  // namespace mcpscan::engine
