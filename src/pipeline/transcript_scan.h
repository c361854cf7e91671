// Reads one client's session transcript: its tool calls and what the model was shown for them become observations of kind outcome, and
// nothing else does: a transcript holds no wire messages. All in the caller's thread; memory is one block and the table of calls.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "ingest/transcript/transcript_calls.h"
#include "model/finding.h"

namespace mcpscan::pipeline {

struct TranscriptScanOptions {
  Time since, until;  // observations outside are left out; unknown: no bound
};

// `head` has been read from `bytes` already. `calls` is shared by all transcripts of a run. Fills `row`: reader, vantage, books, anomalies, times.
void scan_transcript(ByteReader& bytes, std::string head, std::uint32_t input, const TranscriptScanOptions& options, const Limits& limits,
                     ingest::TranscriptCalls& calls, model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress);

}  // namespace mcpscan::pipeline
