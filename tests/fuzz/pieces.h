// Pieces: a fuzzer's bytes as a ByteReader that gives no more than one piece a read. The bytes outlive it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/byte_reader.h"

namespace mcpscan::tests {

class Pieces : public ByteReader {
 public:
  Pieces(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  std::size_t read(std::span<char> to) override {
    const std::size_t count = std::min({to.size(), piece_, bytes_.size()});
    std::copy_n(bytes_.data(), count, to.data());
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
  std::size_t piece_;
};

}  // namespace mcpscan::tests
