// ShapeBook: what each tool's replies look like, and whether two calls' replies, or an orphan's and its neighbour's, look exchanged. Shape
// alone accuses only where the odds stand against chance: posterior 0.99 at a prior of one swap in a thousand pairs, divided by the pairs tried.
// Owns the profiles. Threads: one. Bound: kTools profiles; tools beyond are not judged by shape.
// Source: docs/architecture.md "Shape never accuses alone"; protocol notes C.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "session/shape_profile.h"

namespace mcpscan::engine {

class ShapeBook {
 public:
  static constexpr std::size_t kTools = 4096;
  static constexpr std::uint32_t kMature = 30;     // replies after which a profile changes little

  // A call and the reply it got.
  struct Side {
    std::uint64_t tool = 0;                        // digest of server and tool
    std::string name;                              // of the tool, for people
    const session::ReplyShape* shape = nullptr;
    bool repeats_the_other = false;                // the reply says what the other call's arguments said, and nothing of its own
    bool learned = false;                          // the reply is among those that its tool's profile was learned from
  };
  struct Verdict {
    double posterior = 0;                          // that the replies are exchanged
    std::string why;                               // the features that decided
  };

  void learn(std::uint64_t tool, const session::ReplyShape& shape);
  bool wants(std::uint64_t tool) const;            // whether learn() would still take a reply
  bool mature(std::uint64_t tool) const;
  bool is_strange(std::uint64_t tool, const session::ReplyShape& shape) const;  // hardly a reply of the tool looked so; not of one learned
  void recall(const std::vector<model::ToolShape>& known);
  std::vector<model::ToolShape> shapes() const;    // by tool

  // Whether each reply is the other call's; none where shape says nothing. `pairs`: how many were tried beside this one, and it.
  std::optional<Verdict> exchanged(const Side& a, const Side& b, std::size_t pairs) const;
  // Whether the reply that `receiver` got is that of a call of `tool` which got none. `of_one_id`: both were in flight under one id.
  std::optional<Verdict> strayed(const Side& receiver, const Side& orphan, bool of_one_id) const;

 private:
  const session::ShapeProfile* find(std::uint64_t tool, std::uint32_t least) const;

  std::unordered_map<std::uint64_t, session::ShapeProfile> profiles_;
};

}  // namespace mcpscan::engine
