// BlockReader: the bytes of a text input as UTF-8 blocks that begin and end at record borders, so that workers can parse them
// apart and nothing needs joining afterwards. Where a record begins is told by LogParser::starts_record; a block grows
// until one is found or Limits::record_bytes is reached.
// Handles here: BOM (also in the middle), UTF-16LE/BE (with or without BOM), NUL runs, lines over Limits::line_bytes (head kept, rest
// skipped, anomaly line-too-long). CRLF, ANSI and invalid UTF-8 are left to the parser. The cutting depends on the bytes only,
// never on the number of threads or on how read() splits them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "model/anomaly.h"

namespace mcpscan::ingest {

class LogParser;

struct TextBlock {
  std::string bytes;              // whole lines, the last one with its line end unless the input ends without
  std::uint64_t sequence = 0;     // 0, 1, 2 ...
  std::uint64_t first_line = 1;   // number of the first line
  std::uint64_t offset = 0;       // of the first byte in the decoded input
  std::uint64_t skipped_bytes = 0;  // bytes of over-long lines not in `bytes` (they belong to the last line)
};

class BlockReader {
 public:
  // `bytes` and `parser` outlive the reader. `head` is what a probe has already read from `bytes`.
  BlockReader(ByteReader& bytes, std::string head, std::uint32_t input, const LogParser& parser, const Limits& limits);
  ~BlockReader();

  // Fills `block` (its buffer is reused); false at the end.
  bool next(TextBlock& block);
  const model::AnomalyLog& anomalies() const;
  std::uint64_t decoded_bytes() const;
  // The encoding found: "utf-8", "utf-16le", "utf-16be".
  std::string_view encoding() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mcpscan::ingest
