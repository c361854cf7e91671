#include "net/tcp_connection.h"

namespace mcpscan::net {

TcpConnection::TcpConnection(FlowShared& shared, const FlowTuple& tuple, std::uint64_t number)
    : shared_(shared), tuple_(tuple), number_(number) {}

TcpConnection::~TcpConnection() { drop_pieces(); }

// A SYN with another initial number, or data whose sequence and acknowledgement both lie far away, belongs to a new connection
// of the same addresses. Far away in one of the two only is damage or a forgery.
TcpConnection::Fit TcpConnection::fit(int from, const TcpSegment& segment) const {
  const TcpStream& mine = stream(from);
  if (!mine.known) return Fit::belongs;
  if (segment.syn) return segment.sequence + 1 == static_cast<std::uint32_t>(mine.start) ? Fit::belongs : Fit::another;
  const std::uint64_t bound = shared_.limits.sequence_jump_bytes;
  if (!mine.far(mine.position(segment.sequence), bound)) return Fit::belongs;
  if (segment.length == 0 || !segment.ack) return Fit::stray;
  const TcpStream& other = peer(from);
  return !other.known || other.far(other.position(segment.acknowledgement), bound) ? Fit::another : Fit::stray;
}

void TcpConnection::add(int from, const TcpSegment& segment, const model::Stamp& stamp, std::int64_t now) {
  if (segment.length > 0) __builtin_prefetch(analyzer_.get());  // other connections had the caches meanwhile
  TcpStream& mine = own(from);
  if (first_.source.number == 0) first_ = stamp;
  last_ = stamp;
  mine.seen = true;
  if (segment.syn) note_syn(from, segment);
  const std::uint64_t needs = segment.ack ? note_ack(peer(from), segment.acknowledgement, now) : 0;
  if (segment.rst) {
    note_reset(from, segment, needs, stamp, now);
  } else if (segment.length > 0 || segment.fin) {
    const std::uint32_t sequence = segment.sequence + (segment.syn ? 1u : 0u);
    place(mine, sequence, segment.length);
    const std::uint64_t begin = mine.position(sequence);
    if (segment.fin) note_fin(mine, begin + segment.length, needs, stamp);
    if (segment.length > 0) take(from, begin, segment, needs, stamp, now);
  } else if (mine.known && !segment.syn && !mine.far(mine.position(segment.sequence), shared_.limits.sequence_jump_bytes)) {
    mine.stood = std::max(mine.stood, mine.position(segment.sequence));
  }
  if (state_ == State::open && (mine.waits() || peer(from).waits() || lacks_tail(1 - from) || deadline_ != kNever)) settle(now);
}

void TcpConnection::note_syn(int from, const TcpSegment& segment) {
  TcpStream& mine = own(from);
  if (!mine.known) mine.begin_at(segment.sequence + 1, false);
  mine.tentative = false;
  if (analyzer_made_) return;
  saw_start_ = true;
  client_ = segment.ack ? 1 - from : from;
}

// How far the sender had received `stream`. An acknowledgement that leaps far beyond everything seen counts only once a second
// one agrees with it.
std::uint64_t TcpConnection::note_ack(TcpStream& stream, std::uint32_t ack, std::int64_t now) {
  if (!stream.known) {
    stream.begin_at(ack, true);
    stream.acked = stream.next;
    return stream.next;
  }
  const std::uint64_t at = stream.position(ack), bound = shared_.limits.sequence_jump_bytes;
  if (stream.far(at, bound)) {
    const bool agreed = stream.acked_jump != kNowhere && at >= stream.acked_jump && at - stream.acked_jump <= bound;
    stream.acked_jump = at;
    if (!agreed || at < stream.next) return stream.next;
  }
  if (stream.fin.known() && at > stream.fin.at) return stream.fin.at + 1;
  stream.acknowledge(at, now);
  return at;
}

// Where the stream's delivery begins, if its SYN was not captured. A lone first byte may be a keep-alive probe's garbage.
void TcpConnection::place(TcpStream& stream, std::uint32_t sequence, std::uint32_t length) {
  constexpr std::uint32_t kProbeBytes = 1;
  const std::uint32_t first = length == kProbeBytes ? sequence + kProbeBytes : sequence;
  if (!stream.known) {
    stream.begin_at(first, false);
  } else if (stream.tentative) {
    if (length == 0) return;
    const std::uint64_t at = stream.position(first);
    // Behind a FIN that was told comes nothing, wherever it was thought to stand.
    if (at < stream.next && !stream.closed && !stream.far(at, shared_.limits.sequence_jump_bytes)) stream.start = stream.next = at;
    stream.tentative = false;
  }
}

void TcpConnection::note_fin(TcpStream& stream, std::uint64_t at, std::uint64_t needs, const model::Stamp& stamp) {
  if (stream.fin.known() || at < stream.reach || at < stream.next) return;
  stream.fin = {at, needs, stamp};
}

// A reset ends both directions: what precedes it and is not captured yet can only come out of order.
void TcpConnection::note_reset(int from, const TcpSegment& segment, std::uint64_t needs, const model::Stamp& stamp, std::int64_t now) {
  TcpStream& mine = own(from);
  if (mine.rst.known()) return;
  if (!mine.known) mine.begin_at(segment.sequence, false);
  const std::uint64_t at = mine.tentative ? mine.next : std::max(mine.position(segment.sequence), mine.next);
  mine.rst = {at, needs, stamp};
  if (reset_at_ == kNever) reset_at_ = now;
  ++shared_.totals.resets;
}

void TcpConnection::take(int from, std::uint64_t begin, const TcpSegment& segment, std::uint64_t needs, const model::Stamp& stamp,
                         std::int64_t now) {
  TcpStream& mine = own(from);
  const std::uint64_t end = begin + segment.length;
  if (end <= mine.next) {
    repeat(mine, begin, segment, stamp);
    return;
  }
  if (end > mine.fin.at || is_late_probe(mine, end, segment.length, now)) return;
  mine.reach = std::max(mine.reach, end);
  std::string_view bytes = segment.payload;
  if (begin < mine.next) {
    ++shared_.totals.retransmissions;
    bytes.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(mine.next - begin, bytes.size())));
    begin = mine.next;
  }
  if (mine.pieces.empty() && begin == mine.next && (needs <= peer(from).next || peer(from).closed)) deliver(from, bytes, end, stamp);
  else keep(from, begin, end, bytes, needs, stamp);
}

