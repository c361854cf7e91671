// RepeatedLines: which lines of a log another log of the run has told already: a copy taken before the log went on, a plain file beside its
// compressed one, exports whose windows overlap. Told twice, each call would be a second use of its id. A log is known by its beginning,
// which is searched for in what is read before it, and by every byte from there to the end of one of the two; a part that is alike and goes
// on otherwise is no repetition, and neither are lines that tell no times, which a second process may write alike.
// Not the identical file (Scan::is_copy), nor what earlier runs have read (KnownEvidence).
// Threads: the bytes of one watched file at a time, by whoever reads them. Memory: kBeginning a file. Bound: Limits::repeated_ahead_files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "ingest/input_set.h"
#include "ingest/text/log_parser.h"

namespace mcpscan::pipeline {

struct Repetition {
  std::uint64_t bytes = 0, lines = 0;  // decoded, from the file's beginning; 0: nothing is repeated
  std::size_t source = 0;              // who was told them
  std::string told_by;                 // the file that has them too
  bool whole = false;                  // there is nothing else in it
};

std::string note_of(const Repetition& same, const ingest::InputFile& file);

class RepeatedLines {
 public:
  // `files`, in the order in which they are read, and `dialects` outlive it.
  RepeatedLines(const std::vector<ingest::InputFile>& files, const ingest::DialectSet& dialects, const Limits& limits)
      : files_(files), dialects_(dialects), limits_(limits) {}

  // What the file `number`, about to be read as a log, repeats.
  Repetition of(std::size_t number) const;
  // The bytes of the file behind its `head`, which was read already; watched for beginnings of the files that come after it.
  std::unique_ptr<ByteReader> watched(std::size_t number, std::string_view head, ByteReader& bytes);
  // The file was read to its end, oldest record first, as a log.
  void told(std::size_t number, std::size_t source) { sources_[number] = source; }

 private:
  struct Place {
    std::size_t file;
    std::uint64_t at;
  };
  class Watch;
  class Chain;

  const std::string& beginning(std::size_t number);
  Repetition compare(std::size_t number, const Place& place) const;
  void count_lines(std::size_t number, Repetition& same) const;
  bool tells_times(std::size_t number, const Repetition& same) const;

  const std::vector<ingest::InputFile>& files_;
  const ingest::DialectSet& dialects_;
  const Limits& limits_;
  std::map<std::size_t, std::string> beginnings_;          // empty: cannot be looked at
  std::map<std::size_t, std::vector<Place>> found_;        // by the file whose beginning it is
  std::map<std::size_t, std::size_t> sources_;             // of the files that were told
};

}  // namespace mcpscan::pipeline
