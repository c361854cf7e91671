// The beginning of an input is read to tell what it is and then read again by who takes it: read_head() and Replayed; or passed over: skip().
// Ownership: a Replayed owns the head, not the reader. Threads: none. Memory: kHeadBytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/byte_reader.h"

namespace mcpscan::pipeline {

inline constexpr std::size_t kHeadBytes = 256 * 1024;  // what a probe and the calibration look at

inline std::string read_head(ByteReader& bytes) {
  constexpr std::size_t kFirstBytes = 16 * 1024;  // a small input does not pay for the room of a large one
  std::string head;
  std::size_t filled = 0;
  while (filled < kHeadBytes) {
    if (filled == head.size()) head.resize(std::clamp(2 * filled, kFirstBytes, kHeadBytes));
    const std::size_t count = bytes.read({head.data() + filled, head.size() - filled});
    if (count == 0) break;
    filled += count;
  }
  head.resize(filled);
  return head;
}

// Reads on by so many bytes, or to the end.
inline void skip(ByteReader& bytes, std::uint64_t count) {
  std::string piece(std::min<std::uint64_t>(kHeadBytes, count), '\0');
  while (count > 0) {
    const std::size_t got = bytes.read({piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), count))});
    if (got == 0) return;
    count -= got;
  }
}

// What was read to tell the format, and then the rest: a reader for formats that want the bytes from the start.
class Replayed : public ByteReader {
 public:
  Replayed(std::string head, ByteReader& rest) : head_(std::move(head)), rest_(rest) {}
  std::size_t read(std::span<char> to) override {
    if (position_ == head_.size()) return rest_.read(to);
    const std::size_t count = std::min(to.size(), head_.size() - position_);
    std::copy_n(head_.data() + position_, count, to.data());
    position_ += count;
    return count;
  }

 private:
  std::string head_;
  ByteReader& rest_;
  std::size_t position_ = 0;
};

}  // namespace mcpscan::pipeline
