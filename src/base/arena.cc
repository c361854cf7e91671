#include "base/arena.h"

#include <algorithm>

namespace mcpscan {

void* Arena::allocate_in_next(std::size_t bytes) {
  if (begun_ == chunks_.size() || chunks_[begun_].size < bytes) {
    const std::size_t size = std::max(kChunkBytes, bytes);
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(begun_), {std::unique_ptr<char[]>(new char[size]), size});
  }
  const Chunk& chunk = chunks_[begun_++];
  here_ = chunk.bytes.get();
  room_ = chunk.size;
  position_ = bytes;
  used_ += bytes;
  return here_;
}

void Arena::reset() {
  std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.size > kChunkBytes; });
  if (chunks_.size() > kKeptChunks) chunks_.resize(kKeptChunks);
  begun_ = room_ = position_ = used_ = 0;
  here_ = nullptr;
}

}  // namespace mcpscan
