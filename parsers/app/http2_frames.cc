#include "app/http2_frames.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>

namespace mcpscan::app {
namespace {

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

constexpr std::uint32_t kUsualFrameBytes = 16384;

}  // namespace

FrameHead FrameHead::read(std::string_view nine_bytes) {
  FrameHead head;
  head.length = read_u32(nine_bytes) >> 8;
  head.type = static_cast<std::uint8_t>(nine_bytes[3]);
  head.flags = static_cast<std::uint8_t>(nine_bytes[4]);
  head.stream = read_u32(nine_bytes.substr(5)) & 0x7fffffffu;
  return head;
}

bool FrameHead::plausible() const {
  if (type > static_cast<std::uint8_t>(FrameType::continuation) || length > kUsualFrameBytes) return false;
  switch (static_cast<FrameType>(type)) {
    case FrameType::data:
      return stream != 0 && (flags & ~0x9u) == 0;
    case FrameType::headers:
      return stream != 0 && (flags & ~0x2du) == 0 && length > 0;
    case FrameType::settings:
      return stream == 0 && (flags & ~0x1u) == 0 && length % 6 == 0;
    case FrameType::ping:
      return stream == 0 && (flags & ~0x1u) == 0 && length == 8;
    case FrameType::goaway:
      return stream == 0 && flags == 0 && length >= 8;
    case FrameType::rst_stream:
      return stream != 0 && flags == 0 && length == 4;
    case FrameType::window_update:
      return flags == 0 && length == 4;
    case FrameType::priority:
      return stream != 0 && flags == 0 && length == 5;
    default:
      return false;
  }
}

// --- frames ---

std::size_t Http2FrameReader::feed(std::string_view bytes, const model::Stamp& stamp) {
  std::size_t at = 0;
  while (at < bytes.size() && !broken_) {
    const std::string_view rest = bytes.substr(at);
    std::size_t used = 0;
    switch (state_) {
      case State::head:
        used = read_head(rest, stamp);
        break;
      case State::waiting:
        take_head(stamp);
        if (state_ == State::waiting) return at;
        continue;
      case State::pad_length:
      case State::data:
      case State::padding:
        used = read_data(rest, stamp);
        break;
      case State::payload:
        used = read_payload(rest, stamp);
        break;
      case State::skipped:
        used = skip(rest);
        break;
    }
    at += used;
  }
  return broken_ ? bytes.size() : at;
}

std::size_t Http2FrameReader::read_head(std::string_view bytes, const model::Stamp& stamp) {
  const std::size_t used = std::min(bytes.size(), FrameHead::kBytes - partial_.size());
  partial_.append(bytes.substr(0, used));
  if (partial_.size() < FrameHead::kBytes) return used;
  head_ = FrameHead::read(partial_);
  partial_.clear();
  state_ = State::waiting;
  take_head(stamp);
  return used;
}

void Http2FrameReader::take_head(const model::Stamp& stamp) {
  if (!events_.may_begin(head_)) return;
  remaining_ = head_.length;
  padding_ = 0;
  if (head_.is(FrameType::data)) {
    state_ = head_.padded() ? State::pad_length : State::data;
    if (head_.padded() && remaining_ == 0) broken_ = true;
    if (remaining_ == 0) end_data(stamp);
    return;
  }
  // Frames of unknown types are skipped (RFC 9113 4.1); a known one of this size is no traffic to be followed.
  const bool known = head_.type <= static_cast<std::uint8_t>(FrameType::continuation);
  state_ = known ? State::payload : State::skipped;
  if (known && head_.length > limits_.header_bytes) broken_ = true;
  if (remaining_ > 0 || broken_) return;
  state_ = State::head;
  if (known) broken_ = !events_.frame(head_, {}, stamp);
}

std::size_t Http2FrameReader::read_payload(std::string_view bytes, const model::Stamp& stamp) {
  const std::size_t used = std::min<std::size_t>(bytes.size(), head_.length - partial_.size());
  if (partial_.empty() && used == head_.length) {
    state_ = State::head;
    broken_ = !events_.frame(head_, bytes.substr(0, used), stamp);
    return used;
  }
  partial_.append(bytes.substr(0, used));
  if (partial_.size() < head_.length) return used;
  std::string payload;
  payload.swap(partial_);
  state_ = State::head;
  broken_ = !events_.frame(head_, payload, stamp);
  return used;
}

std::size_t Http2FrameReader::read_data(std::string_view bytes, const model::Stamp& stamp) {
  if (state_ == State::pad_length) {
    padding_ = static_cast<unsigned char>(bytes.front());
    remaining_ = head_.length - 1;
    broken_ = padding_ > remaining_;
    if (!broken_) remaining_ -= padding_;
    state_ = State::data;
    if (!broken_ && remaining_ == 0) end_data(stamp);
    return 1;
  }
  const std::size_t used = std::min<std::size_t>(bytes.size(), remaining_);
  remaining_ -= static_cast<std::uint32_t>(used);
  if (state_ == State::data) events_.data(head_.stream, bytes.substr(0, used), stamp);
  if (remaining_ == 0) end_data(stamp);
  return used;
}

// The content of a DATA frame is whole: what follows is padding or the next frame.
void Http2FrameReader::end_data(const model::Stamp& stamp) {
  if (broken_) return;
  if (state_ != State::padding) events_.data_end(head_.stream, head_.end_stream(), stamp);
  const bool padding_follows = state_ != State::padding && padding_ > 0;
  remaining_ = padding_follows ? padding_ : 0;
  state_ = padding_follows ? State::padding : State::head;
}

std::size_t Http2FrameReader::skip(std::string_view bytes) {
  const std::size_t used = std::min<std::size_t>(bytes.size(), remaining_);
  remaining_ -= static_cast<std::uint32_t>(used);
  if (remaining_ == 0) state_ = State::head;
  return used;
}

bool Http2FrameReader::gap(std::uint64_t length, const model::Stamp& stamp) {
  const bool within = (state_ == State::data || state_ == State::padding || state_ == State::skipped) && length > 0 && length <= remaining_;
  if (!within) {
    broken_ = true;
    return false;
  }
  remaining_ -= static_cast<std::uint32_t>(length);
  if (state_ == State::data) events_.data_missing(head_.stream, stamp);
  if (remaining_ > 0) return true;
  if (state_ == State::skipped)
    state_ = State::head;
  else
    end_data(stamp);
  return true;
}

// --- field sections ---

HpackDecoder::HpackDecoder(const Limits& limits) : limits_(limits) {
  if (nghttp2_hd_inflate_new(&inflater_) != 0) inflater_ = nullptr;
}

HpackDecoder::~HpackDecoder() {
  if (inflater_ != nullptr) nghttp2_hd_inflate_del(inflater_);
}

void HpackDecoder::set_table_size(std::uint32_t size) {
  const std::size_t bounded = std::min<std::size_t>(size, limits_.hpack_table_bytes);
  if (inflater_ != nullptr) nghttp2_hd_inflate_change_table_size(inflater_, bounded);
}

bool HpackDecoder::decode(std::string_view block) {
  text_.clear();
  fields_.clear();
  cut_ = false;
  if (inflater_ == nullptr) return false;
  const auto* in = reinterpret_cast<const std::uint8_t*>(block.data());
  std::size_t left = block.size();
  while (true) {
    nghttp2_nv field;
    int flags = 0;
    const ssize_t used = nghttp2_hd_inflate_hd2(inflater_, &field, &flags, in, left, 1);
    if (used < 0) return false;
    in += used;
    left -= static_cast<std::size_t>(used);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      cut_ |=
          !keep({reinterpret_cast<const char*>(field.name), field.namelen}, {reinterpret_cast<const char*>(field.value), field.valuelen});
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && left == 0) break;
  }
  return nghttp2_hd_inflate_end_headers(inflater_) == 0;
}

