// Extract: the smallest bundle that shows one incident. Scans the evidence, finds the incident, cuts each input down to what the incident
// needs, scans the cut, and takes it only when that shows the same incident and nothing else: first with the incident's calls alone, then
// with its sessions whole, then with the inputs whole. So an extract is never believed, it is tested; a shared one is tested again, and
// searched for what it must not hold.
// Threads: as scan(). Bounds: as scan(), with longer lists of calls and places. Source: docs/extract.md.
#pragma once

#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "base/result.h"
#include "extract/manifest.h"
#include "pipeline/scan.h"

namespace mcpscan::pipeline {

struct ExtractOptions {
  ScanOptions scan;
  std::string incident;      // its id, or an unmistakable beginning of it
  std::string folder;        // where the bundle goes
  std::string command;       // for the manifest
  bool calls_only = false;   // of captures keep what the calls carried, written anew, not whole connections
  bool share = false;        // replace session ids, addresses, hosts, tokens and payloads
  std::size_t context = 3;   // records that tell nothing of MCP, kept around each record of a log
};

struct ExtractResult {
  extract::Manifest manifest;
  model::Incident incident;
  std::uint64_t bytes = 0, source_bytes = 0;
  std::vector<Error> problems;   // named inputs that could not be read
};

using ExtractProgress = FunctionRef<void(const std::string&, std::uint64_t)>;
Result<ExtractResult> extract_incident(const ExtractOptions& options, const Knowledge& knowledge, ExtractProgress progress);

}  // namespace mcpscan::pipeline
