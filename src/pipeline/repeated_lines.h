// RepeatedLines: which lines of a log another log of the run has told already: a copy taken before the log went on, a plain file beside its
// compressed one, exports whose windows overlap. Told twice, each call would be a second use of its id. A log is known by its beginning,
// which is searched for in what is read before it, and by every byte from there to the end of one of the two; a part that is alike and goes
// on otherwise is no repetition, and neither are lines that tell no times, which a second process may write alike. What copying alone puts in
// or takes out (the encoding, its mark, line ends of Windows, the order of an export) makes no difference.
// Not the identical file (Scan::is_copy), nor what earlier runs have read (KnownEvidence).
// Threads: the bytes of one watched file at a time, by whoever reads them. Memory: kBeginning a file. Bound: Limits::repeated_ahead_files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "ingest/input_set.h"
#include "ingest/text/log_parser.h"
#include "ingest/text/oldest_first.h"
#include "pipeline/log_scan.h"

namespace mcpscan::pipeline {

struct Repetition {
  std::uint64_t bytes = 0, lines = 0;  // decoded, from the file's beginning; 0: nothing is repeated
  std::size_t source = 0;              // who was told them
  std::string told_by;                 // the file that has them too
  bool whole = false;                  // there is nothing else in it
  bool turned = false;                 // its beginning stands at its end
};

std::string note_of(const Repetition& same, const ingest::InputFile& file);

class RepeatedLines {
 public:
  // `files`, in the order in which they are read, and `dialects` outlive it.
  RepeatedLines(const std::vector<ingest::InputFile>& files, const ingest::DialectSet& dialects, const Limits& limits);
  ~RepeatedLines();

  // What the file `number`, about to be read as a log, repeats.
  Repetition of(std::size_t number) const;
  // The same of one whose newest record comes first, which is known only now that it was turned round, and stands at its beginning again
  // then: what its own source was told is read once more.
  Repetition of_turned(std::size_t number, std::size_t source, ingest::OldestFirst& text);
  // The bytes of the file behind its `head`, which was read already; watched for beginnings of the files that come after it.
  std::unique_ptr<ByteReader> watched(std::size_t number, std::string_view head, ByteReader& bytes);
  // The file was read to its end, oldest record first, as a log; `turned`: it does not stand so.
  void told(std::size_t number, std::size_t source, bool turned) {
    sources_[number] = source;
    if (turned) turned_.insert(number);
  }

 private:
  struct Place {
    std::size_t file;
    std::uint64_t at;
  };
  class Watch;
  class Chain;

  // Of the file `number` as it is read here; null where it can be read once only.
  using Opener = FunctionRef<std::unique_ptr<ByteReader>()>;

  std::unique_ptr<ByteReader> opened_again(std::size_t number) const;
  bool is_like_another(const ingest::InputFile& file) const;
  const std::string& beginning(std::size_t number);
  Repetition longest(const std::vector<Place>& places, Opener open) const;
  Repetition compare(const Place& place, Opener open) const;
  bool tells_times(Opener open, const Repetition& same) const;

  const std::vector<ingest::InputFile>& files_;
  const ingest::DialectSet& dialects_;
  const Limits& limits_;
  std::map<std::size_t, std::string> beginnings_;          // empty: cannot be looked at
  std::map<std::size_t, std::vector<Place>> found_;        // by the file whose beginning it is
  std::map<std::size_t, std::size_t> sources_;             // of the files that were told
  std::set<std::size_t> turned_;                           // of these, whose newest record comes first
  std::map<std::string, std::size_t> alike_;               // how many files go by a name, whatever their folder, archive and rotation
  std::map<std::string, std::shared_ptr<ingest::ArchiveShelf>> shelves_;  // by path: members are looked at in their order
};

// What looks at one log while it is read.
class LogWatch : public LogLooker {
 public:
  // `left_out` is told what the log repeats that is known only while it is read.
  LogWatch(RepeatedLines& lines, std::size_t number, std::size_t source, FunctionRef<void(const Repetition&)> left_out)
      : lines_(lines), number_(number), source_(source), left_out_(left_out) {}
  Start left_out(ingest::OldestFirst& turned) override;
  std::unique_ptr<ByteReader> watched(std::string_view head, ByteReader& bytes) override { return lines_.watched(number_, head, bytes); }

 private:
  RepeatedLines& lines_;
  std::size_t number_, source_;
  FunctionRef<void(const Repetition&)> left_out_;
};

}  // namespace mcpscan::pipeline
