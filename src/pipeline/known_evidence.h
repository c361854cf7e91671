// KnownEvidence: which files of this run earlier runs have read already, and from where each has to be read now. A file is known by its
// beginning and by the bytes before the place reached, wherever it lies and whatever its name: rotated, renamed, copied and compressed
// since. A name alone says nothing: a file that was truncated and began anew is new. Reads a few kilobytes a file, and a compressed one
// that has changed once more. Not the reading itself: see SettlingGate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "history/history.h"
#include "ingest/input_set.h"

namespace mcpscan::pipeline {

// Where to begin with a file.
struct ReadingStart {
  std::int64_t known = 0;       // the history's number of it; 0: new
  bool unchanged = false;       // nothing new is in it
  bool replaces = false;        // it has to be read from its beginning, and what was known of it is void
  std::uint64_t offset = 0;     // decoded bytes to leave out
  std::uint64_t line = 1;       // the line that begins there
  std::uint64_t judged_lines = 0;  // records that begin in these lines were judged before
};

class KnownEvidence {
 public:
  KnownEvidence(std::vector<history::KnownFile> files, const Limits& limits) : files_(std::move(files)), limits_(limits) {}

  // 0: none of that source.
  std::int64_t number_of(const std::string& source) const;
  // A file of the source, other than this one, has calls that were still open.
  bool has_open_calls(const std::string& source, std::int64_t but) const;
  // `head` is the decoded beginning of the file, `as_log` whether it is read line by line.
  ReadingStart start_of(const ingest::InputFile& file, const std::string& head, bool as_log, bool compressed) const;
  // The mark of a file that was just read, but for how far it is settled.
  model::FileMark mark_of(const ingest::InputFile& file, const std::string& head, bool as_log) const;
  // Fills in how far it is settled: the digest of the bytes before `bytes`.
  void settle(const ingest::InputFile& file, std::uint64_t bytes, std::uint64_t lines, bool compressed, model::FileMark& mark) const;

 private:
  const history::KnownFile* find(const ingest::InputFile& file, const std::string& head, bool compressed, const model::FileMark& now) const;

  std::vector<history::KnownFile> files_;
  const Limits& limits_;
};

}  // namespace mcpscan::pipeline
