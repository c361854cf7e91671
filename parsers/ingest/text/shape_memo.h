// ShapeMemo: texts of one shape differ in the values of their digits alone ("10.0.0.7:1234 - ..." and "10.0.0.9:4321 - ..."), and only few
// of the rules can match any text of a shape. The memo keeps which, so that an access line, whose bytes never come again, costs one or two
// attempts and not dozens. It decides nothing: the rules it names are tried on the text itself, in their order.
// Why that is sound: the others were tried on the shape with templates of shapes (Template::of_shapes), which match the shape of all that
// the rule itself matches.
// Ownership: it owns what it keeps. Not thread-safe: one a worker and table. Bound: kEntries texts of at most kBytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ingest/text/memo_table.h"

namespace mcpscan::ingest {

class ShapeMemo {
 public:
  static constexpr std::size_t kBytes = 256;
  static constexpr std::size_t kEntries = 1024, kFirstEntries = 128;   // a short log never fills the first
  static constexpr std::size_t kMost = 6;   // rules that a shape leaves
  static constexpr std::uint8_t kSightings = 8;   // of a shape before its rules are sorted out, which costs as much as twenty lines

  // The places in the order of trial of the rules that can match.
  struct Known {
    std::array<std::uint16_t, kMost> places{};
    std::uint8_t count = 0;
    bool others = false;   // so may rules that have no such place
    bool too_many = false; // the places say nothing: all rules have to be tried
    std::uint8_t sightings = kSightings;  // fewer: so do they, since the shape came so often so far and may never come again
    bool settled() const { return sightings >= kSightings; }
    bool tells() const { return !too_many && settled(); }

    void add(std::size_t place) {
      if (count == kMost) too_many = true;
      else places[count++] = static_cast<std::uint16_t>(place);
    }
  };

  // Between blocks: what find() gave before is void.
  void make_room() { entries_.make_room(); }
  // Null when nothing is known of texts of this shape.
  const Known* find(std::string_view text);
  void learn(std::string_view text, const Known& known);
  // The text's shape: digits as shape_of() has them. Good until the next call; empty for texts that are too long.
  std::string_view shape(std::string_view text);

 private:
  struct Entry {
    std::array<char, kBytes> shape;
    std::uint16_t size = 0;
    Known known;
    std::uint64_t serial = 0;
  };
  Entry* entry_of(std::string_view shape);

  MemoTable<Entry, kEntries, kFirstEntries> entries_;
  alignas(8) std::array<char, kBytes> buffer_{};
};

}  // namespace mcpscan::ingest
