// FlowMap: finds the slot of a TCP connection by its addresses, ports and VLAN. Open addressing; a hash only finds, the whole
// key decides. Bound: the caller's; the table is at most half full. Not thread-safe. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "model/flow.h"

namespace mcpscan::net {

// Both endpoints, the lower one first, so that the two directions have the same key.
struct FlowTuple {
  std::array<std::uint8_t, 16> low{}, high{};
  std::uint16_t low_port = 0, high_port = 0;
  std::uint32_t vlan = 0;
  std::uint32_t ipv6 = 0;

  // Asked of every packet: as one piece, since the members one by one are two calls of memcmp.
  bool operator==(const FlowTuple& other) const {
    constexpr std::size_t kWord = sizeof(std::uint64_t), kLast = sizeof(FlowTuple) - kWord;
    std::uint64_t differ = word(kLast) ^ other.word(kLast);
    for (std::size_t at = 0; at < kLast; at += kWord) differ |= word(at) ^ other.word(at);
    return differ == 0;
  }
  std::uint64_t word(std::size_t at) const {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(this) + at, sizeof value);
    return value;
  }
  model::Endpoint endpoint(int side) const {
    return side == 0 ? model::Endpoint{low, low_port, ipv6 != 0} : model::Endpoint{high, high_port, ipv6 != 0};
  }
};
static_assert(std::has_unique_object_representations_v<FlowTuple>, "the key is hashed as bytes");

class FlowMap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  FlowMap();
  // The slot of `key`, kNone when there is none. `key_of(slot)` gives a slot's key.
  template <typename KeyOf>
  std::uint32_t find(const FlowTuple& key, const KeyOf& key_of) const {
    const std::uint32_t tag = hash(key);
    for (std::size_t at = tag & mask_; entries_[at].slot != kNone; at = (at + 1) & mask_) {
      if (entries_[at].tag == tag && key_of(entries_[at].slot) == key) return entries_[at].slot;
    }
    return kNone;
  }
  void insert(const FlowTuple& key, std::uint32_t slot);  // `key` must not be there
  void erase(const FlowTuple& key, std::uint32_t slot);

 private:
  struct Entry {
    std::uint32_t slot = kNone, tag = 0;
  };
  std::uint32_t hash(const FlowTuple& key) const;
  void place(Entry entry);
  void grow();

  std::vector<Entry> entries_;
  std::size_t mask_ = 0, used_ = 0;
  std::uint64_t seed_;
};

}  // namespace mcpscan::net
