#include "net/flow_map.h"

#include "base/hash.h"

namespace mcpscan::net {
namespace {

constexpr std::size_t kFirstSize = 256;

}  // namespace

// The seed differs from run to run, so that nobody can prepare a capture whose connections all collide. Nothing that is
// reported depends on where an entry stands.
FlowMap::FlowMap() : entries_(kFirstSize), mask_(kFirstSize - 1), seed_(reinterpret_cast<std::uintptr_t>(this)) {}

std::uint32_t FlowMap::hash(const FlowTuple& key) const {
  const FlowTuple::Words words = key.words();
  return static_cast<std::uint32_t>(hash_bytes({reinterpret_cast<const char*>(words.data()), sizeof words}, seed_));
}

void FlowMap::place(Entry entry) {
  std::size_t at = entry.tag & mask_;
  while (entries_[at].slot != kNone) at = (at + 1) & mask_;
  entries_[at] = entry;
}

void FlowMap::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  mask_ = entries_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.slot != kNone) place(entry);
  }
}

void FlowMap::insert(const FlowTuple& key, std::uint32_t slot) {
  if ((used_ + 1) * 2 > entries_.size()) grow();
  place({slot, hash(key)});
  ++used_;
}

// Closes the hole that the entry leaves by moving later ones of the same run forward, so that no search stops early.
void FlowMap::erase(const FlowTuple& key, std::uint32_t slot) {
  std::size_t hole = hash(key) & mask_;
  while (entries_[hole].slot != slot) {
    if (entries_[hole].slot == kNone) return;
    hole = (hole + 1) & mask_;
  }
  for (std::size_t at = (hole + 1) & mask_; entries_[at].slot != kNone; at = (at + 1) & mask_) {
    const std::size_t home = entries_[at].tag & mask_;
    if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
    entries_[hole] = entries_[at];
    hole = at;
  }
  entries_[hole] = {};
  --used_;
}

}  // namespace mcpscan::net
