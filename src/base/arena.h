// Arena: a bump allocator for what a block of input yields. Everything in it dies at reset(); nothing is destroyed.
// Ownership: the arena owns the bytes. Threads: none of its own. Bound: the caller resets it after each block.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mcpscan {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* to = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  // A buffer of `bytes` to be filled by the caller.
  std::span<char> buffer(std::size_t bytes) { return {static_cast<char*>(allocate(bytes, 1)), bytes}; }

  template <typename T, typename... Arguments>
  T* make(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never destroys");
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Arguments>(arguments)...};
  }

  // Forgets everything; one chunk is kept for the next use.
  void reset();
  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kChunkBytes = 256 * 1024;
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };
  std::vector<Chunk> chunks_;
  std::size_t position_ = 0;  // in the last chunk
  std::size_t used_ = 0;
};

}  // namespace mcpscan