// A keep-alive probe repeats the last byte with any content (RFC 1122 section 4.2.3.6). Where the capture lacks that byte, its
// acknowledgement is old by then.
bool TcpConnection::is_late_probe(TcpStream& stream, std::uint64_t end, std::uint32_t length, std::int64_t now) {
  if (length != 1) return false;
  stream.age(now, shared_.limits.reorder_us);
  return end <= stream.settled;
}

void TcpConnection::repeat(const TcpStream& stream, std::uint64_t begin, const TcpSegment& segment, const model::Stamp& stamp) {
  ++shared_.totals.retransmissions;
  if (segment.length <= 1 || segment.payload.size() < segment.length || !stream.recent.contradicts(begin, segment.payload)) return;
  shared_.anomalies->add({"tcp-repeat-differs", "a repeated TCP segment has another content than the first copy, which counts", stamp.source, 1});
}

void TcpConnection::keep(int from, std::uint64_t begin, std::uint64_t end, std::string_view bytes, std::uint64_t needs,
                         const model::Stamp& stamp) {
  TcpStream& mine = own(from);
  shared_.buffered -= mine.pieces.cost();
  const PieceBuffer::Added added = mine.pieces.add(begin, end, bytes, needs, stamp);
  shared_.buffered += mine.pieces.cost();
  if (added.duplicate_bytes > 0) ++shared_.totals.retransmissions;
  if (added.differs) {
    shared_.anomalies->add({"tcp-repeat-differs", "a repeated TCP segment has another content than the first copy, which counts", stamp.source, 1});
  }
}

model::EndReason TcpConnection::half_closed_by() const {
  if (streams_[0].closed == streams_[1].closed) return model::EndReason::unknown;
  return side_of(streams_[0].closed ? 0 : 1) == model::Side::client ? model::EndReason::closed_by_client : model::EndReason::closed_by_server;
}

void TcpConnection::drop_pieces() {
  for (TcpStream& stream : streams_) {
    shared_.buffered -= stream.pieces.cost();
    stream.pieces.clear();
  }
}

void TcpConnection::release(std::int64_t now) {
  flush();
  if (state_ == State::open) update_deadline(now);
}

void TcpConnection::finish(model::EndReason reason, model::Stamp stamp) {
  if (state_ != State::open) return;
  flush();
  for (int side = 0; side < 2 && state_ == State::open; ++side) tell_missing_tail(side);
  if (state_ == State::open) tell_end(reason, stamp);
}

}  // namespace mcpscan::net
