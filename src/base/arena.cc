#include "base/arena.h"

#include <algorithm>

namespace mcpscan {

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  used_ += bytes;
  if (!chunks_.empty()) {
    const std::size_t start = (position_ + alignment - 1) & ~(alignment - 1);
    if (start + bytes <= chunks_.back().size) {
      position_ = start + bytes;
      return chunks_.back().bytes.get() + start;
    }
  }
  const std::size_t size = std::max(kChunkBytes, bytes);
  chunks_.push_back({std::unique_ptr<char[]>(new char[size]), size});
  position_ = bytes;
  return chunks_.back().bytes.get();
}

void Arena::reset() {
  if (chunks_.size() > 1 || (chunks_.size() == 1 && chunks_[0].size > kChunkBytes)) chunks_.clear();
  position_ = 0;
  used_ = 0;
}

}  // namespace mcpscan
