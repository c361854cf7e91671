// YamlRecordLines: log entries as `gcloud logging read` and `gcloud logging tail` print them unless told otherwise, a YAML document each, as
// JSON lines, one entry a line, so that the reader of Google's JSON entries reads them. Document N is line N; offsets are those of the lines.
// Not here: YAML of other kinds. A document that is no YAML becomes a line that is no JSON, and reading goes on with the next one.
// Ownership: `bytes` outlives it. Threads: one. Memory: one chunk and one document, as a tree of up to some hundred times its size. Bounds:
// Limits::block_bytes a document (Google's entries have 256 KiB at most; a longer one is read as no YAML), Limits::line_bytes its line (an alias may
// stand for much), Limits::json_depth.
// Source: YAML 1.2.2; Google Cloud Logging LogEntry; Google Cloud CLI, gcloud topic formats (yaml).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "ingest/text/record_lines.h"

namespace mcpscan::ingest {

// Begins with a document whose own keys are those of a log entry.
bool is_yaml_of_records(std::string_view head);

class YamlRecordLines : public RecordLines {
 public:
  YamlRecordLines(ByteReader& bytes, const Limits& limits) : RecordLines(bytes), limits_(limits) {}

 private:
  void take(std::string_view bytes) override;
  bool end() override;
  void take_line();
  void end_document();

  const Limits& limits_;
  std::string line_, document_;
  bool too_long_ = false;  // the document
};

}  // namespace mcpscan::ingest
