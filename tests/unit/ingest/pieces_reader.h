// PiecesReader: literal bytes as a ByteReader that gives one piece a read, whatever was asked for. For tests of this folder.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"

namespace mcpscan::tests {

class PiecesReader : public ByteReader {
 public:
  explicit PiecesReader(std::vector<std::string_view> pieces) : pieces_(std::move(pieces)) {}
  explicit PiecesReader(std::string_view bytes) : pieces_{bytes} {}
  // `bytes` in pieces of one size.
  PiecesReader(std::string_view bytes, std::size_t piece) {
    for (std::size_t at = 0; at < bytes.size(); at += piece) pieces_.push_back(bytes.substr(at, piece));
  }

  std::size_t read(std::span<char> to) override {
    while (next_ < pieces_.size() && pieces_[next_].empty()) ++next_;
    if (next_ == pieces_.size()) return 0;
    std::string_view& piece = pieces_[next_];
    const std::size_t count = std::min(to.size(), piece.size());
    std::memcpy(to.data(), piece.data(), count);
    piece.remove_prefix(count);
    return count;
  }

 private:
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
};

}  // namespace mcpscan::tests
