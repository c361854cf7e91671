// Cuts entries out of a HAR, as they stood, between the document's own beginning and end, so that the result is a HAR of the same producer.
// Threads: one. Memory: one entry, and what stands before the first and behind the last. UTF-16 comes out as UTF-8. Source: HAR 1.2.
#pragma once

#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "extract/part.h"
#include "extract/place_set.h"

namespace mcpscan::extract {

struct HarSlice {
  Slice slice;
  std::vector<std::string> attached;  // files beside the HAR that kept entries name as their bodies
};

// `head` has been read from `bytes` already.
HarSlice slice_har(ByteReader& bytes, std::string head, const PlaceSet& kept, const Limits& limits, PartSink& sink);

}  // namespace mcpscan::extract
