// ByteReader: bytes from a file, a pipe or an archive member, in order, once.
#pragma once

#include <cstddef>
#include <span>

namespace mcpscan {

class ByteReader {
 public:
  virtual ~ByteReader() = default;
  // Fills `to` with up to its size; 0 at the end or at an error that the implementation has recorded.
  virtual std::size_t read(std::span<char> to) = 0;
};

}  // namespace mcpscan
