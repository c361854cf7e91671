#include "net/input_window.h"

#include <algorithm>
#include <cstring>

namespace mcpscan::net {

bool InputWindow::fill(std::size_t bytes) {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, available());
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < std::max(bytes, kBlockBytes)) buffer_.resize(std::max(bytes, kBlockBytes));
  while (end_ < bytes && !ended_) {
    const std::size_t got = source_.read({reinterpret_cast<char*>(buffer_.data()) + end_, buffer_.size() - end_});
    end_ += got;
    ended_ = got == 0;
  }
  return end_ >= bytes;
}

bool InputWindow::skip(std::uint64_t bytes) {
  while (bytes > 0) {
    if (available() == 0 && !need(1)) return false;
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, available()));
    consume(step);
    bytes -= step;
  }
  return true;
}

}  // namespace mcpscan::net
