// HandleIndex: 64-bit hash to 32-bit handle, in one flat array: open addressing, linear probing, entries moved up on erase, so that
// a look-up costs one cache line and nothing is allocated once it has grown. One handle a hash; who compares identities looks at what
// the handle names. Owns its array. Not thread-safe. Bound: the caller's, twice as many places as entries at least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mcpscan::session {

class HandleIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  HandleIndex() : places_(kLeast) {}

  // kNone when the hash is not there.
  std::uint32_t find(std::uint64_t hash) const { return places_[place_of(hash)].handle; }

  // Puts the handle under the hash; what stood there before, kNone if nothing.
  std::uint32_t exchange(std::uint64_t hash, std::uint32_t handle) {
    Place& place = places_[place_of(hash)];
    const std::uint32_t before = place.handle;
    place = {hash, handle};
    if (before == kNone && ++size_ * 2 > places_.size()) grow();
    return before;
  }

  void erase(std::uint64_t hash) {
    std::size_t hole = place_of(hash);
    if (places_[hole].handle == kNone) return;
    --size_;
    for (std::size_t next = after(hole); places_[next].handle != kNone; next = after(next)) {
      const std::size_t distance_home = (next - home_of(places_[next].hash)) & (places_.size() - 1);
      if (distance_home < ((next - hole) & (places_.size() - 1))) continue;  // its home lies behind the hole
      places_[hole] = places_[next];
      hole = next;
    }
    places_[hole].handle = kNone;
  }

  std::size_t size() const { return size_; }
  // It will be looked for soon.
  void ask_for(std::uint64_t hash) const { __builtin_prefetch(&places_[home_of(hash)]); }

 private:
  static constexpr std::size_t kLeast = 64;
  struct Place {
    std::uint64_t hash = 0;
    std::uint32_t handle = kNone;
  };

  // Numbers given one after the other lie together, a cache line of them: most are asked for while those beside them are.
  std::size_t home_of(std::uint64_t hash) const {
    constexpr std::uint64_t kTogether = 4;
    const std::uint64_t line = (hash / kTogether * 0x9e3779b97f4a7c15ull) >> 20;
    return (line * kTogether + hash % kTogether) & (places_.size() - 1);
  }
  std::size_t after(std::size_t place) const { return (place + 1) & (places_.size() - 1); }
  // Where the hash stands, or the free place where it would.
  std::size_t place_of(std::uint64_t hash) const {
    std::size_t place = home_of(hash);
    while (places_[place].handle != kNone && places_[place].hash != hash) place = after(place);
    return place;
  }
  void grow() {
    std::vector<Place> old(places_.size() * 2);
    old.swap(places_);
    for (const Place& place : old) {
      if (place.handle != kNone) places_[place_of(place.hash)] = place;
    }
  }

  std::vector<Place> places_;
  std::size_t size_ = 0;
};

}  // namespace mcpscan::session
