// UnpackedBytes: a stream as it is, or decompressed when its first bytes say that it is compressed (members and frames one after
// the other are read as one). What cannot be decoded ends the bytes, after all that could be had, and is a Failure.
// ExpansionGuard keeps a small file from becoming endless. Not here: archives and their members (archive.h).
// Ownership: refers to its source. Threads: one. Bounds: Limits::expansion_ratio above Limits::expansion_floor_bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "ingest/compression.h"
#include "ingest/raw_file.h"

namespace mcpscan::ingest {

class Archive;

// Something that ended the bytes too early, or bytes left unread. Becomes an Anomaly of the input.
struct Failure {
  std::string kind;
  std::string text;
  std::uint64_t offset = 0;  // decoded bytes delivered before
  std::uint64_t count = 1;
};

class ExpansionGuard {
 public:
  ExpansionGuard(const RawFile& disk, const Limits& limits) : disk_(&disk), begin_(disk.consumed()), limits_(limits) {}
  // Counts bytes that were produced; false when they are too many for what was read from disk.
  bool admit(std::size_t bytes);
  Failure failure() const;

 private:
  const RawFile* disk_;
  std::uint64_t begin_;
  std::uint64_t produced_ = 0;
  Limits limits_;
};

class UnpackedBytes : public ByteReader {
 public:
  UnpackedBytes(ByteReader& source, const RawFile& disk, const Limits& limits);
  ~UnpackedBytes() override;

  std::size_t read(std::span<char> to) override;
  Compression compression() const { return compression_; }
  const std::vector<Failure>& failures() const { return failures_; }

 private:
  bool refill();
  bool begin_member();
  std::size_t read_plain(std::span<char> to);
  std::size_t decode(std::span<char> to);
  std::size_t read_archive(std::span<char> to);
  void fail(std::string kind, std::string text, std::uint64_t count = 1);
  void fail_in_member(bool cut);

  ByteReader& source_;
  std::string in_;                 // read from the source and not yet used: in_[at_..]
  std::size_t at_ = 0;
  Compression compression_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<ByteReader> rejoined_;  // for kinds without a decoder of ours: what archive_ reads
  std::unique_ptr<Archive> archive_;
  ExpansionGuard guard_;
  bool in_member_ = false;
  bool ended_ = false;
  std::uint64_t consumed_ = 0, produced_ = 0;
  std::vector<Failure> failures_;
};

}  // namespace mcpscan::ingest
