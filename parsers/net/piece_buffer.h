// PieceBuffer: bytes that came before their turn, without overlaps: the first copy of a byte wins. Used for TCP segments and
// IP fragments. A piece may claim more bytes than were captured (snapshot length); those count as covered and are known to be
// missing. The owner bounds it by cost() and count().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/stream_analyzer.h"

namespace mcpscan::net {

struct Piece {
  std::uint64_t end = 0;     // position after the last byte; its first is the map's key
  std::string bytes;         // captured ones, from the front
  std::uint64_t needs = 0;   // how far the sender had received the other direction when it sent this
  model::Stamp stamp;
};

class PieceBuffer {
 public:
  struct Added {
    std::uint64_t duplicate_bytes = 0;
    bool differs = false;    // a duplicate had other bytes than the first copy
  };

  // `bytes` are the captured ones of [begin, end); there may be fewer of them.
  Added add(std::uint64_t begin, std::uint64_t end, std::string_view bytes, std::uint64_t needs, const model::Stamp& stamp);

  bool empty() const { return pieces_.empty(); }
  std::uint64_t head() const { return pieces_.begin()->first; }
  const Piece& head_piece() const { return pieces_.begin()->second; }
  Piece pop();
  std::size_t count() const { return pieces_.size(); }
  std::size_t cost() const { return cost_; }  // bytes of memory, near enough
  void clear();

 private:
  static std::size_t cost_of(const Piece& piece) { return piece.bytes.size() + 160; }
  void store(std::uint64_t begin, std::uint64_t end, std::string_view bytes, std::uint64_t needs, const model::Stamp& stamp);

  std::map<std::uint64_t, Piece> pieces_;
  std::size_t cost_ = 0;
};

}  // namespace mcpscan::net
