// RecordLines: the records of an input that is no log, as lines of JSON, so that the readers of lines read them. What tables and documents have
// in common here: bytes in, lines out.
// Ownership: `bytes` outlives it. Threads: one. Memory: one chunk, the lines it came to, and what an heir keeps of a record.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_reader.h"

namespace mcpscan::ingest {

class RecordLines : public ByteReader {
 public:
  std::size_t read(std::span<char> to) final;

 protected:
  explicit RecordLines(ByteReader& bytes) : bytes_(bytes) {}
  virtual void take(std::string_view bytes) = 0;
  // The input is over; whether that added to out_. May be asked again.
  virtual bool end() = 0;

  std::string out_;  // the lines, not yet read

 private:
  ByteReader& bytes_;
  std::size_t out_at_ = 0;
};

}  // namespace mcpscan::ingest
