// OpenArchive: an archive file that is open, behind some member. ArchiveShelf keeps one between two members, so that reading the
// members in their order costs one pass over a compressed archive, not one a member; who comes while it is taken opens his own.
// Ownership: the shelf is shared by the InputFiles of one archive. Threads: take() and put() may be called from any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "ingest/archive.h"
#include "ingest/raw_file.h"
#include "ingest/unpacked_bytes.h"

namespace mcpscan::ingest {

class OpenArchive {
 public:
  // Over a whole file. Zip is read by seeking, tar through its decompression.
  OpenArchive(std::unique_ptr<RawFile> file, const Limits& limits);

  bool is_archive() const { return archive_ != nullptr; }
  // The next member, whatever it is; its number is number().
  std::optional<Archive::Member> next();
  std::uint64_t number() const { return number_; }
  std::size_t read(std::span<char> to) { return archive_->read(to); }
  // The bytes of the file itself, for one that is no archive.
  std::size_t read_unpacked(std::span<char> to);
  const RawFile& file() const { return *file_; }
  Compression compression() const { return unpacked_->compression(); }
  // Damage between members that was stepped over; empty: none.
  const std::string& damage() const { return archive_->damage(); }
  // What went wrong so far, in the file, its decompression or the archive; nothing: all is well.
  std::vector<Failure> failures() const;

 private:
  class Replay;
  std::unique_ptr<RawFile> file_;
  std::unique_ptr<UnpackedBytes> unpacked_;
  std::unique_ptr<ByteReader> replay_;  // the head that was looked at, then the rest of unpacked_
  std::unique_ptr<Archive> archive_;
  std::uint64_t number_ = 0;
};

class ArchiveShelf {
 public:
  // The open archive, if it has not passed `number` yet.
  std::unique_ptr<OpenArchive> take(std::uint64_t number);
  void put(std::unique_ptr<OpenArchive> archive);

 private:
  std::mutex mutex_;
  std::unique_ptr<OpenArchive> idle_;
};

}  // namespace mcpscan::ingest
