#include "app/sse_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mcpscan::app {

namespace {

// The lines of a text: CR, LF and CRLF end one. Remembers the next LF, so that a text of CRs alone stays linear.
class Lines {
 public:
  explicit Lines(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool more() const { return at_ < end_; }
  const char* position() const { return at_; }

  std::string_view next() {
    if (feed_ < at_) feed_ = find('\n', end_);
    const char* stop = find('\r', feed_);
    const std::string_view line(at_, static_cast<std::size_t>(stop - at_));
    at_ = stop;
    if (at_ < end_ && *at_ == '\r') ++at_;
    if (at_ < end_ && *at_ == '\n') ++at_;
    return line;
  }

 private:
  const char* find(char byte, const char* end) const {
    if (at_ == end) return end;
    const auto* found = static_cast<const char*>(std::memchr(at_, byte, static_cast<std::size_t>(end - at_)));
    return found == nullptr ? end : found;
  }

  const char* at_;
  const char* end_;
  const char* feed_ = nullptr;
};

// The data lines of one event's text, joined.
std::string_view join_data(std::string_view event, Arena& arena) {
  char* const start = arena.buffer(event.size()).data();
  char* to = start;
  bool first = true;
  for (Lines lines(event); lines.more();) {
    const SseLine line = split_sse_line(lines.next());
    if (line.field != "data") continue;
    if (!std::exchange(first, false)) *to++ = '\n';
    to = std::copy(line.value.begin(), line.value.end(), to);
  }
  return {start, static_cast<std::size_t>(to - start)};
}

// One event being read; take() tells whether there was anything in it.
class Building {
 public:
  void add(const SseLine& line) {
    any_ = true;
    if (line.field == "data") {
      if (data_lines_++ == 0) event_.data = line.value;
    } else if (line.field == "event") {
      event_.type = line.value;
    } else if (line.field == "id") {
      event_.id = line.value;
    }
  }

  void finish(std::string_view text, bool closed, Arena& arena, SseCounts& counts, FunctionRef<void(const SseTextEvent&)> on_event) {
    if (data_lines_ > 1) event_.data = join_data(text, arena);
    event_.closed = closed;
    if (!event_.data.empty()) on_event(event_);
    else if (any_) ++counts.without_data;
    *this = {};
  }

 private:
  SseTextEvent event_;
  std::uint32_t data_lines_ = 0;
  bool any_ = false;
};

}  // namespace

SseLine split_sse_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {line, {}};
  std::string_view value = line.substr(colon + 1);
  if (!value.empty() && value[0] == ' ') value.remove_prefix(1);
  return {line.substr(0, colon), value};
}

SseCounts for_each_sse_event(std::string_view text, Arena& arena, FunctionRef<void(const SseTextEvent&)> on_event) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  SseCounts counts;
  Building building;
  Lines lines(text);
  const char* start = lines.position();
  const auto since_start = [&] { return std::string_view(start, static_cast<std::size_t>(lines.position() - start)); };
  while (lines.more()) {
    const std::string_view line = lines.next();
    if (line.empty()) {
      building.finish(since_start(), true, arena, counts, on_event);
      start = lines.position();
    } else if (line[0] == ':') {
      ++counts.comments;
    } else {
      building.add(split_sse_line(line));
    }
  }
  building.finish(since_start(), false, arena, counts, on_event);
  return counts;
}

}  // namespace mcpscan::app
