// SseReader: the bytes of an event stream in, events out, as the WHATWG text says: line ends LF, CRLF and CR, a byte order mark
// at the start, data lines joined by LF, comments, ids; an event that no empty line ended is never dispatched.
// An event is dispatched at the very byte that completes it, so that it gets the stamp of its last packet. Data of one line that
// lies in one piece is not copied. Owns its line and data buffers, bounded by Limits::body_bytes. Not thread-safe.
// Source: WHATWG HTML, server-sent events, "Interpreting an event stream".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/function_ref.h"

namespace mcpscan::app {

struct SseEvent {
  std::string_view type;  // empty: "message"
  std::string_view data;
  std::string_view id;     // of this event; empty: none
  bool truncated = false;  // data reached the bound or was cut by missing bytes
};

class SseReader {
 public:
  using Yield = FunctionRef<void(const SseEvent&)>;

  explicit SseReader(std::size_t event_bytes) : event_bytes_(event_bytes) {}

  void feed(std::string_view bytes, Yield yield);
  // Bytes are missing here. The event they cut is yielded with what is there of it, marked truncated; reading goes on at the
  // next line that can begin an event.
  void gap(Yield yield);
  // The evidence ends here: as gap(), with nothing after it.
  void cut(Yield yield) { gap(yield); }
  // Forgets everything, keeps the buffers.
  void reset();

  std::size_t held_bytes() const { return line_.size() + data_.size(); }

 private:
  // Longest line kept: one of data with its field's name.
  std::size_t line_bound() const { return event_bytes_ + 64; }
  void append_line(std::string_view bytes);
  void take_line(std::string_view line, Yield yield);
  void take_field(std::string_view name, std::string_view value);
  void take_data(std::string_view value);
  void dispatch(Yield yield);
  void keep_data();
  bool begins_event(std::string_view line) const;

  std::size_t event_bytes_;
  std::string line_;  // a line that its piece did not complete
  std::string data_;
  std::string_view view_;  // data of a single line, still in the piece; valid during feed() only
  std::string type_, id_;
  bool data_seen_ = false, in_view_ = false, truncated_ = false;
  bool first_line_ = true;  // a byte order mark may stand here
  bool after_cr_ = false;   // an LF that comes now belongs to the CR before
  bool seeking_ = false;    // after a gap
  bool line_cut_ = false;   // line_ reached the bound
};

}  // namespace mcpscan::app
