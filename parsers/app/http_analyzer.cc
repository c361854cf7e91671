#include "app/http_analyzer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "app/held_bytes.h"
#include "app/http1_connection.h"
#include "app/http2_connection.h"
#include "app/http_state.h"

namespace mcpscan::app {
namespace {

using model::EndReason;
using model::Side;
using model::Stamp;

constexpr std::string_view kBeganEarlier = "the connection is older than the capture";
constexpr std::string_view kLost = "bytes of the connection are not in the capture";

Side other(Side side) { return side == Side::client ? Side::server : Side::client; }

// What the first bytes of a side are. `other`: neither a head nor a preface.
// event_chunk: the inside of a response that is a stream of events.
enum class Opening : std::uint8_t { unclear, request, response, event_chunk, http2, http2_frames, other };

// Which HTTP a connection speaks, when its bytes may be read, and who is its client where no handshake told.
class HttpAnalyzer final : public model::StreamAnalyzer {
 public:
  HttpAnalyzer(HttpState& state, const model::FlowInfo& flow) : state_(state), flow_(flow), client_(state), server_(state) {
    client_.in_the_middle = server_.in_the_middle = !flow.saw_start;
  }

  void feed(Side from, std::string_view bytes, const Stamp& stamp) override;
  void gap(Side from, std::uint64_t length, const Stamp& stamp) override;
  void half_close(Side from, const Stamp& stamp) override;
  void finish(EndReason reason, const Stamp& stamp) override;
  bool interested() const override { return !dead_; }

 private:
  struct EarlyGap {
    std::uint64_t length;
    Stamp stamp;
  };
  // One direction, named as the caller names it.
  struct Half {
    explicit Half(HttpState& state) : held(state) {}
    HeldBytes held;
    std::optional<Stamp> close;   // FIN not yet passed on
    std::optional<EarlyGap> gap;  // before the protocol was known
    bool open = false;            // the first bytes were recognised
    bool in_the_middle = false;   // the first bytes need not begin a message
  };

  Half& half(Side from) { return from == Side::client ? client_ : server_; }
  Side role(Side from) const { return swapped_ ? other(from) : from; }

  Opening opening(Side role, std::string_view bytes) const;
  bool recognise(Side from, std::string_view bytes, const Stamp& stamp);
  bool choose_protocol(Side from, Opening what, const Stamp& stamp);
  void make_connection(const Stamp& stamp);
  std::size_t deliver(Side from, std::string_view bytes, const Stamp& stamp, bool forced);
  void pump(Side from, const Stamp& stamp, bool forced);
  void bound_held(Side from, const Stamp& stamp);
  void pass_close(Side from);
  void release();
  void tell_unseen(const Stamp& stamp);

