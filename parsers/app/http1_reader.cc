#include "app/http1_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace mcpscan::app {
namespace {

constexpr std::size_t kChunkLineBytes = 4096;        // a chunk's size and extensions
constexpr std::size_t kSoughtLineBytes = 16 * 1024;  // a start line or field longer than this is none that a search finds
constexpr std::size_t kSoughtChunkDigits = 6;        // a chunk found by searching: up to 16 MiB
constexpr std::size_t kEventBytes = 6;               // so many bytes tell whether an event begins
constexpr std::size_t kKeptCapacity = 64 * 1024;

std::string_view without_cr(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// RFC 9112 7.1: 1*HEXDIG [ chunk-ext ]. False when it is no chunk line or the size does not fit.
bool parse_chunk_size(std::string_view line, std::uint64_t& size) {
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, size, 16);
  if (error != std::errc{} || size > (1ull << 62) || line.front() == '-') return false;
  return stop == end || *stop == ';' || *stop == ' ' || *stop == '\t';
}

// A status line with a reason as servers write it: a body may quote one, with what follows it.
bool is_plain_status_line(std::string_view line) {
  constexpr std::size_t kReasonAt = 13;  // HTTP/1.1 200 OK
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz -'";
  return is_status_line(line) && (line.size() <= kReasonAt || line.find_first_not_of(kPlain, kReasonAt) == std::string_view::npos);
}

// Where in a line a start line begins that reaches to the line's end; npos when there is none. What stands before it is the
// end of a body.
std::size_t start_line_in(std::string_view line, bool request) {
  constexpr std::size_t kNone = std::string_view::npos;
  if (request ? is_request_line(line) : is_status_line(line)) return 0;
  if (!request) {
    const std::size_t at = line.rfind("HTTP/1.");
    return at != kNone && is_plain_status_line(line.substr(at)) ? at : kNone;
  }
  if (line.size() < 9 || line.substr(line.size() - 9, 8) != " HTTP/1.") return kNone;
  for (const std::string_view method : {"POST /", "GET /", "DELETE /", "PUT /", "HEAD /", "OPTIONS /", "PATCH /"}) {
    const std::size_t at = line.rfind(method);
    if (at != kNone && is_request_line(line.substr(at))) return at;
  }
  return kNone;
}

}  // namespace

std::size_t Http1Reader::feed(std::string_view bytes, const model::Stamp& stamp) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t used = step(bytes.substr(at), stamp);
    if (used == 0) break;
    at += used;
  }
  return at;
}

std::size_t Http1Reader::step(std::string_view bytes, const model::Stamp& stamp) {
  switch (state_) {
    case State::start:
      return read_start(bytes, stamp);
    case State::head:
      return read_head(bytes, stamp);
    case State::length:
      return read_length(bytes, stamp);
    case State::chunk_size:
      return read_chunk_line(bytes, stamp);
    case State::chunk_data:
      return read_chunk_data(bytes, stamp);
    case State::chunk_end:
      return read_chunk_end(bytes, stamp);
    case State::trailer:
      return read_trailer(bytes, stamp);
    case State::until_close:
      events_.body(bytes, false, stamp);
      return bytes.size();
    case State::opaque:
      return 0;
    case State::seeking:
      return read_sought(bytes, stamp);
    case State::joining:
      return read_joined(bytes, stamp);
  }
  return 0;
}

std::size_t Http1Reader::read_start(std::string_view bytes, const model::Stamp& stamp) {
  std::size_t at = 0;
  while (at < bytes.size() && (bytes[at] == '\r' || bytes[at] == '\n')) ++at;  // empty lines before a start line
  if (at == bytes.size()) return at;
  if (!events_.may_begin()) return at;
  state_ = State::head;
  return at + read_head(bytes.substr(at), stamp);
}

