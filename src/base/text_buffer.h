// TextBuffer: a text that grows by bytes nobody has set yet, for who fills them at once: a string would set each to zero before it is read
// into. Copies are deep. Owns its bytes. Threads: none. Bound: the caller's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace mcpscan {

class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(std::string_view text) { assign(text); }
  TextBuffer(const TextBuffer& other) : TextBuffer(other.view()) {}
  TextBuffer(TextBuffer&& other) noexcept { swap(other); }
  TextBuffer& operator=(TextBuffer other) noexcept { return swap(other), *this; }

  std::string_view view() const { return {bytes_.get(), size_}; }
  operator std::string_view() const { return view(); }
  char* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity() const { return capacity_; }

  void assign(std::string_view text) {
    size_ = 0;
    resize(text.size());
    if (!text.empty()) std::memcpy(data(), text.data(), text.size());
  }
  void append(char byte) {
    resize(size_ + 1);
    bytes_[size_ - 1] = byte;
  }
  // What is new holds anything.
  void resize(std::size_t size) {
    if (size > capacity_) reserve(std::max(size, 2 * capacity_));
    size_ = size;
  }
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }
  void swap(TextBuffer& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace mcpscan
