// Reads one log input: blocks go to workers, what they parsed comes back in input order and is given to `sink`. The result does not
// depend on the number of threads: workers share nothing, and everything that has memory happens in the caller's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "ingest/text/log_parser.h"
#include "ingest/text/oldest_first.h"
#include "model/finding.h"
#include "model/record_times.h"

namespace mcpscan::pipeline {

// What a log is looked at for while it is read, as it is read: oldest record first.
class LogLooker {
 public:
  struct Start {
    std::uint64_t offset = 0, lines = 0;
  };
  virtual ~LogLooker() = default;
  // A log that was turned round stands at its beginning, and does so again after this: what of it is not to be read.
  virtual Start left_out(ingest::OldestFirst& turned) = 0;
  // The bytes behind `head`, which was read from them; null: nobody looks.
  virtual std::unique_ptr<ByteReader> watched(std::string_view head, ByteReader& bytes) = 0;
};

struct LogScanOptions {
  ingest::ParserOptions parser;
  unsigned threads = 1;
  std::string calibration_head;  // the beginning of the file, where it is not read from there; else empty
  std::uint64_t first_offset = 0, first_line = 1;  // where it is read from
  LogLooker* looker = nullptr;
  Time since, until;    // observations outside are left out; unknown: no bound
};

struct LogScanResult {
  std::string reader;               // log/python-sdk
  model::Vantage vantage = model::Vantage::unknown;
  std::string enable;               // what would make this log say more
  std::uint64_t decoded_bytes = 0, lines = 0;
  model::RecordTimes times;         // of all records up to the end of the window, MCP's or not
  ingest::Calibration calibration;
};

// `head` has been read from `bytes` already. Fills `row`'s books, anomalies and times. `progress` is told the decoded bytes.
LogScanResult scan_log(ByteReader& bytes, std::string head, std::uint32_t input, const ingest::DialectSet& dialects, const LogScanOptions& options,
                       const Limits& limits, model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress);

}  // namespace mcpscan::pipeline