bool HpackDecoder::keep(std::string_view name, std::string_view value) {
  if (text_.size() + name.size() + value.size() > limits_.header_bytes) return false;
  const auto at = static_cast<std::uint32_t>(text_.size());
  const auto name_size = static_cast<std::uint32_t>(name.size());
  text_.append(name);
  text_.append(value);
  fields_.push_back({at, name_size, at + name_size, static_cast<std::uint32_t>(value.size())});
  return true;
}

bool HpackDecoder::head(bool request, HttpHead& head) const {
  head = HttpHead{};
  head.is_request = request;
  const std::string_view text = text_;
  for (const Field& field : fields_) {
    const std::string_view name = text.substr(field.name_at, field.name_size);
    const std::string_view value = text.substr(field.value_at, field.value_size);
    if (name == ":method")
      head.method = value;
    else if (name == ":path")
      head.target = value;
    else if (name == ":authority")
      head.host = value;
    else if (name == ":status" && value.size() == 3)
      head.status = static_cast<std::uint16_t>((value[0] - '0') * 100 + (value[1] - '0') * 10 + (value[2] - '0'));
    else if (!name.empty() && name.front() != ':')
      head.add_field(name, trim_space(value));
  }
  return request ? !head.method.empty() : head.status >= 100 && head.status < 1000;
}

}  // namespace mcpscan::app
