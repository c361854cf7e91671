#include "app/sse_reader.h"

#include <algorithm>
#include <cstring>

namespace mcpscan::app {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kKeptCapacity = 4096;       // larger buffers are given back: few of the connections kept are in the midst of an event
constexpr std::size_t kShortField = 1024;         // longest event name or id kept

// Length of the line that begins the text, without its end; npos when no line end is there.
std::size_t line_length(std::string_view text) {
  const void* lf = std::memchr(text.data(), '\n', text.size());
  const std::size_t to = lf == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(lf) - text.data());
  const void* cr = std::memchr(text.data(), '\r', to);
  if (cr != nullptr) return static_cast<std::size_t>(static_cast<const char*>(cr) - text.data());
  return lf == nullptr ? std::string_view::npos : to;
}

void release(std::string& text) {
  text.clear();
  if (text.capacity() > kKeptCapacity) std::string().swap(text);
}

}  // namespace

void SseReader::feed(std::string_view bytes, Yield yield) {
  while (!bytes.empty()) {
    if (after_cr_) {
      after_cr_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t length = line_length(bytes);
    if (length == std::string_view::npos) {
      append_line(bytes);
      break;
    }
    after_cr_ = bytes[length] == '\r';
    if (line_.empty()) {
      line_cut_ = length > line_bound();
      take_line(bytes.substr(0, std::min(length, line_bound())), yield);
    } else {
      append_line(bytes.substr(0, length));
      take_line(line_, yield);
      keep_data();
      release(line_);
    }
    line_cut_ = false;
    bytes.remove_prefix(length + 1);
  }
  keep_data();
}

void SseReader::append_line(std::string_view bytes) {
  const std::size_t room = line_bound() - std::min(line_bound(), line_.size());
  line_cut_ |= bytes.size() > room;
  line_.append(bytes.substr(0, room));
}

void SseReader::gap(Yield yield) {
  // A data line that the gap cut still shows how its message began; half an id or a name would be a wrong one.
  if (line_.compare(0, 5, "data:") == 0 && !seeking_) take_line(line_, yield);
  keep_data();
  truncated_ = true;
  if (data_seen_) dispatch(yield);
  reset();
  first_line_ = false;
  seeking_ = true;
}

void SseReader::reset() {
  release(line_);
  release(data_);
  type_.clear();
  id_.clear();
  data_seen_ = in_view_ = truncated_ = after_cr_ = seeking_ = line_cut_ = false;
  first_line_ = true;
}

void SseReader::take_line(std::string_view line, Yield yield) {
  if (first_line_ && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) line.remove_prefix(kByteOrderMark.size());
  first_line_ = false;
  if (seeking_) {
    seeking_ = !line.empty() && !begins_event(line);
    if (seeking_ || line.empty()) return;
  }
  if (line.empty()) return dispatch(yield);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;
  if (colon == std::string_view::npos) return take_field(line, {});
  std::string_view value = line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  take_field(line.substr(0, colon), value);
}

void SseReader::take_field(std::string_view name, std::string_view value) {
  if (name == "data") return take_data(value);
  if (name == "event")
    type_.assign(value.substr(0, kShortField));
  else if (name == "id" && value.find('\0') == std::string_view::npos)
    id_.assign(value.substr(0, kShortField));
}

void SseReader::take_data(std::string_view value) {
  truncated_ |= line_cut_;
  if (!data_seen_) {
    data_seen_ = in_view_ = true;
    view_ = value;
    return;
  }
  keep_data();
  const std::size_t room = event_bytes_ - std::min(event_bytes_, data_.size());
  truncated_ |= value.size() + 1 > room;
  if (room == 0) return;
  data_.push_back('\n');
  data_.append(value.substr(0, room - 1));
}

void SseReader::keep_data() {
  if (!in_view_) return;
  truncated_ |= view_.size() > event_bytes_;
  data_.assign(view_.substr(0, event_bytes_));
  in_view_ = false;
}

void SseReader::dispatch(Yield yield) {
  if (data_seen_ || !id_.empty()) {
    const std::string_view data = in_view_ ? view_.substr(0, event_bytes_) : std::string_view(data_);
    yield(SseEvent{type_, data, id_, truncated_ || (in_view_ && view_.size() > event_bytes_)});
  }
  release(data_);
  type_.clear();
  id_.clear();
  data_seen_ = in_view_ = truncated_ = false;
}

// The lines SDKs begin an event with; a fragment of some other line does not look like them.
bool SseReader::begins_event(std::string_view line) const {
  const auto starts = [line](std::string_view with) { return line.substr(0, with.size()) == with; };
  return starts("event:") || starts("id:") || starts("data: {") || starts("data:{") || starts("data: [");
}

}  // namespace mcpscan::app
