// OldestFirst: a log whose newest record comes first (what Cloud Logging, Datadog, Loki and Kibana export unless asked otherwise) turned
// round, so that a request is read before its reply. Records keep their lines together: a line that does not begin as the first one of the
// input does belongs to the one before. What is too long to be turned round is passed on as it stands, and says so.
// Ownership: `bytes` outlives it. Threads: one. Memory: the whole input, Limits::newest_first_bytes at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/limits.h"
#include "model/anomaly.h"

namespace mcpscan::ingest {

class OldestFirst : public ByteReader {
 public:
  // `head` has been read from `bytes` already.
  OldestFirst(ByteReader& bytes, std::string head, std::uint32_t input, const Limits& limits);
  std::size_t read(std::span<char> to) override;
  // What was turned round, once more; nothing else can be read again.
  void rewind() { group_ = at_ = 0; }
  bool turned() const { return !groups_.empty(); }
  // Where a place in what was read stands in the input.
  model::SourceRef original(model::SourceRef place) const;
  const model::AnomalyLog& anomalies() const { return anomalies_; }

 private:
  struct Group {
    std::size_t offset = 0, size = 0;   // in text_
    std::uint64_t line = 0;             // of its first line, in the input
    std::uint64_t new_line = 0, new_offset = 0;
  };
  void turn_round();

  ByteReader& bytes_;
  std::string text_;
  std::vector<Group> groups_;   // in the order they are read; empty: nothing was turned round
  std::size_t group_ = 0, at_ = 0;
  model::AnomalyLog anomalies_;
};

}  // namespace mcpscan::ingest
