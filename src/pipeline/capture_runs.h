// Captures whose packets do not stand in the order of their times, as mergecap -a leaves them (net/merged_capture.h): looks for the parts and
// opens the file once for each. Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.h"
#include "ingest/input_set.h"
#include "net/merged_capture.h"

namespace mcpscan::pipeline {

// The capture in order; null where it is in order as it stands, or cannot be opened again. Only a capture whose `head` makes it likely is looked at.
std::unique_ptr<net::CaptureReader> runs_of(const ingest::InputFile& file, const std::string& head, std::uint32_t input, const Limits& limits);

}  // namespace mcpscan::pipeline
