// InputWindow: a sliding, contiguous view of a byte stream, read in large blocks. Records that lie within a block are seen
// in place; only what straddles two blocks is moved. Ownership: the window owns its buffer, not the reader. Bound: the
// buffer is one block, or the largest request of the caller, who bounds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_reader.h"
#include "base/prefetch.h"

namespace mcpscan::net {

class InputWindow {
 public:
  // `head`: bytes that were read from the source already.
  InputWindow(ByteReader& source, std::span<const char> head) : source_(source), buffer_(head.begin(), head.end()), end_(head.size()) {}

  // Makes `bytes` of them visible at data(); false when the stream ends before (what there is stays visible).
  // Views into data() die with the next call.
  bool need(std::size_t bytes) { return available() >= bytes || fill(bytes); }
  const std::uint8_t* data() const { return buffer_.data() + begin_; }
  std::size_t available() const { return end_ - begin_; }
  void consume(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
    prefetch_lines(data(), kNextHeads);
  }
  // Moves past `bytes`, of which not all need to be visible; false when the stream ends before.
  bool skip(std::uint64_t bytes);
  std::uint64_t offset() const { return offset_; }  // of data() in the stream

 private:
  bool fill(std::size_t bytes);

  static constexpr std::size_t kNextHeads = 128;          // a record's and its packet's: asked for while the one before is worked on
  static constexpr std::size_t kBlockBytes = 256 * 1024;  // larger blocks leave the second-level cache
  ByteReader& source_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace mcpscan::net
