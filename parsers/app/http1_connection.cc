#include "app/http1_connection.h"

namespace mcpscan::app {
namespace {

using model::EndReason;
using model::Side;
using model::Stamp;
using Framing = Http1Reader::Framing;
using BodyPlan = Http1Reader::BodyPlan;

constexpr std::string_view kLost = "bytes of the connection are not in the capture";
constexpr std::string_view kOneSided = "the capture holds one direction of the connection only";

}  // namespace

Http1Connection::Http1Connection(HttpConnection& connection)
    : connection_(connection),
      client_events_(*this),
      server_events_(*this),
      client_reader_(connection.state().limits, true, client_events_),
      server_reader_(connection.state().limits, false, server_events_) {}

Http1Connection::~Http1Connection() = default;

std::size_t Http1Connection::feed(Side from, std::string_view bytes, const Stamp& stamp, bool forced) {
  if (tunnel_ || upgraded_h2c_ != nullptr) return tunnel_ ? bytes.size() : 0;
  if (from == Side::client) {
    client_spoke_ = true;
    return client_reader_.feed(bytes, stamp);
  }
  server_spoke_ = true;
  cut_by_client_ = false;
  forced_ = forced;
  const std::size_t used = server_reader_.feed(bytes, stamp);
  forced_ = false;
  return tunnel_ ? bytes.size() : used;
}

void Http1Connection::start_in_the_middle(Side from) {
  const std::size_t bytes = connection_.state().limits.sniff_bytes;
  (from == Side::client ? client_reader_ : server_reader_).start_in_the_middle(bytes);
}

// --- requests ---

BodyPlan Http1Connection::request_head(const HttpHead& head, const Stamp& stamp) {
  report_oddities(head, stamp);
  // A request while others wait is no news; after a gap nobody knows how many were lost between.
  if (request_gap_ && !waiting_.empty()) pairing_lost_ = true;
  request_gap_ = newest_missing_ = false;
  // All that its client had read of the responses stands before it: with no hole in them, it did not wait for the last one.
  pipelined_ |= !waiting_.empty() && !response_gap_ && !server_reader_.seeking() && connection_.flow().saw_start;
  // Who does not pipeline had the whole response before: a chunk that comes behind its gap is of the response to this one.
  if (!pipelined_) server_reader_.end_sought(stamp);
  waiting_.push_back(connection_.open_exchange());
  uploading_ = waiting_.back().get();
  if (orphans_ > 0) {
    --orphans_;
    uploading_->set_unpaired();
  }
  if (pairing_lost_) uploading_->set_unpaired();
  uploading_->request_head(head, stamp);
  bound_waiting(stamp);
  if (head.method == "CONNECT") return {};
  if (head.chunked) return {Framing::chunked, 0};
  if (head.has_transfer) return {Framing::until_close, 0};
  return {Framing::length, head.content_length};
}

void Http1Connection::request_end(const Stamp& stamp) {
  if (uploading_ == nullptr) return;
  newest_missing_ = false;  // the gap was within its chunks, and took no other request
  uploading_->request_end(stamp);
  request_over(stamp);
}

void Http1Connection::request_lost(const Stamp& stamp) {
  if (uploading_ == nullptr) return;
  uploading_->request_lost(stamp);
  request_over(stamp);
}

void Http1Connection::request_over(const Stamp& stamp) {
  Exchange* const done = uploading_;
  uploading_ = nullptr;
  if (answered_early_ != nullptr) return connection_.close_exchange(std::move(answered_early_), answered_early_as_, stamp);
  if (!done->unpaired() || waiting_.empty() || waiting_.back().get() != done) return;
  connection_.close_exchange(std::move(waiting_.back()), EndReason::evidence_gap, stamp);
  waiting_.pop_back();
}

// In a capture of requests only nothing ever leaves the queue by itself.
void Http1Connection::bound_waiting(const Stamp& stamp) {
  HttpState& state = connection_.state();
  const bool too_many = waiting_.size() > state.limits.pipelined_requests || state.open_exchanges > state.limits.exchanges;
  if (!too_many || waiting_.size() < 2) return;
  odd("http-requests-waiting", "more requests than pipelined_requests wait for a response; the oldest is given up", stamp);
  pairing_lost_ |= downloading_ != nullptr;
  close_oldest(EndReason::evidence_gap, stamp);
}

// --- responses ---

bool Http1Connection::response_may_begin() const {
  if (!waiting_.empty() || forced_ || pairing_lost_ || request_gap_) return true;
  if (client_reader_.seeking()) return true;  // the capture begins inside the request: it answers that one, and no later one
  // Without its handshake a connection may begin with a response, or be captured in this direction only.
  return !client_spoke_ && !connection_.flow().saw_start;
}

bool Http1Connection::response_joined(const Stamp& stamp) {
  if (downloading_ != nullptr || !waiting_.empty()) return false;
  unpaired_ = connection_.open_exchange();
  downloading_ = unpaired_.get();
  downloading_->join_events(stamp);
  return true;
}

BodyPlan Http1Connection::response_head(const HttpHead& head, const Stamp& stamp) {
  report_oddities(head, stamp);
  interim_ = head.status < 200 && head.status != 101;
  if (interim_) return {};
  choose_exchange(stamp);
  const BodyPlan plan = response_plan(head);
  if (plan.framing == Framing::opaque)
    leave_http1(head, stamp);
  else
    downloading_->response_head(head, stamp);
  return plan;
}

// Which request the response that begins now belongs to.
void Http1Connection::choose_exchange(const Stamp& stamp) {
  if (response_gap_) {
    // Clients do not pipeline: the newest request was sent after all earlier responses were whole. One that does pipeline
    // leaves us without a clue. Where requests are missing too, the newest one may be among them.
    pairing_lost_ |= pipelined_ && waiting_.size() > 1;
    const std::size_t may_be_meant = newest_missing_ ? 0 : 1;
    while (!pairing_lost_ && waiting_.size() > may_be_meant) close_oldest(EndReason::evidence_gap, stamp);
    response_gap_ = false;
  }
  if (!pairing_lost_ && !waiting_.empty() && !waiting_.front()->unpaired()) {
    pipelined_ |= waiting_.size() > 1;
    downloading_ = waiting_.front().get();
    return;
  }
  // Behind a gap it answers a request that is missing, and not the next one.
  const bool unexplained = (client_spoke_ || connection_.flow().saw_start) && !client_reader_.seeking() && !request_gap_;
  if (!pairing_lost_ && waiting_.empty() && unexplained) ++orphans_;
  if (waiting_.empty()) connection_.note_unasked(stamp);
  unpaired_ = connection_.open_exchange();
  downloading_ = unpaired_.get();
}

// 101 and the answer to CONNECT: what follows is another protocol.
void Http1Connection::leave_http1(const HttpHead& head, const Stamp& stamp) {
  const bool paired = !waiting_.empty() && downloading_ == waiting_.front().get();
  if (head.status == 101 && paired && downloading_->asks_h2c() && uploading_ == nullptr) {
    upgraded_h2c_ = std::move(waiting_.front());
    waiting_.pop_front();
    downloading_ = nullptr;
    return;
  }
  downloading_->response_head(head, stamp);
  close_download(EndReason::complete, stamp);
  close_all(EndReason::unknown, stamp);
  tunnel_ = true;
}

// RFC 9112 6.3, in its order.
BodyPlan Http1Connection::response_plan(const HttpHead& head) const {
  if (head.status == 101 || (downloading_->is_connect() && head.status / 100 == 2)) return {Framing::opaque, 0};
  if (downloading_->is_head_request() || head.status == 204 || head.status == 304) return {};
  if (head.chunked) return {Framing::chunked, 0};
  if (head.has_transfer || (head.oddities & kLengthsDiffer) != 0) return {Framing::until_close, 0};
  if (head.has_length) return {Framing::length, head.content_length};
  return {Framing::until_close, 0};
}

void Http1Connection::ClientEvents::body(std::string_view bytes, bool last, const Stamp& stamp) {
  if (of_.uploading_ != nullptr) of_.uploading_->request_body(bytes, last, stamp);
}

void Http1Connection::ClientEvents::body_missing(std::uint64_t, const Stamp& stamp) {
  if (of_.uploading_ != nullptr) of_.uploading_->missing(Side::client, stamp);
}

void Http1Connection::ServerEvents::body(std::string_view bytes, bool last, const Stamp& stamp) {
  if (of_.downloading_ != nullptr) of_.downloading_->response_body(bytes, last, stamp);
}

void Http1Connection::ServerEvents::body_missing(std::uint64_t, const Stamp& stamp) {
  if (of_.downloading_ != nullptr) of_.downloading_->missing(Side::server, stamp);
}

void Http1Connection::response_end(const Stamp& stamp) {
  if (interim_) {
    interim_ = false;
    return;
  }
  if (downloading_ == nullptr) return;
  downloading_->response_end(stamp);
  // A body that only the close ends is cut where the client closed, unless the server went on: its own close may be the answer to that.
  if (server_closed_ && cut_by_client_) return close_download(EndReason::closed_by_client, client_closed_at_);
  close_download(EndReason::complete, stamp);
}

void Http1Connection::response_lost(const Stamp& stamp) {
  interim_ = false;
  response_gap_ = true;
  if (downloading_ == nullptr) return;
  downloading_->missing(Side::server, stamp);
  close_download(EndReason::evidence_gap, stamp);
}

void Http1Connection::close_download(EndReason reason, const Stamp& stamp) {
  if (downloading_ != unpaired_.get()) return close_oldest(reason, stamp);
  downloading_ = nullptr;
  connection_.close_exchange(std::move(unpaired_), reason, stamp);
}

void Http1Connection::close_oldest(EndReason reason, const Stamp& stamp) {
  std::unique_ptr<Exchange> oldest = std::move(waiting_.front());
  waiting_.pop_front();
  if (downloading_ == oldest.get()) downloading_ = nullptr;
  // Whether a client that had closed its side took the response shows when the connection ends: by a reset, or not.
  if (reason == EndReason::complete && client_closed_ && oldest.get() != uploading_ && !after_close_) {
    oldest->client_closed(client_closed_at_);
    after_close_ = std::move(oldest);
    after_close_at_ = stamp;
    return;
  }
  // A request still being sent (it was refused early) may bring messages yet.
  if (oldest.get() != uploading_) return connection_.close_exchange(std::move(oldest), reason, stamp);
  answered_early_ = std::move(oldest);
  answered_early_as_ = reason;
}

// --- gaps and ends ---

const Exchange* Http1Connection::exchange_of(Side from) const {
  if (from == Side::client) return uploading_;
  if (downloading_ != nullptr || waiting_.empty()) return downloading_;
  return (pipelined_ ? waiting_.front() : waiting_.back()).get();  // who does not pipeline has had, or lost, the responses before
}

void Http1Connection::gap(Side from, std::uint64_t length, const Stamp& stamp) {
  if (tunnel_ || upgraded_h2c_ != nullptr) return;
  const Exchange* cut = exchange_of(from);
  if (from == Side::server) {
    const bool may_cut_others = pipelined_ && waiting_.size() > 1;
    connection_.report_gap(from, length, may_cut_others ? nullptr : cut, kLost, stamp);
    server_reader_.gap(length, stamp);
    end_download_before_lost_request(stamp);
    response_gap_ |= server_reader_.seeking() && downloading_ == nullptr;
    return;
  }
  // A head that the gap cuts makes its exchange only now.
  const std::size_t before = waiting_.size();
  if (cut != nullptr) connection_.report_gap(from, length, cut, kLost, stamp);
  client_reader_.gap(length, stamp);
  if (cut == nullptr) connection_.report_gap(from, length, waiting_.size() > before ? waiting_.back().get() : nullptr, kLost, stamp);
  request_gap_ = client_reader_.seeking();
  newest_missing_ = request_gap_ && waiting_.size() == before;  // else it is the one that the gap cut
  end_download_before_lost_request(stamp);
  if (request_gap_) orphans_ = 0;
}

// As for a request that is there: what comes behind the gap in the chunks may answer the one that is not.
void Http1Connection::end_download_before_lost_request(const Stamp& stamp) {
  const bool paired = downloading_ != nullptr && downloading_ != unpaired_.get();
  if (newest_missing_ && uploading_ == nullptr && paired && !pipelined_) server_reader_.end_sought(stamp);
}

void Http1Connection::half_close(Side from, const Stamp& stamp) {
  if (from == Side::client && !client_closed_) {
    client_closed_ = true;
    client_closed_first_ = cut_by_client_ = !server_closed_;
    client_closed_at_ = stamp;
    client_reader_.close(stamp);
  } else if (from == Side::server && !server_closed_) {
    server_closed_ = true;
    server_reader_.close(stamp);
    // What the server has not sent before its FIN never comes; what is behind a gap may have been sent.
    if (!client_closed_first_ && !server_reader_.seeking()) close_all(EndReason::closed_by_server, stamp);
  }
}

// A server that was never heard although it had every reason to speak was not captured.
EndReason Http1Connection::final_reason(EndReason reason) const {
  const bool heard = connection_.flow().saw_server || server_spoke_ || server_closed_ || reason == EndReason::reset_by_server || reason == EndReason::closed_by_server;
  const bool just_not_yet = reason == EndReason::evidence_ends && !client_closed_ && waiting_.size() < 2;
  if (!heard && !just_not_yet) return EndReason::evidence_gap;
  return client_closed_first_ ? EndReason::closed_by_client : reason;
}

void Http1Connection::close_all(EndReason reason, const Stamp& stamp) {
  if (after_close_ != nullptr) {
    const bool refused = reason == EndReason::reset_by_client;
    connection_.close_exchange(std::move(after_close_), refused ? reason : EndReason::complete, refused ? stamp : after_close_at_);
  }
  const EndReason why = final_reason(reason);
  const Stamp when = client_closed_first_ ? client_closed_at_ : stamp;
  // Behind a gap that no response head followed, the responses may have been there.
  const bool unread = server_reader_.seeking() || response_gap_;
  downloading_ = uploading_ = nullptr;
  if (unpaired_ != nullptr) connection_.close_exchange(std::move(unpaired_), why, when);
  if (answered_early_ != nullptr) connection_.close_exchange(std::move(answered_early_), answered_early_as_, when);
  while (!waiting_.empty()) {
    const bool unsure = unread || pairing_lost_ || waiting_.front()->unpaired();
    connection_.close_exchange(std::move(waiting_.front()), unsure ? EndReason::evidence_gap : why, when);
    waiting_.pop_front();
  }
}

void Http1Connection::finish(EndReason reason, const Stamp& stamp) {
  if (client_spoke_ != server_spoke_ && final_reason(reason) == EndReason::evidence_gap) {
    connection_.report_gap(client_spoke_ ? Side::server : Side::client, 0, nullptr, kOneSided, stamp);
  }
  close_all(reason, stamp);
  tunnel_ = true;
}

void Http1Connection::report_oddities(const HttpHead& head, const Stamp& stamp) {
  if (head.oddities == 0) return;
  if ((head.oddities & kBadField) != 0) odd("http-bad-field", "a line of a header section is no field", stamp);
  if ((head.oddities & kFoldedField) != 0) odd("http-folded-field", "a header field is folded over several lines (obsolete)", stamp);
  if ((head.oddities & kLengthsDiffer) != 0)
    odd("http-bad-content-length", "Content-Length is no number or given with different values", stamp);
  if ((head.oddities & kLengthAndChunked) != 0)
    odd("http-length-and-chunked", "a message has both Content-Length and Transfer-Encoding; the latter counts (RFC 9112 6.3)", stamp);
  if ((head.oddities & kUnknownTransfer) != 0) odd("http-unknown-transfer-coding", "a transfer coding does not end in chunked", stamp);
}

void Http1Connection::odd(std::string_view kind, std::string_view text, const Stamp& stamp) { connection_.state().odd(kind, text, stamp.source); }

}  // namespace mcpscan::app
