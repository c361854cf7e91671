// CaptureIntake: the captures among a scan's inputs. The files of a rotated set are one capture, each where the one before it ends. Ownership:
// what it is made of outlives it. Threads: one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "ingest/input_set.h"
#include "model/finding.h"
#include "net/tls_analyzer.h"
#include "pipeline/capture_scan.h"
#include "pipeline/scan.h"
#include "pipeline/source_set.h"

namespace mcpscan::pipeline {

class CaptureIntake {
 public:
  // Notes, and the end of a capture, go to `report`.
  CaptureIntake(const ScanOptions& options, const Limits& limits, CaptureNumbers& numbers, SourceSet& sources, model::Report& report)
      : options_(options), limits_(limits), numbers_(numbers), sources_(sources), report_(report) {}

  // Key logs that cannot be read go to `problems`.
  void load_keys(std::vector<Error>& problems);
  // Before any file is read, of whatever kind: a capture ends where none of its own set follows.
  void turn_to(const ingest::InputFile& file) {
    if (set_ != file.set_key) end();
  }
  // `follows`: another file of its set is read next, and is one capture with this one. An error leaves what was read before as it is.
  Status read(const ingest::InputFile& file, std::uint32_t input, bool follows, std::string head, ByteReader& bytes, model::InputRow& row,
              FunctionRef<void(std::uint64_t)> progress);
  // No other file comes.
  void end();

 private:
  void close();

  const ScanOptions& options_;
  const Limits& limits_;
  CaptureNumbers& numbers_;
  SourceSet& sources_;
  model::Report& report_;
  net::KeyLog keys_;
  std::optional<CaptureScan> capture_;  // of which more files may follow
  std::string set_;
  Source* source_ = nullptr;
  std::uint32_t input_ = 0;             // its file read last
  std::int64_t number_ = -1;            // of that file
};

}  // namespace mcpscan::pipeline
