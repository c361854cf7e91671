// Cuts records out of a text input (log, transcript, dump of HTTP), as they stood: whole records, all their lines. Around a kept record
// stand its neighbours that tell nothing of MCP, for the reader; what tells something and was not chosen is never taken along, since half
// an exchange would accuse somebody.
// Ownership: reads `bytes` to its end. Threads: one. Memory: a block, and the neighbours kept back. UTF-16 comes out as UTF-8.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "extract/part.h"
#include "extract/place_set.h"
#include "ingest/text/block_reader.h"

namespace mcpscan::extract {

// The lines of a block at which records begin, in order.
using RecordStarts = std::function<std::vector<std::uint64_t>(const ingest::TextBlock&)>;

struct TextSliceOptions {
  ingest::RecordBorder border;             // where a block may begin
  RecordStarts starts;
  const PlaceSet* kept = nullptr;          // line numbers; a record is kept when it holds one of them
  const std::vector<bool>* told = nullptr; // by line number: something of MCP was read there
  std::size_t context = 0;                 // neighbours before and after each kept record
};

// `head` has been read from `bytes` already.
Slice slice_text(ByteReader& bytes, std::string head, const TextSliceOptions& options, const Limits& limits, PartSink& sink);

}  // namespace mcpscan::extract
