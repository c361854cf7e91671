// TcpConnection: the segments of both directions in, ordered events for one StreamAnalyzer out.
// A segment in order goes through uncopied. One that is early waits for its turn; one that repeats delivered bytes is dropped
// (the first copy wins). A segment also waits until the bytes that its sender had already acknowledged are delivered, so that
// no answer is told before its question. A hole becomes a gap() when it is certain: its bytes were acknowledged more than
// Limits::reorder_us ago (the receiver had them, the capture has not), or nothing came for Limits::hole_age_us, or a bound is
// reached, or the connection ends. Not thread-safe. Internal to the module. Source: RFC 9293; RFC 1122 section 4.2.3.6.
#pragma once

#include <array>
#include <memory>

#include "net/flow_map.h"
#include "net/flow_table.h"
#include "net/tcp_segment.h"
#include "net/tcp_stream.h"

namespace mcpscan::net {

// What all connections of one FlowTable share.
struct FlowShared {
  const Limits& limits;
  FlowTable::MakeAnalyzer make_analyzer;
  model::AnomalyLog* anomalies;  // of the file being read
  FlowTable::Totals totals;
  std::size_t buffered = 0;  // cost of the pieces that wait, over all connections
};

class TcpConnection {
 public:
  enum class State : std::uint8_t { open, finished, uninteresting };
  enum class Fit : std::uint8_t { belongs, stray, another };  // another: it begins a new connection of the same addresses
  static constexpr std::int64_t kNever = INT64_MAX;

  TcpConnection(FlowShared& shared, const FlowTuple& tuple, std::uint64_t number);
  ~TcpConnection();
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  // `from` is 0 for the tuple's lower endpoint, 1 for the other.
  Fit fit(int from, const TcpSegment& segment) const;
  void add(int from, const TcpSegment& segment, const model::Stamp& stamp, std::int64_t now);
  // When on_deadline() wants to be called; kNever while nothing waits.
  std::int64_t deadline() const { return deadline_; }
  void on_deadline(std::int64_t now) { settle(now); }
  // Delivers all that waits, holes as gaps.
  void release(std::int64_t now);
  // Delivers all that waits and finishes the analyzer.
  void finish(model::EndReason reason, model::Stamp stamp);

  State state() const { return state_; }
  bool had_data() const { return analyzer_made_; }
  std::uint64_t number() const { return number_; }
  const model::Stamp& last() const { return last_; }
  const TcpStream& stream(int side) const { return streams_[static_cast<std::size_t>(side)]; }
  // Who sent the only FIN; unknown when there are none or two.
  model::EndReason half_closed_by() const;

 private:
  TcpStream& own(int side) { return streams_[static_cast<std::size_t>(side)]; }
  TcpStream& peer(int side) { return streams_[static_cast<std::size_t>(1 - side)]; }
  const TcpStream& peer(int side) const { return streams_[static_cast<std::size_t>(1 - side)]; }
  model::Side side_of(int side) const { return side == client_ ? model::Side::client : model::Side::server; }

  void note_syn(int from, const TcpSegment& segment);
  std::uint64_t note_ack(TcpStream& stream, std::uint32_t ack, std::int64_t now);
  void note_reset(int from, const TcpSegment& segment, std::uint64_t needs, const model::Stamp& stamp, std::int64_t now);
  void note_fin(TcpStream& stream, std::uint64_t at, std::uint64_t needs, const model::Stamp& stamp);
  void place(TcpStream& stream, std::uint32_t sequence, std::uint32_t length);
  void take(int from, std::uint64_t begin, const TcpSegment& segment, std::uint64_t needs, const model::Stamp& stamp, std::int64_t now);
  bool is_late_probe(TcpStream& stream, std::uint64_t end, std::uint32_t length, std::int64_t now);
  void repeat(const TcpStream& stream, std::uint64_t begin, const TcpSegment& segment, const model::Stamp& stamp);
  void keep(int from, std::uint64_t begin, std::uint64_t end, std::string_view bytes, std::uint64_t needs, const model::Stamp& stamp);

  // tcp_holes.cc
  void settle(std::int64_t now);
  bool close_certain_hole(std::int64_t now);
  bool lacks_tail(int side) const;
  std::uint64_t certain_until(int side, std::int64_t now) const;
  bool has_hole(int side) const;
  bool wanted(int side) const;
  bool at_head(int side) const;
  bool blocked_by_peer(int side) const;
  std::uint64_t needs_of_head(int side) const;
  const model::Stamp& stamp_of_head(int side) const;
  void close_hole(int side, std::uint64_t limit);
  void force(int side);
  void flush();
  void update_deadline(std::int64_t now);
  std::int64_t deadline_of(int side, std::int64_t now);

  // tcp_delivery.cc
  int ready_side() const;
  bool ready(int side) const;
  void drain();
  void deliver_head(int side);
  void deliver_piece(int side);
  void tell_reset(int side);
  void deliver(int side, std::string_view bytes, std::uint64_t end, const model::Stamp& stamp);
  void tell_gap(int side, std::uint64_t length, const model::Stamp& stamp);
  void tell_fin(int side);
  bool make_analyzer(int side, std::string_view bytes);
  int guess_client(int side, std::string_view bytes) const;
  void check_interest();
  void tell_end(model::EndReason reason, const model::Stamp& stamp);
  bool infer_fin(int side, const model::Stamp& stamp);
  void tell_missing_tail(int side);
  model::EndReason reason_of_fins() const;
  void note_damage();
  void drop_pieces();

  FlowShared& shared_;
  const FlowTuple tuple_;
  const std::uint64_t number_;
  std::array<TcpStream, 2> streams_;
  std::unique_ptr<model::StreamAnalyzer> analyzer_;
  State state_ = State::open;
  bool analyzer_made_ = false, saw_start_ = false;
  int client_ = -1;                  // not known yet
  std::int64_t deadline_ = kNever;
  std::int64_t reset_at_ = kNever;   // when the first RST came
  model::Stamp first_, last_;
  std::uint64_t gaps_ = 0, gap_bytes_ = 0, cuts_ = 0, cut_bytes_ = 0;
  model::Stamp first_gap_, first_cut_;
};

}  // namespace mcpscan::net
