// Arena: a bump allocator for what a block of input yields. Everything in it dies at reset(); nothing is destroyed.
// Ownership: the arena owns the bytes. Threads: none of its own. Bound: the caller resets it after each block; kKeptChunks stay.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/prefetch.h"

namespace mcpscan {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(begun_, other.begun_);
    std::swap(here_, other.here_);
    std::swap(room_, other.room_);
    std::swap(position_, other.position_);
    std::swap(used_, other.used_);
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    const std::size_t start = (position_ + alignment - 1) & ~(alignment - 1);
    if (start + bytes > room_) return allocate_in_next(bytes);
    used_ += bytes;
    position_ = start + bytes;
    return here_ + start;
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* to = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  // A buffer of `bytes` to be filled by the caller.
  std::span<char> buffer(std::size_t bytes) { return {static_cast<char*>(allocate(bytes, 1)), bytes}; }

  // `count` values, to be set by the caller.
  template <typename T>
  std::span<T> list(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never destroys");
    T* const values = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_default_construct_n(values, count);
    return {values, count};
  }

  template <typename T, typename... Arguments>
  T* make(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never destroys");
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Arguments>(arguments)...};
  }

  // The next `bytes` will be written soon.
  void ask_for(std::size_t bytes) const { prefetch_lines_to_write(here_ + position_, std::min(bytes, room_ - position_)); }

  // Forgets everything; some chunks are kept for the next use.
  void reset();
  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kChunkBytes = 256 * 1024, kKeptChunks = 8;
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };
  void* allocate_in_next(std::size_t bytes);

  std::vector<Chunk> chunks_;   // the first `begun_` hold something, the others wait
  std::size_t begun_ = 0;
  char* here_ = nullptr;        // the chunk begun last, and its size
  std::size_t room_ = 0;
  std::size_t position_ = 0;    // in it
  std::size_t used_ = 0;
};

}  // namespace mcpscan
