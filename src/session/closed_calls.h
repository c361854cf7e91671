// ClosedCalls: calls closed a while ago, packed, of which few are ever asked for again. Written one behind the other in generations, each with
// a small index, and forgotten a generation at a time: nothing old is touched for a call that comes or goes.
// Owns what it keeps. Not thread-safe. Bound: `most` calls; at least as many as that but a generation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "model/timeline.h"

namespace mcpscan::session {

class ClosedCalls {
 public:
  explicit ClosedCalls(std::size_t most) : most_(most) {}

  // `identity`: a hash it will be asked for by.
  void keep(std::uint64_t identity, const model::Call& call);
  // The call kept last under this hash that `wanted` wants: it is read into `call`, and kept no longer. False where there is none among the
  // last few.
  bool take(std::uint64_t identity, FunctionRef<bool(const model::Call&)> wanted, model::Call& call);
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kGeneration = 2048, kPlaces = 2 * kGeneration;
  static constexpr std::size_t kLooks = 8;  // calls of one hash that are looked at in a generation
  struct Entry {
    std::uint64_t identity = 0;
    std::size_t offset = 0;
    bool taken = false;
  };
  // Open addressing: where an entry stands, with a part of its hash so that few others are looked at.
  struct Place {
    std::uint16_t entry = kFree, tag = 0;
  };
  static constexpr std::uint16_t kFree = UINT16_MAX;
  struct Generation {
    std::string bytes;
    std::vector<Entry> entries;
    std::array<Place, kPlaces> places;
  };

  static std::size_t home_of(std::uint64_t identity) { return identity & (kPlaces - 1); }
  static std::uint16_t tag_of(std::uint64_t identity) { return static_cast<std::uint16_t>(identity >> 48); }
  Generation& filled();
  bool take_from(Generation& generation, std::uint64_t identity, FunctionRef<bool(const model::Call&)> wanted, model::Call& call);

  std::size_t most_, size_ = 0;
  std::deque<std::unique_ptr<Generation>> generations_;  // oldest first; most sources of a folder of many need none
};

}  // namespace mcpscan::session
