// InputSet: what the user named (files, folders, globs, "-") becomes the ordered list of inputs to read: members of
// archives are inputs of their own, rotated sets stand oldest first whatever order they were given in.
// Not here: reading the bytes (byte_source.h), telling formats apart (probe.h).
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

struct InputFile {
  std::string display;     // as given; a member of an archive as a.tar.gz!/b.log; standard input as -
  std::string path;        // on disk; empty for stdin
  std::string member;      // inside the archive; empty: the file itself
  bool named = false;      // the user named it (it may cause exit code 2), not found inside a folder
  std::string set_key;     // rotated files of one log share it (folder + base name without .N, date and compression ending)
  std::int64_t rotation = 0;  // larger = older: from .N and date suffixes; 0 the live file
};

struct InputProblem {
  std::string display;
  Error error;
};

struct InputSet {
  std::vector<InputFile> files;
  std::vector<InputProblem> problems;  // named inputs that do not exist or cannot be opened
  std::uint64_t skipped_special = 0;   // sockets, devices, unreadable files inside folders
};

// `arguments` in any order; a file reached twice is read once. Files inside a folder in byte order of their paths.
InputSet expand_inputs(const std::vector<std::string>& arguments, const Limits& limits);

// Opens one input and decompresses it as it is read (gz, zst, xz, bz2, and the member of a tar or zip).
// Decompression that fails in the middle ends the bytes and is an anomaly (truncated-gzip and the like) with the offset;
// an expansion beyond Limits::expansion_ratio ends them too (decompression-bomb).
class ByteSource : public ByteReader {
 public:
  virtual std::uint64_t bytes_on_disk() const = 0;   // consumed so far, compressed as they are
  virtual const model::AnomalyLog& anomalies() const = 0;
  virtual bool compressed() const = 0;
};
Result<std::unique_ptr<ByteSource>> open_input(const InputFile& file, std::uint32_t input, const Limits& limits);

// SHA-256 of the bytes on disk as lower-case hex; for stdin and archive members nothing ("").
Result<std::string> sha256_of_file(const std::string& path);

// What an input is, told from its head (at least 64 KiB where the input has so much), never from its name.
enum class FormatKind : std::uint8_t { log, capture, har, transcript, otlp, binary, empty };
FormatKind probe_format(std::string_view head);

}  // namespace mcpscan::ingest
