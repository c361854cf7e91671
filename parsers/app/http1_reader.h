// Http1Reader: frames one direction of an HTTP/1 connection: heads, bodies (length, chunked, until close), ends. It knows
// neither the other direction nor what bodies mean: how a response's body is framed is told by its owner.
// Body bytes are handed on where they lie; only a head, chunk line or trailer that a piece does not complete is copied, bounded
// by Limits::header_bytes. After a gap or broken framing it seeks the next message head that parses whole, and, inside a chunked
// body, the next chunk; nothing is invented. Not thread-safe. Every split of the same bytes gives the same events.
// Source: RFC 9112 sections 2.2, 5.2, 6.3, 7.1 and 9.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/http_head.h"
#include "base/limits.h"
#include "model/stream_analyzer.h"

namespace mcpscan::app {

class Http1Reader {
 public:
  enum class Framing : std::uint8_t { none, length, chunked, until_close, opaque };  // opaque: what follows is not HTTP/1
  struct BodyPlan {
    Framing framing = Framing::none;
    std::uint64_t length = 0;
  };

  class Events {
   public:
    virtual ~Events() = default;
    // A message is about to begin; false leaves its bytes unread.
    virtual bool may_begin() = 0;
    virtual BodyPlan head(const HttpHead& head, const model::Stamp& stamp) = 0;
    // A chunk of an event stream whose head is older than the capture; false when it cannot be the other direction's answer.
    virtual bool joined(const model::Stamp&) { return false; }
    // A gap cut the head: what stood before it. No body() and no end() follow, lost() does.
    virtual void partial_head(const HttpHead& head, const model::Stamp& stamp) = 0;
    // `last`: the body is whole with this piece (a hint; end() follows in any case).
    virtual void body(std::string_view bytes, bool last, const model::Stamp& stamp) = 0;
    virtual void body_missing(std::uint64_t length, const model::Stamp& stamp) = 0;
    virtual void end(const model::Stamp& stamp) = 0;
    // The message being read cannot be followed any more; the reader seeks.
    virtual void lost(const model::Stamp& stamp) = 0;
    virtual void odd(std::string_view kind, std::string_view text, const model::Stamp& stamp) = 0;
  };

  Http1Reader(const Limits& limits, bool requests, Events& events) : limits_(limits), requests_(requests), events_(events) {}

  // Returns the bytes taken; fewer than given when may_begin() refused or the rest is not HTTP/1.
  std::size_t feed(std::string_view bytes, const model::Stamp& stamp);
  void gap(std::uint64_t length, const model::Stamp& stamp);
  // The message is known to be over: behind the gap in its chunks comes no further one of it.
  void end_sought(const model::Stamp& stamp);
  // No more bytes: ends a body that lasts until close.
  void close(const model::Stamp& stamp);
  // The beginning of the connection was not captured: seek from the first byte, and turn opaque when no message head and no chunk of
  // events stands in the first `bytes`.
  void start_in_the_middle(std::uint64_t bytes) { give_up_after_ = bytes, seek(Seek::head); }

  bool opaque() const { return state_ == State::opaque; }
  bool seeking() const { return state_ == State::seeking; }
  bool between_messages() const { return state_ == State::start; }

 private:
  enum class State : std::uint8_t { start, head, length, chunk_size, chunk_data, chunk_end, trailer, until_close, opaque, seeking, joining };
  enum class Seek : std::uint8_t { head, chunk };

  std::size_t step(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_start(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_head(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_length(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_chunk_line(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_chunk_data(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_chunk_end(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_trailer(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_sought(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_joined(std::string_view bytes, const model::Stamp& stamp);

  void take_head(std::string_view section, const model::Stamp& stamp);
  void begin_body(BodyPlan plan, const model::Stamp& stamp);
  void take_chunk_line(std::string_view line, const model::Stamp& stamp);
  void keep_sought(std::string_view piece);
  void take_sought_line(const model::Stamp& stamp);
  void take_sought_chunk(std::string_view raw, const model::Stamp& stamp);
  bool sought_chunk_size(std::string_view raw, std::uint64_t& size) const;
  void finish_message(const model::Stamp& stamp);
  void lose(std::string_view kind, std::string_view text, const model::Stamp& stamp);
  void seek(Seek what);
  void take_partial_head(const model::Stamp& stamp);
  bool missing_in_body(std::uint64_t length, const model::Stamp& stamp);
  // True once a line of at most `bound` bytes is whole; `line` is the line without its LF. `used` is what was taken of `bytes`.
  bool take_line(std::string_view bytes, std::size_t bound, std::size_t& used, std::string_view& line);

  const Limits& limits_;
  bool requests_;
  Events& events_;
  State state_ = State::start;
  Seek seek_ = Seek::head;
  std::uint64_t remaining_ = 0;
  std::string partial_;         // an unfinished head, line or trailer; while seeking, a candidate head; while joining, the data's first bytes
  std::size_t scanned_ = 0;     // bytes of partial_ that hold no end of head
  std::size_t line_start_ = 0;  // while seeking: where the unfinished line begins in partial_
  std::size_t trailer_bytes_ = 0;
  std::uint64_t bytes_sought_ = 0, give_up_after_ = 0;  // 0: never
  bool start_waits_ = false;                            // while seeking: a start line was found whose message may not begin yet
  bool line_whole_ = false;                             // take_line() delivered partial_ and must clear it before the next line
  std::string scratch_;
};

}  // namespace mcpscan::app
