// An input that is a bundle folder of `mcpscan extract` stands for the evidence in it: its parts in the manifest's order, its key log, and, where
// the bundle is all there is to read, the time zone, the client's timeout and whatever else the judgement rested on.
// Threads: one. A broken manifest is a problem of a named input. Source: docs/extract.md.
#pragma once

#include <vector>

#include "base/result.h"
#include "pipeline/scan.h"

namespace mcpscan::pipeline {

ScanOptions open_bundles(ScanOptions options, std::vector<Error>& problems);

}  // namespace mcpscan::pipeline
