// Part: one file of a bundle, cut out of one input, and what the manifest tells about it. PartSink takes its bytes.
// Ownership: a slicer writes to a sink that outlives it. Threads: none. Bound: kRanges ranges; the rest is counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mcpscan::extract {

class PartSink {
 public:
  virtual ~PartSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

// The numbers of what was kept, as runs: 4-9 and 12.
class KeptRanges {
 public:
  void add(std::uint64_t first, std::uint64_t last);
  // "4-9, 12"; ends in "and N more" when there are very many.
  std::string text() const;

 private:
  static constexpr std::size_t kRanges = 1000;
  struct Range {
    std::uint64_t first, last;
  };
  std::vector<Range> ranges_;
  std::uint64_t left_out_ = 0;
};

struct Slice {
  std::uint64_t kept = 0, total = 0;  // records, packets, entries
  KeptRanges ranges;                  // lines, packets, entries of the source
};

}  // namespace mcpscan::extract
