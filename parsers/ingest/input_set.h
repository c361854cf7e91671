// InputSet: what the user named (files, folders, globs, "-") becomes the ordered list of inputs to read: members of
// archives are inputs of their own, rotated sets stand oldest first whatever order they were given in.
// And the door to their bytes: open_input() decompresses, probe_format() tells what they are. Names decide nothing but the order of
// rotated sets. Threads: expand_inputs() one; inputs may be opened and read in several, one an input. Bounds: Limits::input_files,
// folder_depth, archive_members, expansion_ratio.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "base/result.h"
#include "model/anomaly.h"

namespace mcpscan::ingest {

class ArchiveShelf;  // an archive that is open and stands behind the member read last, shared by the members (archive_shelf.h)

struct InputFile {
  std::string display;     // as given; a member of an archive as a.tar.gz!/b.log; standard input as -
  std::string path;        // on disk; empty for stdin
  std::string member;      // inside the archive; empty: the file itself
  std::uint64_t member_number = 0;       // its place in the archive, from 1 (names may come twice); 0: found by name
  std::shared_ptr<ArchiveShelf> shelf;   // may be null: the archive is then opened anew
  bool named = false;      // the user named it (it may cause exit code 2), not found inside a folder
  std::string set_key;     // rotated files of one log share it (folder + base name without .N, date and compression ending)
  std::int64_t rotation = 0;  // larger = older: from .N and date suffixes; 0 the live file
  std::int64_t number = -1;   // of a rotated capture, which is one more for the next file; -1: not told
};

struct InputProblem {
  std::string display;
  Error error;
  bool named = true;       // the user named it; false: part of a folder or archive, never a reason for exit code 2
};

struct InputSet {
  std::vector<InputFile> files;
  std::vector<InputProblem> problems;  // inputs that do not exist or cannot be opened, archives inside archives, bounds reached
  std::uint64_t skipped_special = 0;   // sockets, devices, unreadable files inside folders
};

// `arguments` in any order; a file reached twice is read once. Files inside a folder in byte order of their paths.
InputSet expand_inputs(const std::vector<std::string>& arguments, const Limits& limits);

// Opens one input and decompresses it as it is read (gz, zst, xz, bz2, and the member of a tar or zip); text in UTF-16 comes as UTF-8.
// Decompression that fails in the middle ends the bytes, after all that could be had, and is an anomaly with both offsets:
// truncated-K or corrupt-K (K = gzip, zstd, xz, bzip2, archive ...), trailing-bytes, read-error; an expansion beyond
// Limits::expansion_ratio ends them too (decompression-bomb). An archive on standard input is read as its members in a row
// (archive-in-a-row). A path that is missing, unreadable or a folder is an Error.
class ByteSource : public ByteReader {
 public:
  virtual std::uint64_t bytes_on_disk() const = 0;   // consumed so far, compressed as they are
  virtual const model::AnomalyLog& anomalies() const = 0;
  virtual bool compressed() const = 0;
  virtual bool recoded() const = 0;  // UTF-16 on disk
};
Result<std::unique_ptr<ByteSource>> open_input(const InputFile& file, std::uint32_t input, const Limits& limits);

// SHA-256 of the bytes on disk as lower-case hex; for stdin and archive members nothing ("").
Result<std::string> sha256_of_file(const std::string& path);

// What an input is, told from its head (at least 64 KiB where the input has so much), never from its name.
enum class FormatKind : std::uint8_t { log, capture, har, transcript, otlp, binary, empty };
FormatKind probe_format(std::string_view head);

}  // namespace mcpscan::ingest
