// BodyReader: one body, from the bytes on the wire to whole JSON texts or SSE events: undoes content codings, keeps what must be
// kept and nothing else. A JSON body that arrives in one piece is handed on where it lies.
// Owns its buffer, decoder and SSE reader; bounded by Limits::body_bytes and, over all bodies, Limits::http_buffer_bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/content_decoder.h"
#include "app/http_state.h"
#include "app/sse_reader.h"

namespace mcpscan::app {

class BodyReader {
 public:
  enum class Use : std::uint8_t { ignore, json, events, sniff };  // sniff: JSON if the first byte says so

  class Events {
   public:
    virtual ~Events() = default;
    // A whole JSON text, or with `truncated` the beginning of one.
    virtual void json_text(model::Side from, std::string_view text, bool truncated, const model::Stamp& stamp) = 0;
    virtual void sse_event(const SseEvent& event, const model::Stamp& stamp) = 0;
    // The first bytes of a body that was looked at and is no JSON.
    virtual void other_text(model::Side from, std::string_view head) = 0;
  };

  BodyReader(HttpState& state, model::Side from, Events& events)
      : state_(state), from_(from), events_(events), sse_(state.limits.body_bytes) {}
  ~BodyReader() { close(); }
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;

  void open(Use use, const CodingList& codings, const model::Stamp& stamp);
  // `last`: the body is whole with this piece.
  void feed(std::string_view bytes, bool last, const model::Stamp& stamp);
  // Bytes of the body are missing here.
  void missing(const model::Stamp& stamp);
  // The body is complete.
  void end(const model::Stamp& stamp);
  // The evidence breaks off: what is there is handed on as truncated.
  void cut(const model::Stamp& stamp);
  // Forgets what is kept.
  void close();

  std::uint64_t wire_bytes() const { return wire_bytes_; }
  bool ignored() const { return use_ == Use::ignore; }

 private:
  void take(std::string_view decoded, bool last, const model::Stamp& stamp);
  void take_json(std::string_view decoded, bool last, const model::Stamp& stamp);
  void take_events(std::string_view decoded, const model::Stamp& stamp);
  void decode(std::string_view bytes, const model::Stamp& stamp);
  void hand_on(std::string_view text, const model::Stamp& stamp);
  void drop_decoder();
  void account();

  HttpState& state_;
  model::Side from_;
  Events& events_;
  Use use_ = Use::ignore;
  std::unique_ptr<ContentDecoder> decoder_;
  SseReader sse_;
  std::string text_;
  std::uint64_t wire_bytes_ = 0;
  std::size_t accounted_ = 0;
  bool hole_ = false;  // what follows does not belong to text_ any more
  bool handed_on_ = false;
};

}  // namespace mcpscan::app
