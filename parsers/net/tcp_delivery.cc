// What the analyzer is told, and when: the part of TcpConnection that hands out.
#include <fmt/format.h>

#include "net/tcp_connection.h"

namespace mcpscan::net {
namespace {

bool begins_with_any(std::string_view bytes, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) { return bytes.substr(0, head.size()) == head; });
}

constexpr char kTlsHandshake = 0x16;
constexpr char kClientHello = 0x01, kServerHello = 0x02;
constexpr std::size_t kHelloTypeAt = 5;  // after the TLS record header

bool looks_sent_by_client(std::string_view bytes) {
  if (begins_with_any(bytes, {"GET ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "HEAD ", "PATCH ", "CONNECT ", "PRI * HTTP/2.0"})) return true;
  return bytes.size() > kHelloTypeAt && bytes[0] == kTlsHandshake && bytes[kHelloTypeAt] == kClientHello;
}

bool looks_sent_by_server(std::string_view bytes) {
  if (begins_with_any(bytes, {"HTTP/1."})) return true;
  return bytes.size() > kHelloTypeAt && bytes[0] == kTlsHandshake && bytes[kHelloTypeAt] == kServerHello;
}

}  // namespace

bool TcpConnection::ready(int side) const {
  return at_head(side) && !blocked_by_peer(side);
}

// The side whose head can go out; of two the one that was captured first.
int TcpConnection::ready_side() const {
  if (!ready(0)) return ready(1) ? 1 : -1;
  if (!ready(1)) return 0;
  return captured_before(stamp_of_head(1), stamp_of_head(0)) ? 1 : 0;
}

void TcpConnection::drain() {
  while (state_ == State::open) {
    const int side = ready_side();
    if (side < 0) return;
    deliver_head(side);
  }
}

void TcpConnection::deliver_head(int side) {
  TcpStream& mine = own(side);
  if (!mine.pieces.empty()) {
    deliver_piece(side);
  } else if (mine.fin.known() && !mine.closed) {
    tell_fin(side);
  } else if (mine.rst.known()) {
    tell_reset(side);
  }
}

// The RST is taken out first: finish() delivers what still waits, which must not come back here.
void TcpConnection::tell_reset(int side) {
  const model::Stamp stamp = own(side).rst.stamp;
  own(side).rst = {};
  const bool by_client = side_of(side) == model::Side::client;
  finish(by_client ? model::EndReason::reset_by_client : model::EndReason::reset_by_server, stamp);
}

void TcpConnection::deliver_piece(int side) {
  TcpStream& mine = own(side);
  shared_.buffered -= mine.pieces.cost();
  const Piece piece = mine.pieces.pop();
  shared_.buffered += mine.pieces.cost();
  deliver(side, piece.bytes, piece.end, piece.stamp);
}

// `bytes` may be fewer than there were up to `end`: a snapshot length cut the rest.
void TcpConnection::deliver(int side, std::string_view bytes, std::uint64_t end, const model::Stamp& stamp) {
  if (!analyzer_made_ && !make_analyzer(side, bytes)) return;
  TcpStream& mine = own(side);
  const std::uint64_t missing = end - mine.next - bytes.size();
  if (missing == 0 && bytes.size() > 1) mine.recent.add(mine.next, bytes);
  mine.next = end;
  if (!bytes.empty()) analyzer_->feed(side_of(side), bytes, stamp);
  if (missing > 0) {
    if (cuts_++ == 0) first_cut_ = stamp;
    cut_bytes_ += missing;
    analyzer_->gap(side_of(side), missing, stamp);
  }
  check_interest();
}

void TcpConnection::tell_gap(int side, std::uint64_t length, const model::Stamp& stamp) {
  if (!analyzer_made_ && !make_analyzer(side, {})) return;
  if (gaps_++ == 0) first_gap_ = stamp;
  gap_bytes_ += length;
  analyzer_->gap(side_of(side), length, stamp);
  check_interest();
}

void TcpConnection::tell_fin(int side) {
  TcpStream& mine = own(side);
  mine.closed = true;
  ++mine.next;  // a FIN takes one place in sequence space
  if (analyzer_ != nullptr) {
    analyzer_->half_close(side_of(side), mine.fin.stamp);
    check_interest();
  }
  if (state_ == State::open && peer(side).closed) finish(reason_of_fins(), mine.fin.stamp);
}

// Of two FINs the later one acknowledges the earlier.
model::EndReason TcpConnection::reason_of_fins() const {
  const StreamEnd &a = streams_[0].fin, &b = streams_[1].fin;
  bool second_first = captured_before(b.stamp, a.stamp);
  if (a.needs > b.at && b.at != kNowhere) second_first = true;
  else if (b.needs > a.at) second_first = false;
  const model::Side first = side_of(second_first ? 1 : 0);
  return first == model::Side::client ? model::EndReason::closed_by_client : model::EndReason::closed_by_server;
}

int TcpConnection::guess_client(int side, std::string_view bytes) const {
  if (looks_sent_by_client(bytes)) return side;
  if (looks_sent_by_server(bytes)) return 1 - side;
  for (int waiting = 0; waiting < 2; ++waiting) {
    if (stream(waiting).pieces.empty()) continue;
    const std::string_view head = stream(waiting).pieces.head_piece().bytes;
    if (looks_sent_by_client(head)) return waiting;
    if (looks_sent_by_server(head)) return 1 - waiting;
  }
  if (tuple_.low_port == tuple_.high_port) return side;
  return tuple_.low_port > tuple_.high_port ? 0 : 1;
}

bool TcpConnection::make_analyzer(int side, std::string_view bytes) {
  analyzer_made_ = true;
  if (client_ < 0) client_ = guess_client(side, bytes);
  model::FlowInfo info;
  info.key = {tuple_.endpoint(client_), tuple_.endpoint(1 - client_), tuple_.vlan};
  info.connection = number_;
  info.saw_start = saw_start_;
  info.saw_server = stream(1 - client_).seen;
  analyzer_ = shared_.make_analyzer(info, bytes);
  ++shared_.totals.flows;
  check_interest();
  return state_ == State::open;
}

void TcpConnection::check_interest() {
  if (analyzer_ != nullptr && analyzer_->interested()) return;
  state_ = State::uninteresting;
  deadline_ = kNever;
  ++shared_.totals.flows_dropped_uninteresting;
  analyzer_.reset();
  drop_pieces();
}

// The place of one byte that was acknowledged and never captured is a FIN's. Who acknowledges it from behind a FIN of its own, which the capture
// lacks as well, had closed first: it has not waited for the other. True when that one was inferred, too.
bool TcpConnection::infer_fin(int side, const model::Stamp& stamp) {
  TcpStream &mine = own(side), &other = own(1 - side);
  const bool other_first = other.known && !other.tentative && !other.closed && !other.waits() && other.stood == other.next + 1;
  if (other_first) other.fin = {other.next, 0, stamp};
  mine.fin = {mine.next, other_first ? other.next + 1 : 0, stamp};
  return other_first;
}

// Bytes that were acknowledged but never captured.
void TcpConnection::tell_missing_tail(int side) {
  TcpStream& mine = own(side);
  if (!mine.known || mine.closed || mine.acked <= mine.next) return;
  if (mine.acked - mine.next == 1) {
    if (infer_fin(side, last_)) tell_fin(1 - side);
    if (state_ == State::open) tell_fin(side);
    return;
  }
  const std::uint64_t length = mine.acked - mine.next;
  mine.next = mine.acked;
  tell_gap(side, length, last_);
}

void TcpConnection::tell_end(model::EndReason reason, const model::Stamp& stamp) {
  state_ = State::finished;
  deadline_ = kNever;
  drop_pieces();
  if (analyzer_ == nullptr) return;
  note_damage();
  analyzer_->finish(reason, stamp);
  analyzer_.reset();
}

void TcpConnection::note_damage() {
  const std::string who = tuple_.endpoint(client_).text() + " to " + tuple_.endpoint(1 - client_).text();
  model::AnomalyLog& anomalies = *shared_.anomalies;
  shared_.totals.gaps += gaps_;
  shared_.totals.gap_bytes += gap_bytes_;
  if (gaps_ > 0) {
    anomalies.add({"missing-segments", fmt::format("{}: {} bytes were sent but are not in the capture", who, gap_bytes_), first_gap_.source, gaps_});
  }
  if (cuts_ > 0) {
    anomalies.add({"snaplen-cut", fmt::format("{}: the snapshot length cut {} bytes off", who, cut_bytes_), first_cut_.source, cuts_});
  }
  if (!saw_start_) anomalies.add({"mid-stream-start", fmt::format("{}: the capture begins inside the connection", who), first_.source, 1});
  if (!streams_[0].seen || !streams_[1].seen) {
    const char* missing = streams_[static_cast<std::size_t>(client_)].seen ? "server" : "client";
    anomalies.add({"one-direction", fmt::format("{}: no packet of the {} is in the capture", who, missing), first_.source, 1});
  }
}

}  // namespace mcpscan::net
