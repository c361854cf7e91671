// When a hole is given up: the part of TcpConnection that decides between waiting and a gap.
#include <fmt/format.h>

#include "net/tcp_connection.h"

namespace mcpscan::net {

// Delivers what can be delivered, tells the gaps that are certain, and keeps the bounds.
void TcpConnection::settle(std::int64_t now) {
  drain();
  while (state_ == State::open && close_certain_hole(now)) drain();
  const Limits& limits = shared_.limits;
  for (int side = 0; side < 2; ++side) {
    while (state_ == State::open && (own(side).pieces.cost() > limits.flow_buffer_bytes || own(side).pieces.count() > limits.flow_segments)) {
      shared_.anomalies->add({"reorder-buffer-full",
                             fmt::format("a connection holds more than {} bytes or {} segments behind a hole; the hole is given up",
                                         limits.flow_buffer_bytes, limits.flow_segments),
                             last_.source, 1});
      force(side);
      drain();
    }
  }
  if (state_ == State::open) update_deadline(now);
}

// What the head of `side` (a piece, the FIN or the RST) had received of the other direction.
std::uint64_t TcpConnection::needs_of_head(int side) const {
  const TcpStream& mine = stream(side);
  if (!mine.pieces.empty()) return mine.pieces.head_piece().needs;
  if (mine.fin.known() && !mine.closed) return mine.fin.needs;
  return mine.rst.known() ? mine.rst.needs : 0;
}

const model::Stamp& TcpConnection::stamp_of_head(int side) const {
  const TcpStream& mine = stream(side);
  if (!mine.pieces.empty()) return mine.pieces.head_piece().stamp;
  if (mine.fin.known() && !mine.closed) return mine.fin.stamp;
  return mine.rst.known() ? mine.rst.stamp : last_;
}

// The head of `side` is next, but was sent after bytes of the other direction that are not delivered.
bool TcpConnection::blocked_by_peer(int side) const {
  return at_head(side) && needs_of_head(side) > peer(side).next && !peer(side).closed;
}

bool TcpConnection::at_head(int side) const {
  const TcpStream& mine = stream(side);
  if (!mine.pieces.empty()) return mine.at_piece();
  return mine.at_fin() || (mine.at_rst() && !(mine.fin.known() && !mine.closed));
}

// Bytes before the head of `side` are missing.
bool TcpConnection::has_hole(int side) const {
  const TcpStream& mine = stream(side);
  return mine.waits() && !at_head(side);
}

// Something waits for the byte at `next` of `side`.
bool TcpConnection::wanted(int side) const {
  return has_hole(side) || blocked_by_peer(1 - side);
}

// The receiver has bytes of `side` that the capture lacks, and nothing behind them was captured either. A single one may be a FIN: it is, where
// the receiver had closed its own side.
bool TcpConnection::lacks_tail(int side) const {
  const TcpStream& mine = stream(side);
  return mine.seen && !mine.tentative && !mine.closed && !mine.waits() && mine.acked > mine.next + (peer(side).closed ? 0 : 1);
}

// Up to where the missing bytes of `side` will certainly not come; 0: nowhere.
std::uint64_t TcpConnection::certain_until(int side, std::int64_t now) const {
  const TcpStream& mine = stream(side);
  if (!wanted(side) && !lacks_tail(side)) return 0;
  if (mine.settled > mine.next) return mine.settled;
  return wanted(side) && mine.stuck_next == mine.next && now - mine.stuck_at >= shared_.limits.hole_age_us ? kNowhere : 0;
}

bool TcpConnection::close_certain_hole(std::int64_t now) {
  if (reset_at_ != kNever && now - reset_at_ >= shared_.limits.reorder_us) {
    flush();
    return false;
  }
  for (int side = 0; side < 2; ++side) {
    own(side).age(now, shared_.limits.reorder_us);
    const std::uint64_t until = certain_until(side, now);
    if (until == 0) continue;
    close_hole(side, until);
    return true;
  }
  return false;
}

// Moves `side` to its next piece, FIN or RST, or to what the other side waits for, but not beyond `limit`. Where nothing is
// missing, each direction waits for the other (which an honest pair of hosts cannot bring about): then its head goes first.
void TcpConnection::close_hole(int side, std::uint64_t limit) {
  TcpStream& mine = own(side);
  std::uint64_t to = limit;
  if (!mine.pieces.empty()) to = std::min(to, mine.pieces.head());
  else if (mine.fin.known() && !mine.closed) to = std::min(to, mine.fin.at);
  else if (mine.rst.known()) to = std::min(to, mine.rst.at);
  if (mine.pieces.empty() && blocked_by_peer(1 - side)) to = std::min(to, needs_of_head(1 - side));
  if (to <= mine.next || mine.closed) {  // after a FIN no byte can be missing, whatever a RST's number says
    deliver_head(side);
    return;
  }
  const std::uint64_t length = to - mine.next;
  const model::Stamp stamp = stamp_of_head(mine.waits() ? side : 1 - side);
  if (length == 1 && !mine.waits() && peer(side).pieces.empty()) {
    infer_fin(side, stamp);  // a FIN or RST answers it, or nothing
    return;
  }
  mine.next = to;
  tell_gap(side, length, stamp);
}

// Takes one obstacle out of the way of the head of `side`.
void TcpConnection::force(int side) {
  if (blocked_by_peer(side)) close_hole(1 - side, needs_of_head(side));
  else close_hole(side, kNowhere);
}

// All that waits, in the order of the packets.
void TcpConnection::flush() {
  drain();
  while (state_ == State::open && (own(0).waits() || own(1).waits())) {
    const bool both = own(0).waits() && own(1).waits();
    const bool second = both ? captured_before(stamp_of_head(1), stamp_of_head(0)) : own(1).waits();
    force(second ? 1 : 0);
    drain();
  }
}

std::int64_t TcpConnection::deadline_of(int side, std::int64_t now) {
  TcpStream& mine = own(side);
  if (!wanted(side) && !lacks_tail(side)) return kNever;
  if (mine.mark > mine.next) return mine.mark_at + shared_.limits.reorder_us;
  if (!wanted(side)) return kNever;
  if (mine.stuck_next != mine.next) {
    mine.stuck_next = mine.next;
    mine.stuck_at = now;
  }
  return mine.stuck_at + shared_.limits.hole_age_us;
}

void TcpConnection::update_deadline(std::int64_t now) {
  deadline_ = std::min(deadline_of(0, now), deadline_of(1, now));
  if (reset_at_ != kNever) deadline_ = std::min(deadline_, reset_at_ + shared_.limits.reorder_us);
}

}  // namespace mcpscan::net