std::size_t Http1Reader::read_head(std::string_view bytes, const model::Stamp& stamp) {
  if (partial_.empty()) {
    const std::size_t end = find_head_end(bytes, 0);
    if (end != std::string_view::npos && end <= limits_.header_bytes) {
      take_head(bytes.substr(0, end), stamp);
      return end;
    }
  }
  const std::size_t before = partial_.size();
  partial_.append(bytes.substr(0, limits_.header_bytes + 1 - std::min(before, limits_.header_bytes)));
  const std::size_t end = find_head_end(partial_, scanned_);
  if (end != std::string_view::npos && end <= limits_.header_bytes) {
    std::string section;
    section.swap(partial_);
    scanned_ = 0;
    take_head(std::string_view(section).substr(0, end), stamp);
    section.clear();
    if (partial_.empty() && section.capacity() <= kKeptCapacity) partial_.swap(section);
    return end - before;
  }
  const std::size_t used = partial_.size() - before;
  if (partial_.size() > limits_.header_bytes) {
    lose("http-header-too-long", "a header section exceeds the bound of header_bytes", stamp);
    return used;
  }
  scanned_ = partial_.size() - std::min<std::size_t>(partial_.size(), 3);
  return used;
}

void Http1Reader::take_head(std::string_view section, const model::Stamp& stamp) {
  HttpHead head;
  if (!parse_head(section, requests_, false, scratch_, head)) {
    lose("http-malformed-head", "bytes where a message head must stand are none", stamp);
    return;
  }
  bytes_sought_ = give_up_after_ = 0;
  begin_body(events_.head(head, stamp), stamp);
}

void Http1Reader::begin_body(BodyPlan plan, const model::Stamp& stamp) {
  remaining_ = plan.length;
  switch (plan.framing) {
    case Framing::none:
      return finish_message(stamp);
    case Framing::length:
      if (remaining_ == 0) return finish_message(stamp);
      state_ = State::length;
      return;
    case Framing::chunked:
      state_ = State::chunk_size;
      return;
    case Framing::until_close:
      state_ = State::until_close;
      return;
    case Framing::opaque:
      state_ = State::opaque;
      return;
  }
}

std::size_t Http1Reader::read_length(std::string_view bytes, const model::Stamp& stamp) {
  const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
  remaining_ -= take;
  events_.body(bytes.substr(0, take), remaining_ == 0, stamp);
  if (remaining_ == 0) finish_message(stamp);
  return take;
}

bool Http1Reader::take_line(std::string_view bytes, std::size_t bound, std::size_t& used, std::string_view& line) {
  if (line_whole_) partial_.clear(), line_whole_ = false;
  const std::string_view piece = bytes.substr(0, bound + 1 - std::min(bound, partial_.size()));
  const std::size_t end = piece.find('\n');
  used = end == std::string_view::npos ? piece.size() : end + 1;
  if (end != std::string_view::npos && partial_.empty()) {
    line = piece.substr(0, end);
    return true;
  }
  partial_.append(piece.substr(0, used));
  if (end == std::string_view::npos) return false;
  line = std::string_view(partial_).substr(0, partial_.size() - 1);
  line_whole_ = true;
  return true;
}

std::size_t Http1Reader::read_chunk_line(std::string_view bytes, const model::Stamp& stamp) {
  std::size_t used = 0;
  std::string_view line;
  if (take_line(bytes, kChunkLineBytes, used, line))
    take_chunk_line(without_cr(line), stamp);
  else if (partial_.size() > kChunkLineBytes)
    lose("http-bad-chunk", "a chunk's size line exceeds 4096 bytes", stamp);
  return used;
}

void Http1Reader::take_chunk_line(std::string_view line, const model::Stamp& stamp) {
  if (!parse_chunk_size(line, remaining_)) return lose("http-bad-chunk", "a chunk begins with no size", stamp);
  state_ = remaining_ == 0 ? State::trailer : State::chunk_data;
  trailer_bytes_ = 0;
}

std::size_t Http1Reader::read_chunk_data(std::string_view bytes, const model::Stamp& stamp) {
  const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
  remaining_ -= take;
  const bool last = remaining_ == 0 && bytes.substr(take, 5) == "\r\n0\r\n";
  events_.body(bytes.substr(0, take), last, stamp);
  if (remaining_ == 0) state_ = State::chunk_end, remaining_ = 2;
  return take;
}

