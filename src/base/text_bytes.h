// TextBytes: a text that is there already, read as an input is, in pieces of at most `step` bytes.
// Owns the text. Threads: none. Bound: the caller's, who has the text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/byte_reader.h"

namespace mcpscan {

class TextBytes : public ByteReader {
 public:
  explicit TextBytes(std::string text, std::size_t step = SIZE_MAX) : text_(std::move(text)), step_(step) {}
  std::size_t read(std::span<char> to) override {
    const std::size_t count = std::min({to.size(), text_.size() - at_, step_});
    std::copy_n(text_.data() + at_, count, to.data());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t step_, at_ = 0;
};

}  // namespace mcpscan