  HttpState& state_;
  model::FlowInfo flow_;
  Half client_, server_;
  std::unique_ptr<HttpConnection> connection_;
  std::unique_ptr<HttpProtocol> protocol_;
  Http1Connection* http1_ = nullptr;  // protocol_, while it is HTTP/1
  bool swapped_ = false, dead_ = false;
};

// --- bytes ---

void HttpAnalyzer::feed(Side from, std::string_view bytes, const Stamp& stamp) {
  if (dead_ || bytes.empty()) return;
  Half& side = half(from);
  if (side.held.empty()) bytes.remove_prefix(deliver(from, bytes, stamp, false));
  if (!bytes.empty()) {
    const bool more = !side.held.empty();
    side.held.add(bytes, stamp);
    if (more) pump(from, stamp, false);
    bound_held(from, stamp);
  }
  if (!half(other(from)).held.empty()) pump(other(from), stamp, false);
  pass_close(other(from));
  if (dead_) release();
}

// Returns the bytes taken.
std::size_t HttpAnalyzer::deliver(Side from, std::string_view bytes, const Stamp& stamp, bool forced) {
  if (!half(from).open && !recognise(from, bytes, stamp)) return dead_ ? bytes.size() : 0;
  std::size_t used = protocol_->feed(role(from), bytes, stamp, forced);
  if (protocol_->switched()) {
    protocol_ = std::make_unique<Http2Connection>(*connection_, http1_->take_upgraded());
    http1_ = nullptr;
    used += protocol_->feed(role(from), bytes.substr(used), stamp, forced);
  }
  dead_ |= !protocol_->interested();
  return dead_ ? bytes.size() : used;
}

void HttpAnalyzer::pump(Side from, const Stamp& stamp, bool forced) {
  Half& side = half(from);
  // A side that is not recognised yet is judged by all that is held of it, not by its first piece.
  if (dead_ || (!side.open && !recognise(from, side.held.view(), stamp))) return;
  side.held.drain([&](std::string_view piece, const Stamp& of) { return dead_ ? piece.size() : deliver(from, piece, of, forced); });
  pass_close(from);
}

void HttpAnalyzer::bound_held(Side from, const Stamp& stamp) {
  if (half(from).held.view().size() <= state_.limits.early_response_bytes && !state_.over_budget()) return;
  if (protocol_ == nullptr) {
    dead_ = true;
    return;
  }
  state_.odd("response-before-request", "responses were captured whose requests were not", stamp.source);
  pump(from, stamp, true);
}

void HttpAnalyzer::release() {
  client_.held.clear();
  server_.held.clear();
}

// --- which protocol ---

Opening HttpAnalyzer::opening(Side role, std::string_view bytes) const {
  const std::size_t shared = std::min(bytes.size(), kHttp2Preface.size());
  if (bytes.substr(0, shared) == kHttp2Preface.substr(0, shared)) return shared < kHttp2Preface.size() ? Opening::unclear : Opening::http2;
  const bool may_request = role == Side::client || !flow_.saw_start;
  const bool may_response = role == Side::server || !flow_.saw_start;
  const Likeness request = may_request ? looks_like_request(bytes) : Likeness::no;
  const Likeness response = may_response ? looks_like_response(bytes) : Likeness::no;
  if (request == Likeness::yes) return Opening::request;
  if (response == Likeness::yes) return Opening::response;
  const Likeness events = flow_.saw_start ? Likeness::no : looks_like_event_chunk(bytes);
  if (events == Likeness::yes) return Opening::event_chunk;
  if (request == Likeness::maybe || response == Likeness::maybe || events == Likeness::maybe) {
    return bytes.size() < state_.limits.sniff_bytes ? Opening::unclear : Opening::other;
  }
  if (bytes.front() != '\0') return Opening::other;
  // Frames: a server's SETTINGS may be captured before the client's preface.
  if (bytes.size() < FrameHead::kBytes) return Opening::unclear;
  const FrameHead head = FrameHead::read(bytes);
  const bool begins = flow_.saw_start ? role == Side::server && head.is(FrameType::settings) : true;
  return begins && head.plausible() ? Opening::http2_frames : Opening::other;
}

// Whether the side's bytes may be delivered from now on.
bool HttpAnalyzer::recognise(Side from, std::string_view bytes, const Stamp& stamp) {
  const bool settled = protocol_ != nullptr && http1_ == nullptr;
  const Opening what = settled ? Opening::http2 : opening(role(from), bytes);
  if (what == Opening::unclear) return false;
  if (protocol_ == nullptr && !choose_protocol(from, what, stamp)) return false;
  Half& side = half(from);
  side.open = true;
  const Opening expected = role(from) == Side::client ? Opening::request : Opening::response;
  if (http1_ != nullptr && what != expected && side.in_the_middle) http1_->start_in_the_middle(role(from));
  return true;
}

bool HttpAnalyzer::choose_protocol(Side from, Opening what, const Stamp& stamp) {
  if (what == Opening::http2_frames && half(from).in_the_middle) {
    state_.odd("http2-joined-late", "an HTTP/2 connection is older than the capture; its header compression cannot be followed",
               stamp.source);
    dead_ = true;
    return false;
  }
  if (what == Opening::other && !half(from).in_the_middle) {
    dead_ = true;
    return false;
  }
  const bool of_server = what == Opening::response || what == Opening::event_chunk;
  if (role(from) == Side::client ? of_server : what == Opening::request) {
    swapped_ = !swapped_;
    std::swap(flow_.key.client, flow_.key.server);
    flow_.saw_server = false;  // it was the other one that was seen
  }
  make_connection(stamp);
  if (what == Opening::http2 || what == Opening::http2_frames) {
    for (const Side side : {Side::client, Side::server}) {
      if (const auto& early = half(side).gap) connection_->report_gap(role(side), early->length, nullptr, kLost, early->stamp);
    }
    protocol_ = std::make_unique<Http2Connection>(*connection_, nullptr);
    return true;
  }
  auto http1 = std::make_unique<Http1Connection>(*connection_);
  http1_ = http1.get();
  protocol_ = std::move(http1);
  // Before the first bytes of a side it tells nothing but that a message may be missing.
  for (const Side side : {Side::client, Side::server}) {
    if (const auto& early = half(side).gap) protocol_->gap(role(side), early->length, early->stamp);
  }
  return true;
}

void HttpAnalyzer::make_connection(const Stamp& stamp) {
  connection_ = std::make_unique<HttpConnection>(state_, flow_);
  if (!flow_.saw_start) connection_->report_gap(Side::server, 0, nullptr, kBeganEarlier, stamp);
}

// --- gaps and ends ---

void HttpAnalyzer::gap(Side from, std::uint64_t length, const Stamp& stamp) {
  if (dead_) return;
  Half& side = half(from);
  if (protocol_ == nullptr) {
    side.held.clear();
    side.in_the_middle = true;
    if (!side.gap) side.gap = EarlyGap{0, stamp};
    side.gap->length += length;
    return;
  }
  if (!side.held.empty()) pump(from, stamp, true);
  side.held.clear();
  side.open = true;
  protocol_->gap(role(from), length, stamp);
  // A request that was lost explains the responses that waited for it.
  if (!half(other(from)).held.empty()) pump(other(from), stamp, true);
  dead_ |= !protocol_->interested();
  if (dead_) release();
}

void HttpAnalyzer::half_close(Side from, const Stamp& stamp) {
  if (dead_ || half(from).close) return;
  half(from).close = stamp;
  pass_close(from);
}

void HttpAnalyzer::pass_close(Side from) {
  Half& side = half(from);
  if (dead_ || protocol_ == nullptr || !side.close || !side.held.empty()) return;
  const Stamp stamp = *side.close;
  side.close.reset();
  protocol_->half_close(role(from), stamp);
}

// Requests that are missing, of a connection that nothing else tells anything of: not even, maybe, that it speaks HTTP.
void HttpAnalyzer::tell_unseen(const Stamp& stamp) {
  if (connection_ == nullptr && client_.gap) {
    make_connection(stamp);
    connection_->report_gap(role(Side::client), client_.gap->length, nullptr, kLost, client_.gap->stamp);
  }
  if (connection_ != nullptr) connection_->tell_unseen();
}

void HttpAnalyzer::finish(EndReason reason, const Stamp& stamp) {
  for (const Side from : {Side::client, Side::server}) {
    if (!dead_ && protocol_ != nullptr && !half(from).held.empty()) pump(from, stamp, true);
    half(from).held.clear();
    pass_close(from);
  }
  if (!dead_ && protocol_ != nullptr) protocol_->finish(reason, stamp);
  tell_unseen(stamp);
  dead_ = true;
}

}  // namespace

std::unique_ptr<model::StreamAnalyzer> make_http_analyzer(HttpShared& shared, const model::FlowInfo& flow) {
  if (shared.state == nullptr) shared.state = std::make_shared<HttpState>(shared);
  return std::make_unique<HttpAnalyzer>(*shared.state, flow);
}

}  // namespace mcpscan::app
