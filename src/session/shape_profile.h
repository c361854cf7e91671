// ShapeProfile: how often each feature stood in the replies of one tool of one server. Learned from replies that nothing speaks against;
// who calls learn() sees to that. Bounded: kEnough replies, kMostFeatures features.
// Source: protocol notes C.4 (fit = mean log of (count + 0.3) / (n + 0.6), features seen in 95 % of replies and absent now count as well).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/tool_shape.h"
#include "session/reply_shape.h"

namespace mcpscan::session {

class ShapeProfile {
 public:
  static constexpr std::uint32_t kEnough = 256;          // replies after which nothing more is learned
  static constexpr std::size_t kMostFeatures = 256;

  void learn(const ReplyShape& shape);
  // Of an earlier run: replies beyond kEnough and features beyond kMostFeatures are left out, and so is what cannot be true.
  void recall(const model::ToolShape& known);
  model::ToolShape shape_of(std::uint64_t tool) const;
  std::uint32_t replies() const { return replies_; }
  std::uint32_t count(const std::string& feature) const;

  // Mean log likelihood of the reply's features, 0 at best. `learned`: the reply is one of those learned, and is left out of the count.
  double fit(const ReplyShape& shape, bool learned = false) const;

  struct Rarest {
    double likelihood = 1;   // of the feature that speaks most against this tool, 0 to 1: features depend on each other, so one counts
    std::string feature;
    bool absent = false;     // it is usual here, and missing in the reply
  };
  Rarest rarest(const ReplyShape& shape, bool learned = false) const;

 private:
  double share(std::uint32_t count, bool learned) const {
    const std::uint32_t own = learned ? 1 : 0;
    return ((count > own ? count - own : 0) + 0.3) / ((replies_ > own ? replies_ - own : 0) + 0.6);
  }

  std::map<std::string, std::uint32_t> counts_;
  std::uint32_t replies_ = 0;
};

}  // namespace mcpscan::session
