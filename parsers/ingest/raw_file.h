// RawFile: an open file descriptor as a ByteReader, by large plain reads: the speed path of uncompressed inputs. A file that
// grows or shrinks while it is read is read to the end it has then; an input/output error ends the bytes and is kept.
// Ownership: owns the descriptor. Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/byte_reader.h"
#include "base/result.h"

namespace mcpscan::ingest {

class RawFile : public ByteReader {
 public:
  // Refuses folders, and says why a path cannot be opened. Pipes and devices are read as streams.
  static Result<std::unique_ptr<RawFile>> open(const std::string& path);
  static Result<std::unique_ptr<RawFile>> open_stdin();
  explicit RawFile(int descriptor) : descriptor_(descriptor) {}
  ~RawFile() override;
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  std::size_t read(std::span<char> to) override;
  // Moves to an absolute place; false for a pipe.
  bool seek(std::uint64_t to);
  std::uint64_t position() const { return position_; }
  // Bytes in the file now; -1 for a pipe.
  std::int64_t size() const;
  // Bytes read so far, however often.
  std::uint64_t consumed() const { return consumed_; }
  // Why reading stopped before the end; empty: it did not.
  const std::string& failure() const { return failure_; }

 private:
  int descriptor_;
  std::uint64_t position_ = 0;
  std::uint64_t consumed_ = 0;
  std::string failure_;
};

}  // namespace mcpscan::ingest
