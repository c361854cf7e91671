// BlockReader: the bytes of a text input as UTF-8 blocks that begin and end at record borders, so that workers can parse them
// apart and nothing needs joining afterwards. Where a record begins is told by the parser's starts_record; a block grows until
// a beginning is found or Limits::record_bytes is reached (anomaly record-too-long, the record is cut at a line end).
// Handles here: BOM (also at a line start in the middle), UTF-16LE/BE (with or without BOM), NUL runs, lines over
// Limits::line_bytes (head kept, rest skipped, anomaly line-too-long, the block ends behind it). CRLF, ANSI and invalid UTF-8
// are left to the parser; a lone CR ends no line. The records depend on the bytes only, never on threads, on how read() splits
// the input, or on the block size.
// Threads: one. Memory: one block, which a long line or record may grow to Limits::line_bytes or record_bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "base/text_buffer.h"
#include "model/anomaly.h"

namespace mcpscan::ingest {

struct TextBlock {
  TextBuffer bytes;               // whole lines, the last one with its line end unless the input ends without
  std::uint64_t sequence = 0;     // 0, 1, 2 ...
  std::uint64_t first_line = 1;   // number of the first line
  std::uint64_t offset = 0;       // of the first byte in the decoded input (for UTF-16: in its UTF-8 form). Behind a NUL or a BOM that
                                  // was taken out within the block, places are low by what was taken; the next block is right again.
  std::uint64_t skipped_bytes = 0;  // bytes of over-long lines not in `bytes` (they belong to the last line)
};

// True when `line` begins a record, given the line before it; both without LF or CRLF.
using RecordBorder = std::function<bool(std::string_view previous_line, std::string_view line)>;

template <typename Parser>
concept TellsRecords = requires(const Parser& parser, std::string_view line) {
  { parser.starts_record(line, line) } -> std::convertible_to<bool>;
};

class BlockReader {
 public:
  // `bytes` outlives the reader, and so does what `starts_record` refers to. `head` is what a probe has already read from `bytes`.
  BlockReader(ByteReader& bytes, std::string head, std::uint32_t input, RecordBorder starts_record, const Limits& limits);

  // The same with a LogParser, which outlives the reader.
  template <TellsRecords Parser>
  BlockReader(ByteReader& bytes, std::string head, std::uint32_t input, const Parser& parser, const Limits& limits)
      : BlockReader(bytes, std::move(head), input,
                    RecordBorder([&parser](std::string_view previous, std::string_view line) { return parser.starts_record(previous, line); }),
                    limits) {}
  ~BlockReader();

  // The bytes are the rest of an input from a place on, which its places are counted from. Before the first next().
  void stand_at(std::uint64_t offset, std::uint64_t line);
  // Fills `block` (its buffer is reused); false at the end.
  bool next(TextBlock& block);
  const model::AnomalyLog& anomalies() const;
  // Bytes taken from the input so far: after decompression, before any change of encoding.
  std::uint64_t decoded_bytes() const;
  // Line ends before the end of the blocks so far.
  std::uint64_t lines() const;
  // The encoding found: "utf-8", "utf-16le", "utf-16be".
  std::string_view encoding() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mcpscan::ingest
