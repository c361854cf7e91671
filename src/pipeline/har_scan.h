// Reads one HAR: its entries to exchanges, to observations in the order of time. With more than one thread, a second one reads and
// parses entries ahead, the caller's replays them, and a third one, which has ended when scan_har() returns, has the sink: each works in
// the order of the one before, so the result is the same.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "base/result.h"
#include "model/finding.h"
#include "pipeline/capture_scan.h"

namespace mcpscan::pipeline {

struct HarScanOptions {
  std::string time_zone = "UTC";  // of times without one
  std::string path;               // of the HAR on disk, for the bodies that stand beside it; empty: none can
  unsigned threads = 1;
  Time since, until;              // entries that start outside are ignored (out-of-window); unknown: no bound
};

// `head` has been read from `bytes` already. Fills `row`'s books, anomalies and times. `progress` is told the decoded bytes.
// An error when there are no entries at all.
Status scan_har(ByteReader& bytes, std::string head, std::uint32_t input, const HarScanOptions& options, const Limits& limits, CaptureNumbers& numbers,
                model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress);

}  // namespace mcpscan::pipeline
