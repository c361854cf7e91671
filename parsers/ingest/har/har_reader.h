// HarReader: a HAR as its entries, in the order of the file, in memory that does not grow with it. What is damaged is booked, told as
// an anomaly with entry, offset, line and column, and read past; what was read before is never lost.
// Ownership: reads from `bytes`; an entry is valid until the next call. Threads: one. Bounds: Limits::har_entry_bytes.
// Books: the malformed entries; the caller books the others.
#pragma once

#include <string>

#include "base/arena.h"
#include "ingest/har/entry_parser.h"
#include "ingest/har/entry_splitter.h"

namespace mcpscan::ingest {

class HarReader {
 public:
  // `head` has been read from `bytes` already. `zone`: what a time without a zone means. Books and anomalies go to `books` and
  // `anomalies`, which outlive the reader.
  HarReader(ByteReader& bytes, std::string head, std::uint32_t input, const Zone& zone, const Limits& limits, model::Books& books,
            model::AnomalyLog& anomalies);

  // The next entry that is one; false at the end.
  bool next(HarEntry& entry);
  // For what belongs to the entry; emptied with the next one.
  Arena& arena() { return arena_; }

  bool found_entries() const { return splitter_.found_entries(); }
  bool cut() const { return splitter_.cut(); }
  bool entries_cut() const { return splitter_.entries_cut(); }
  std::uint64_t offset() const { return splitter_.offset(); }
  std::uint64_t entries() const { return entries_; }

 private:
  void tell(const EntryPiece& piece, const char* reason, std::string_view what, std::size_t at);
  void note_time(const HarEntry& entry);

  TextInput input_;
  EntrySplitter splitter_;
  TimeContext times_;
  EntryParser parser_;
  Arena arena_;
  std::uint32_t number_;
  model::Books& books_;
  model::AnomalyLog& anomalies_;
  std::uint64_t entries_ = 0;
};

}  // namespace mcpscan::ingest
