// MemoTable: the entries of a memo by the hash of what they are asked by, two places a hash, so that two texts that come in turns do not
// drive each other out. It is small until some entries were put in, as a short input never fills it; to grow forgets all.
// `Entry` has a member `serial`, 0 in one that holds nothing. Owns its entries; a reference is good until make_room(). Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace mcpscan::ingest {

template <typename Entry, std::size_t kMost, std::size_t kFirst>
class MemoTable {
  static_assert((kMost & (kMost - 1)) == 0 && (kFirst & (kFirst - 1)) == 0 && kFirst >= 2, "places are found by a mask");

 public:
  // Nothing was put in yet, or nothing since it grew.
  bool empty() const { return entries_.empty(); }

  // True when it grew, and so forgot.
  bool make_room() {
    if (room_ == kMost || serial_ < kFirst / 2) return false;
    room_ = kMost;
    entries_.clear();
    return true;
  }

  // Where an entry for this text stands if there is one; not for an empty table.
  std::span<Entry, 2> places_of(std::string_view text) { return std::span<Entry, 2>(&entries_[hash_bytes(text) & (room_ - 2)], 2); }

  // The place for a new entry for this text, with what stood there longest.
  Entry& put(std::string_view text) {
    if (entries_.empty()) entries_.resize(room_);
    const std::span<Entry, 2> places = places_of(text);
    return put(places[0].serial <= places[1].serial ? places[0] : places[1]);
  }
  // The same place, for what is known anew.
  Entry& put(Entry& entry) {
    entry.serial = ++serial_;
    return entry;
  }

  std::size_t index_of(const Entry& entry) const { return static_cast<std::size_t>(&entry - entries_.data()); }
  Entry& operator[](std::size_t index) { return entries_[index]; }

 private:
  std::vector<Entry> entries_;
  std::size_t room_ = kFirst;
  std::uint64_t serial_ = 0;
};

}  // namespace mcpscan::ingest
