#include "app/body_reader.h"

#include <algorithm>

namespace mcpscan::app {
namespace {

constexpr std::size_t kKeptCapacity = 4096;  // larger buffers are given back: few of the connections kept are in the midst of a body

bool begins_json(char c) { return c == '{' || c == '[' || c == '\xEF'; }  // the last one: a byte order mark
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

void BodyReader::open(Use use, const CodingList& codings, const model::Stamp& stamp) {
  close();
  use_ = use;
  wire_bytes_ = 0;
  hole_ = handed_on_ = false;
  if (use == Use::ignore || codings.count == 0) return;
  if (state_.decoders >= state_.limits.content_decoders) {
    state_.odd("content-decoders-bound", "more compressed bodies are open than content_decoders; a further one is not read", stamp.source);
    use_ = Use::ignore;
    return;
  }
  ++state_.decoders;
  decoder_ = std::make_unique<ContentDecoder>(state_.limits, codings);
}

void BodyReader::feed(std::string_view bytes, bool last, const model::Stamp& stamp) {
  wire_bytes_ += bytes.size();
  if (use_ == Use::ignore) return;
  if (decoder_ != nullptr)
    decode(bytes, stamp);
  else
    take(bytes, last, stamp);
  account();
}

void BodyReader::decode(std::string_view bytes, const model::Stamp& stamp) {
  if (hole_) return;
  const auto state = decoder_->feed(bytes, [&](std::string_view piece) { take(piece, false, stamp); });
  if (state == ContentDecoder::State::good) return;
  if (state == ContentDecoder::State::bomb)
    state_.odd("decompression-bomb", "a body expands beyond expansion_ratio; the rest is not read", stamp.source);
  else if (state == ContentDecoder::State::damaged)
    state_.odd("damaged-content-coding", "a compressed body cannot be decoded any further", stamp.source);
  else
    state_.odd("unknown-content-coding", "a body has a content coding other than gzip, deflate, br and zstd", stamp.source);
  missing(stamp);
}

void BodyReader::take(std::string_view decoded, bool last, const model::Stamp& stamp) {
  if (use_ == Use::sniff) {
    while (!decoded.empty() && is_blank(decoded.front())) decoded.remove_prefix(1);
    if (decoded.empty()) return;
    use_ = begins_json(decoded.front()) ? Use::json : Use::ignore;
    if (use_ == Use::ignore) events_.other_text(from_, decoded);
  }
  if (use_ == Use::json)
    take_json(decoded, last, stamp);
  else if (use_ == Use::events)
    take_events(decoded, stamp);
}

void BodyReader::take_json(std::string_view decoded, bool last, const model::Stamp& stamp) {
  if (hole_) return;
  if (last && text_.empty() && decoded.size() <= state_.limits.body_bytes) return hand_on(decoded, stamp);
  const std::size_t room = state_.limits.body_bytes - std::min(state_.limits.body_bytes, text_.size());
  if (decoded.size() > room || state_.over_budget()) {
    state_.odd("http-body-bound", "a body exceeds body_bytes, or all that are open http_buffer_bytes; its beginning is kept", stamp.source);
    hole_ = true;
  }
  text_.append(decoded.substr(0, state_.over_budget() ? 0 : room));
}

void BodyReader::take_events(std::string_view decoded, const model::Stamp& stamp) {
  const auto yield = [&](const SseEvent& event) {
    if (use_ == Use::events) events_.sse_event(event, stamp);
  };
  sse_.feed(decoded, yield);
  account();
  if (!state_.over_budget() || sse_.held_bytes() == 0) return;
  state_.odd("http-body-bound", "the events being read exceed http_buffer_bytes in all; one is cut", stamp.source);
  sse_.gap(yield);
}

void BodyReader::hand_on(std::string_view text, const model::Stamp& stamp) {
  handed_on_ = true;
  events_.json_text(from_, text, hole_, stamp);
}

void BodyReader::missing(const model::Stamp& stamp) {
  if (use_ == Use::events) {
    sse_.gap([&](const SseEvent& event) { events_.sse_event(event, stamp); });
  }
  if (decoder_ != nullptr || use_ != Use::events) hole_ = true;
  account();
}

void BodyReader::end(const model::Stamp& stamp) {
  if (use_ == Use::json && !handed_on_ && !text_.empty()) hand_on(text_, stamp);
  close();
}

void BodyReader::cut(const model::Stamp& stamp) {
  if (use_ == Use::json && !handed_on_ && !text_.empty()) {
    hole_ = true;
    hand_on(text_, stamp);
  } else if (use_ == Use::events) {
    sse_.cut([&](const SseEvent& event) { events_.sse_event(event, stamp); });
  }
  close();
}

void BodyReader::close() {
  use_ = Use::ignore;
  sse_.reset();
  text_.clear();
  if (text_.capacity() > kKeptCapacity) std::string().swap(text_);
  drop_decoder();
  account();
}

void BodyReader::drop_decoder() {
  if (decoder_ == nullptr) return;
  decoder_.reset();
  --state_.decoders;
}

void BodyReader::account() {
  const std::size_t now = text_.size() + sse_.held_bytes();
  state_.kept_bytes = state_.kept_bytes + now - accounted_;
  accounted_ = now;
}

}  // namespace mcpscan::app
