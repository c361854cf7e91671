// FlowMap: finds the slot of a TCP connection by its addresses, ports and VLAN. Open addressing; a hash only finds, the whole
// key decides. Bound: the caller's; the table is at most half full. Not thread-safe. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "model/flow.h"

namespace mcpscan::net {

// Both endpoints, the lower one first, so that the two directions have the same key.
struct FlowTuple {
  std::array<std::uint8_t, 16> low{}, high{};
  std::uint16_t low_port = 0, high_port = 0;
  std::uint32_t vlan = 0;
  std::uint32_t ipv6 = 0;

  // Asked of every packet, just after it was filled: no word is read of what was written in parts, since a processor waits for those.
  using Words = std::array<std::uint64_t, 6>;
  Words words() const {
    Words all{};
    std::memcpy(&all[0], low.data(), low.size());
    std::memcpy(&all[2], high.data(), high.size());
    all[4] = std::uint64_t{vlan} << 32 | std::uint64_t{high_port} << 16 | low_port;
    all[5] = ipv6;
    return all;
  }
  bool operator==(const FlowTuple& other) const {
    const Words mine = words(), others = other.words();
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) differ |= mine[i] ^ others[i];
    return differ == 0;
  }
  model::Endpoint endpoint(int side) const {
    return side == 0 ? model::Endpoint{low, low_port, ipv6 != 0} : model::Endpoint{high, high_port, ipv6 != 0};
  }
};

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
