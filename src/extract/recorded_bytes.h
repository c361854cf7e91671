// RecordedBytes: hands a reader its bytes and keeps them too, from the first that may still be wanted on, so that what the reader found can be
// copied as it stood. Ownership: `source` outlives it. Threads: none. Memory: what was read and not dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_reader.h"

namespace mcpscan::extract {

class RecordedBytes : public ByteReader {
 public:
  explicit RecordedBytes(ByteReader& source) : source_(source) {}

  std::size_t read(std::span<char> to) override {
    const std::size_t count = source_.read(to);
    kept_.append(to.data(), count);
    return count;
  }
  // The bytes of [from, to) that are still kept; offsets count what was read.
  std::string_view between(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t begin = std::clamp(from, base_, end()), stop = std::clamp(to, begin, end());
    return std::string_view(kept_).substr(begin - base_, stop - begin);
  }
  // Nothing before `offset` will be asked for any more.
  void drop_before(std::uint64_t offset) {
    if (offset <= base_ + kSlack) return;
    const std::uint64_t count = std::min<std::uint64_t>(offset - base_, kept_.size());
    kept_.erase(0, count);
    base_ += count;
  }
  std::uint64_t end() const { return base_ + kept_.size(); }

 private:
  static constexpr std::uint64_t kSlack = 1 << 20;  // erased in large steps
  ByteReader& source_;
  std::string kept_;
  std::uint64_t base_ = 0;
};

}  // namespace mcpscan::extract