// The line end behind a chunk's data; a bare LF is taken too.
std::size_t Http1Reader::read_chunk_end(std::string_view bytes, const model::Stamp& stamp) {
  if (remaining_ == 2 && bytes.front() == '\r') {
    remaining_ = 1;
    return 1;
  }
  if (bytes.front() == '\n') {
    state_ = State::chunk_size;
    return 1;
  }
  lose("http-bad-chunk", "a chunk's data is not followed by a line end", stamp);
  return step(bytes, stamp);
}

std::size_t Http1Reader::read_trailer(std::string_view bytes, const model::Stamp& stamp) {
  const std::size_t bound = limits_.header_bytes - std::min(limits_.header_bytes, trailer_bytes_);
  std::size_t used = 0;
  std::string_view line;
  if (take_line(bytes, bound, used, line)) {
    trailer_bytes_ += line.size() + 1;
    if (without_cr(line).empty()) finish_message(stamp);
  } else if (partial_.size() > bound) {
    lose("http-header-too-long", "a trailer section exceeds the bound of header_bytes", stamp);
  }
  return used;
}

void Http1Reader::finish_message(const model::Stamp& stamp) {
  partial_.clear();
  line_whole_ = false;
  state_ = State::start;
  scanned_ = 0;
  events_.end(stamp);
}

void Http1Reader::lose(std::string_view kind, std::string_view text, const model::Stamp& stamp) {
  events_.odd(kind, text, stamp);
  seek(Seek::head);
  events_.lost(stamp);
}

void Http1Reader::seek(Seek what) {
  partial_.clear();
  line_whole_ = false;
  scanned_ = line_start_ = 0;
  start_waits_ = false;
  state_ = State::seeking;
  seek_ = what;
}

void Http1Reader::gap(std::uint64_t length, const model::Stamp& stamp) {
  if (state_ == State::joining) seek(Seek::head);
  if (state_ == State::opaque || missing_in_body(length, stamp)) return;
  if (state_ == State::trailer) finish_message(stamp);
  const bool cut_head = state_ == State::head || (state_ == State::seeking && line_start_ > 0);
  if (cut_head) take_partial_head(stamp);
  const bool in_chunks = state_ == State::chunk_size || state_ == State::chunk_data || state_ == State::chunk_end ||
                         (state_ == State::seeking && seek_ == Seek::chunk);
  const bool in_message = cut_head || (state_ != State::start && state_ != State::seeking);
  if (in_chunks) events_.body_missing(length, stamp);
  seek(in_chunks ? Seek::chunk : Seek::head);
  if (in_message && !in_chunks) events_.lost(stamp);
}

void Http1Reader::end_sought(const model::Stamp& stamp) {
  if (state_ != State::seeking || seek_ != Seek::chunk) return;
  seek(Seek::head);
  events_.lost(stamp);
}

// What stands in whole lines before a gap.
void Http1Reader::take_partial_head(const model::Stamp& stamp) {
  const std::size_t last_line = partial_.rfind('\n');
  if (last_line == std::string::npos) return;
  HttpHead head;
  if (parse_head(std::string_view(partial_).substr(0, last_line + 1), requests_, false, scratch_, head)) events_.partial_head(head, stamp);
}

// Whether the gap lies within the data of the body being read, so that framing goes on behind it.
bool Http1Reader::missing_in_body(std::uint64_t length, const model::Stamp& stamp) {
  if (state_ == State::until_close) {
    events_.body_missing(length, stamp);
    return true;
  }
  const bool counted = state_ == State::length || state_ == State::chunk_data;
  if (!counted || length == 0 || length > remaining_) return false;
  remaining_ -= length;
  events_.body_missing(length, stamp);
  if (remaining_ > 0) return true;
  if (state_ == State::length)
    finish_message(stamp);
  else
    state_ = State::chunk_end, remaining_ = 2;
  return true;
}

void Http1Reader::close(const model::Stamp& stamp) {
  if (state_ == State::until_close) finish_message(stamp);
}

