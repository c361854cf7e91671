#include "app/http2_connection.h"

#include <algorithm>

namespace mcpscan::app {
namespace {

using model::EndReason;
using model::Side;
using model::Stamp;

constexpr std::uint32_t kNoTableSize = 0xffffffffu;
constexpr std::size_t kUnacknowledged = 16;  // SETTINGS kept until their acknowledgement
constexpr std::string_view kLost = "bytes of the connection are not in the capture";
constexpr std::string_view kOneSided = "the capture holds one direction of the connection only";

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Takes padding and priority off the payload of HEADERS; false when it does not hold them.
bool strip_headers(const FrameHead& head, std::string_view& payload) {
  std::size_t padding = 0;
  if (head.padded()) {
    if (payload.empty()) return false;
    padding = static_cast<unsigned char>(payload.front());
    payload.remove_prefix(1);
  }
  const std::size_t before = head.is(FrameType::push_promise) ? 4 : head.has_priority() ? 5 : 0;
  if (payload.size() < before + padding) return false;
  payload = payload.substr(before, payload.size() - before - padding);
  return true;
}

}  // namespace

Http2Connection::Half::Half(Http2Connection& of, Side from)
    : events(of, from), reader(of.connection_.state().limits, events), fields(of.connection_.state().limits) {
  if (from == Side::client) preface_left = kHttp2Preface.size();
}

Http2Connection::Http2Connection(HttpConnection& connection, std::unique_ptr<Exchange> upgraded)
    : connection_(connection), client_(*this, Side::client), server_(*this, Side::server) {
  if (upgraded == nullptr) return;
  client_.spoke = server_.spoke = true;
  newest_stream_ = 1;
  streams_.emplace(1, std::move(upgraded));
}

Http2Connection::~Http2Connection() = default;

std::size_t Http2Connection::feed(Side from, std::string_view bytes, const Stamp& stamp, bool forced) {
  if (given_up_) return bytes.size();
  Half& side = half(from);
  side.spoke = true;
  const std::size_t preface = std::min(side.preface_left, bytes.size());
  if (bytes.substr(0, preface) != kHttp2Preface.substr(kHttp2Preface.size() - side.preface_left, preface)) {
    give_up("http2-bad-preface", "the client's HTTP/2 connection preface is not what RFC 9113 3.4 says", stamp);
    return bytes.size();
  }
  side.preface_left -= preface;
  forced_ = forced;
  const std::size_t used = side.reader.feed(bytes.substr(preface), stamp);
  forced_ = false;
  if (side.reader.broken()) give_up("http2-protocol-error", "HTTP/2 frames or header compression cannot be followed any further", stamp);
  return given_up_ ? bytes.size() : preface + used;
}

// A response is not read before its request.
bool Http2Connection::may_begin(Side from, const FrameHead& head) const {
  if (from == Side::client || forced_ || !head.is(FrameType::headers) || head.stream % 2 == 0) return true;
  return head.stream <= newest_stream_ || (!client_.spoke && !connection_.flow().saw_start);
}

// --- frames ---

bool Http2Connection::frame(Side from, const FrameHead& head, std::string_view payload, const Stamp& stamp) {
  Half& side = half(from);
  if (side.in_block && (!head.is(FrameType::continuation) || head.stream != side.block_head.stream)) return false;
  switch (static_cast<FrameType>(head.type)) {
    case FrameType::headers:
    case FrameType::push_promise:
      return take_headers(from, head, payload, stamp);
    case FrameType::continuation:
      return take_continuation(from, head, payload, stamp);
    case FrameType::settings:
      return take_settings(from, head, payload);
    case FrameType::rst_stream:
      take_reset(from, head.stream, stamp);
      return true;
    case FrameType::goaway:
      take_goaway(from, payload, stamp);
      return true;
    default:
      return true;
  }
}

bool Http2Connection::take_headers(Side from, const FrameHead& head, std::string_view payload, const Stamp& stamp) {
  if (!strip_headers(head, payload)) return false;
  if (head.end_headers()) return take_block(from, head, payload, stamp);
  Half& side = half(from);
  side.in_block = true;
  side.block_head = head;
  side.block.assign(payload);
  return true;
}

bool Http2Connection::take_continuation(Side from, const FrameHead& head, std::string_view payload, const Stamp& stamp) {
  Half& side = half(from);
  if (!side.in_block || side.block.size() + payload.size() > connection_.state().limits.header_bytes) return false;
  side.block.append(payload);
  if (!head.end_headers()) return true;
  side.in_block = false;
  const bool good = take_block(from, side.block_head, side.block, stamp);
  std::string().swap(side.block);
  return good;
}

bool Http2Connection::take_block(Side from, const FrameHead& head, std::string_view block, const Stamp& stamp) {
  HpackDecoder& fields = half(from).fields;
  if (!fields.decode(block)) return false;
  if (fields.cut()) connection_.state().odd("http-header-too-long", "a header section exceeds the bound of header_bytes", stamp.source);
  if (head.is(FrameType::push_promise)) return true;  // no MCP peer pushes
  HttpHead message;
  const bool is_head = fields.head(from == Side::client, message);
  if (is_head && from == Side::client)
    take_request(head.stream, message, stamp);
  else if (is_head)
    take_response(head.stream, message, stamp);
  if (head.end_stream()) end_half(from, head.stream, stamp);
  return true;
}

void Http2Connection::take_request(std::uint32_t stream, const HttpHead& head, const Stamp& stamp) {
  HttpState& state = connection_.state();
  if (stream % 2 == 0 || stream <= newest_stream_) {
    Exchange* const open = exchange(stream);
    if (open != nullptr && open->response_begun() && !open->request_begun()) open->request_head(head, stamp);
    return;
  }
  newest_stream_ = stream;
  if (streams_.size() >= state.limits.http2_streams || state.open_exchanges >= state.limits.exchanges) {
    state.odd("http2-streams-bound", "more HTTP/2 streams are open than http2_streams; a further one is not read", stamp.source);
    return;
  }
  auto& open = streams_[stream];
  open = connection_.open_exchange();
  open->request_head(head, stamp);
}

void Http2Connection::take_response(std::uint32_t stream, const HttpHead& head, const Stamp& stamp) {
  if (head.status < 200) return;
  if (exchange(stream) == nullptr && stream > newest_stream_ && streams_.size() < connection_.state().limits.http2_streams) {
    newest_stream_ = stream;
    streams_[stream] = connection_.open_exchange();
  }
  Exchange* const open = exchange(stream);
  if (open != nullptr && !open->response_begun()) open->response_head(head, stamp);
}

bool Http2Connection::take_settings(Side from, const FrameHead& head, std::string_view payload) {
  constexpr std::uint16_t kHeaderTableSize = 1;
  const Side other = from == Side::client ? Side::server : Side::client;
  if (head.ack()) {
    // What the other side asked for holds from here on for the field sections of this side.
    auto& asked = half(other).table_sizes;
    if (asked.empty()) return true;
    if (asked.front() != kNoTableSize) half(from).fields.set_table_size(asked.front());
    asked.erase(asked.begin());
    return true;
  }
  std::uint32_t size = kNoTableSize;
  for (; payload.size() >= 6; payload.remove_prefix(6)) {
    const unsigned id = static_cast<unsigned char>(payload[0]) * 256u + static_cast<unsigned char>(payload[1]);
    if (id == kHeaderTableSize) size = read_u32(payload.substr(2));
  }
  auto& asked = half(from).table_sizes;
  if (asked.size() < kUnacknowledged) asked.push_back(size);
  return payload.empty();
}

void Http2Connection::take_reset(Side from, std::uint32_t stream, const Stamp& stamp) {
  const Exchange* open = exchange(stream);
  if (open == nullptr) return;
  // A server that has answered in full may refuse the rest of the request (RFC 9113 8.1).
  const bool answered = from == Side::server && open->response_done();
  close_stream(stream,
               answered               ? EndReason::complete
               : from == Side::client ? EndReason::reset_by_client
                                      : EndReason::reset_by_server,
               stamp);
}

void Http2Connection::take_goaway(Side from, std::string_view payload, const Stamp& stamp) {
  if (from != Side::server || payload.size() < 8) return;
  const std::uint32_t last = read_u32(payload) & 0x7fffffffu;
  for (auto entry = streams_.upper_bound(last); entry != streams_.end();) {
    connection_.close_exchange(std::move(entry->second), EndReason::closed_by_server, stamp);
    entry = streams_.erase(entry);
  }
}

// --- streams ---

Exchange* Http2Connection::exchange(std::uint32_t stream) {
  const auto entry = streams_.find(stream);
  return entry == streams_.end() ? nullptr : entry->second.get();
}

void Http2Connection::data(Side from, std::uint32_t stream, std::string_view bytes, const Stamp& stamp) {
  Exchange* const open = exchange(stream);
  if (open == nullptr) return;
  if (from == Side::client)
    open->request_body(bytes, false, stamp);
  else
    open->response_body(bytes, false, stamp);
}

void Http2Connection::SideEvents::data_missing(std::uint32_t stream, const Stamp& stamp) {
  if (Exchange* const open = of_.exchange(stream); open != nullptr) open->missing(from_, stamp);
}

void Http2Connection::SideEvents::data_end(std::uint32_t stream, bool end_stream, const Stamp& stamp) {
  if (end_stream) of_.end_half(from_, stream, stamp);
}

void Http2Connection::end_half(Side from, std::uint32_t stream, const Stamp& stamp) {
  Exchange* const open = exchange(stream);
  if (open == nullptr) return;
  if (from == Side::client && !open->request_done()) open->request_end(stamp);
  if (from == Side::server && !open->response_done()) open->response_end(stamp);
  const bool request_over = open->request_done() || !open->request_begun();
  if (request_over && open->response_done()) close_stream(stream, EndReason::complete, stamp);
}

void Http2Connection::close_stream(std::uint32_t stream, EndReason reason, const Stamp& stamp) {
  const auto entry = streams_.find(stream);
  connection_.close_exchange(std::move(entry->second), reason, stamp);
  streams_.erase(entry);
}

// --- gaps and ends ---

void Http2Connection::gap(Side from, std::uint64_t length, const Stamp& stamp) {
  if (given_up_) return;
  connection_.report_gap(from, length, nullptr, kLost, stamp);
  if (!half(from).reader.gap(length, stamp)) {
    give_up("http2-state-lost", "frames of an HTTP/2 connection are missing; without them its header compression cannot be followed",
            stamp);
  }
}

void Http2Connection::half_close(Side from, const Stamp& stamp) {
  if (half(from).closed) return;
  half(from).closed = true;
  if (from == Side::client && !server_.closed) {
    client_closed_first_ = true;
    client_closed_at_ = stamp;
  } else if (from == Side::server && !client_.closed) {
    close_all(EndReason::closed_by_server, stamp);
  }
}

void Http2Connection::finish(EndReason reason, const Stamp& stamp) {
  if (given_up_) return;
  const bool server_heard = connection_.flow().saw_server || server_.spoke || server_.closed || reason == EndReason::reset_by_server ||
                            reason == EndReason::closed_by_server || reason == EndReason::evidence_ends;
  if (!server_heard) {
    connection_.report_gap(Side::server, 0, nullptr, kOneSided, stamp);
    close_all(EndReason::evidence_gap, stamp);
  } else if (client_closed_first_) {
    close_all(EndReason::closed_by_client, client_closed_at_);
  } else {
    close_all(reason, stamp);
  }
  given_up_ = true;
}

void Http2Connection::close_all(EndReason reason, const Stamp& stamp) {
  for (auto& [stream, open] : streams_) connection_.close_exchange(std::move(open), reason, stamp);
  streams_.clear();
}

void Http2Connection::give_up(std::string_view kind, std::string_view text, const Stamp& stamp) {
  if (given_up_) return;
  given_up_ = true;
  connection_.state().odd(kind, text, stamp.source);
  close_all(EndReason::evidence_gap, stamp);
}

}  // namespace mcpscan::app
