// HeldBytes: bytes of one direction that cannot be read yet, each piece with its stamp. Counted against
// Limits::http_buffer_bytes; how many may be held is its owner's business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/http_state.h"

namespace mcpscan::app {

class HeldBytes {
 public:
  explicit HeldBytes(HttpState& state) : state_(state) {}
  ~HeldBytes() { clear(); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;

  bool empty() const { return bytes_.size() == from_; }
  std::string_view view() const { return std::string_view(bytes_).substr(from_); }

  void add(std::string_view bytes, const model::Stamp& stamp) {
    bytes_.append(bytes);
    state_.kept_bytes += bytes.size();
    pieces_.push_back({bytes_.size(), stamp});
  }

  // Offers the pieces in order to `take(piece, stamp)`, which returns how much it took, until it takes less than offered.
  template <typename Take>
  void drain(Take take) {
    while (next_ < pieces_.size()) {
      const std::string_view piece = std::string_view(bytes_).substr(from_, pieces_[next_].end - from_);
      const model::Stamp stamp = pieces_[next_].stamp;  // who takes may clear
      const std::size_t used = take(piece, stamp);
      from_ += used;
      if (used < piece.size()) return;
      ++next_;
    }
    clear();
  }

  void clear() {
    state_.kept_bytes -= bytes_.size();
    std::string().swap(bytes_);
    pieces_.clear();
    from_ = next_ = 0;
  }

 private:
  struct Piece {
    std::size_t end;
    model::Stamp stamp;
  };
  HttpState& state_;
  std::string bytes_;
  std::vector<Piece> pieces_;
  std::size_t from_ = 0, next_ = 0;
};

}  // namespace mcpscan::app