std::size_t Http1Reader::read_sought(std::string_view bytes, const model::Stamp& stamp) {
  if (start_waits_ && !events_.may_begin()) return 0;
  start_waits_ = false;
  const std::size_t end = bytes.find('\n');
  const std::size_t used = end == std::string_view::npos ? bytes.size() : end + 1;
  bytes_sought_ += used;
  if (give_up_after_ != 0 && bytes_sought_ > give_up_after_) {
    state_ = State::opaque;
    return used;
  }
  keep_sought(bytes.substr(0, used));
  if (end != std::string_view::npos) take_sought_line(stamp);
  return used;
}

// Adds to the line being read. Of a line longer than any start line only the end is kept: that is where the next start line
// follows a body that has no line end of its own.
void Http1Reader::keep_sought(std::string_view piece) {
  if (line_start_ > 0 && partial_.size() - line_start_ + piece.size() > kSoughtLineBytes) {
    partial_.erase(0, line_start_);
    line_start_ = 0;
  }
  partial_.append(piece.substr(piece.size() - std::min(piece.size(), kSoughtLineBytes)));
  const std::size_t line = partial_.size() - line_start_;
  if (line > 2 * kSoughtLineBytes) partial_.erase(line_start_, line - kSoughtLineBytes);
}

// partial_ ends with a whole line; before it stand a start line and the fields that followed it, or nothing.
void Http1Reader::take_sought_line(const model::Stamp& stamp) {
  std::string_view raw = std::string_view(partial_).substr(line_start_);
  raw.remove_prefix(raw.size() - std::min(raw.size(), kSoughtLineBytes));
  const std::string_view line = without_cr(raw.substr(0, raw.size() - 1));
  if (const std::size_t start = start_line_in(line, requests_); start != std::string_view::npos) {
    partial_.erase(0, partial_.size() - raw.size() + start);
    line_start_ = partial_.size();
    if (seek_ == Seek::chunk) events_.lost(stamp);
    seek_ = Seek::head;
    start_waits_ = true;
    return;
  }
  if (line_start_ > 0 && line.empty()) {
    std::string section;
    section.swap(partial_);
    take_head(section, stamp);
    return;
  }
  if (line_start_ > 0 && is_field_line(line) && partial_.size() <= limits_.header_bytes) {
    line_start_ = partial_.size();
    return;
  }
  std::uint64_t size = 0;
  if (seek_ == Seek::chunk) take_sought_chunk(raw, stamp);
  else if (!requests_ && give_up_after_ != 0 && sought_chunk_size(raw, size) && size >= kEventBytes) state_ = State::joining, remaining_ = size;
  if (state_ == State::seeking || state_ == State::joining) partial_.clear();
  line_start_ = 0;
}

// A line that a search takes for the head of a chunk: short, nothing but digits, ended by CRLF as every sender writes it.
bool Http1Reader::sought_chunk_size(std::string_view raw, std::uint64_t& size) const {
  if (raw.size() < 3 || raw.size() > kSoughtChunkDigits + 2 || raw[raw.size() - 2] != '\r') return false;
  const std::string_view digits = raw.substr(0, raw.size() - 2);
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos && parse_chunk_size(digits, size);
}

void Http1Reader::take_sought_chunk(std::string_view raw, const model::Stamp& stamp) {
  std::uint64_t size = 0;
  if (!sought_chunk_size(raw, size)) return;
  const std::string line(raw.substr(0, raw.size() - 2));
  partial_.clear();
  take_chunk_line(line, stamp);
}

// The capture begins inside a response. What looks like the head of a chunk is one where an event follows.
std::size_t Http1Reader::read_joined(std::string_view bytes, const model::Stamp& stamp) {
  const std::size_t used = std::min(bytes.size(), kEventBytes - partial_.size());
  partial_.append(bytes.substr(0, used));
  const Likeness event = looks_like_event(partial_);
  if (event == Likeness::maybe) return used;
  std::string first;
  first.swap(partial_);
  const std::uint64_t size = remaining_;
  seek(Seek::head);
  if (event == Likeness::yes && events_.joined(stamp)) {
    bytes_sought_ = give_up_after_ = 0;
    state_ = State::chunk_data;
    remaining_ = size;
  }
  feed(first, stamp);
  return used;
}

}  // namespace mcpscan::app
