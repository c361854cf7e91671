#include "ingest/text/record_lines.h"

#include <algorithm>
#include <array>

namespace mcpscan::ingest {

std::size_t RecordLines::read(std::span<char> to) {
  constexpr std::size_t kChunkBytes = 64 * 1024;
  while (out_at_ == out_.size()) {
    std::array<char, kChunkBytes> chunk;
    const std::size_t count = bytes_.read(chunk);
    out_.clear();
    out_at_ = 0;
    if (count == 0 && !end()) return 0;
    take({chunk.data(), count});
  }
  const std::size_t count = std::min(to.size(), out_.size() - out_at_);
  std::copy_n(out_.data() + out_at_, count, to.data());
  out_at_ += count;
  return count;
}

}  // namespace mcpscan::ingest
