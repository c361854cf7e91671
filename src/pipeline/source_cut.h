// Cuts one input of a scan down to the records that an extract keeps, by the form that the scan read it in. A form without a slicer of its
// own is taken whole. Compressed inputs and members of archives come out unpacked.
// Threads: one, and more while a log is calibrated: none. Bounds: the slicers'.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "extract/bundle_draft.h"
#include "extract/manifest.h"
#include "extract/place_set.h"
#include "extract/share_text.h"
#include "ingest/input_set.h"
#include "pipeline/scan.h"

namespace mcpscan::pipeline {

struct CutJob {
  const ingest::InputFile& file;
  const model::InputRow& row;
  const extract::PlaceSet* kept = nullptr;   // null: the whole input
  const std::vector<bool>* told = nullptr;   // by line: something of MCP was read there
  std::size_t context = 0;
  bool calls_only = false;                   // of a capture: its chosen exchanges written anew, not the packets of their connections
  extract::ShareText* share = nullptr;       // rewrites all that is written; may be null
};

// What the cuts of all inputs leave behind for the key log.
struct TlsTrace {
  std::set<std::string> randoms;
  std::string secrets;           // key log text that captures held themselves
};

// Writes the part `name` into the draft; its hash is filled in later, when the file is whole.
Result<extract::ManifestPart> cut_source(const CutJob& job, const ScanOptions& options, const ingest::DialectSet& dialects, const Limits& limits,
                                         const extract::BundleDraft& draft, const std::string& name, TlsTrace& tls);

}  // namespace mcpscan::pipeline
