// TcpStream: one direction of a TCP connection: how far its bytes were delivered, what waits, how far the receiver has
// acknowledged. Plain state; TcpConnection decides. Positions are 64-bit and continue where 32-bit sequence numbers wrap.
// Internal to the module. Source: RFC 9293 section 3.4.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "model/stream_analyzer.h"
#include "net/piece_buffer.h"

namespace mcpscan::net {

constexpr std::uint64_t kNowhere = UINT64_MAX;

// Within a file the packet number decides; across the files of a rotated set the time does.
inline bool captured_before(const model::Stamp& a, const model::Stamp& b) {
  return a.source.input == b.source.input ? a.source.number < b.source.number : a.at < b.at;
}

// A FIN or RST that the stream ends with.
struct StreamEnd {
  std::uint64_t at = kNowhere;
  std::uint64_t needs = 0;  // as Piece::needs
  model::Stamp stamp;

  bool known() const { return at != kNowhere; }
};

// Digests of the payloads delivered last: enough to see that a repeated segment says something else.
class RecentPayloads {
 public:
  void add(std::uint64_t begin, std::string_view bytes);
  // True when the same range was delivered lately with other bytes.
  bool contradicts(std::uint64_t begin, std::string_view bytes) const;

 private:
  struct Entry {
    std::uint64_t begin = kNowhere, digest = 0;
    std::size_t size = 0;
  };
  std::array<Entry, 4> entries_;
  std::size_t next_ = 0;
};

struct TcpStream {
  bool seen = false;         // a packet of this direction is in the capture
  bool known = false;        // `next` means something
  bool tentative = false;    // `next` was only inferred from the other direction's acknowledgement
  bool closed = false;       // the FIN was delivered

  std::uint64_t start = 0;   // position of the first byte
  std::uint64_t next = 0;    // position of the next byte to deliver
  std::uint64_t reach = 0;   // end of the furthest segment
  std::uint64_t stood = 0;   // position of the furthest packet without bytes
  PieceBuffer pieces;
  StreamEnd fin, rst;
  RecentPayloads recent;

  std::uint64_t acked = 0;         // the receiver has everything before it
  std::uint64_t acked_jump = kNowhere;  // an acknowledgement too far ahead to be believed at once
  std::uint64_t mark = 0;          // `acked` as it was at `mark_at`
  std::int64_t mark_at = 0;
  std::uint64_t settled = 0;       // acknowledged so long ago that no packet before it will turn up
  std::uint64_t stuck_next = kNowhere;  // since `stuck_at`, delivery has waited at this position
  std::int64_t stuck_at = 0;

  void begin_at(std::uint32_t sequence, bool only_inferred) {
    known = true;
    tentative = only_inferred;
    start = next = reach = (std::uint64_t{1} << 32) + sequence;
  }
  std::uint64_t position(std::uint32_t sequence) const {
    const auto step = static_cast<std::int32_t>(sequence - static_cast<std::uint32_t>(next));
    return next + static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
  }
  bool far(std::uint64_t at, std::uint64_t bound) const {
    const std::uint64_t ahead = std::max({next, reach, acked});
    return at > ahead ? at - ahead > bound : next > at && next - at > bound;
  }
  bool at_piece() const { return !pieces.empty() && pieces.head() == next; }
  bool at_fin() const { return !closed && fin.known() && fin.at == next; }
  bool at_rst() const { return rst.known() && rst.at <= next && pieces.empty(); }
  bool waits() const { return !pieces.empty() || (fin.known() && !closed) || rst.known(); }

  void acknowledge(std::uint64_t to, std::int64_t now);
  // Lets an acknowledgement that is older than `reorder_us` settle.
  void age(std::int64_t now, std::int64_t reorder_us);
};

}  // namespace mcpscan::net
