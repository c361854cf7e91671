#include "ingest/text/text_input.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kDecodeBytes = 64 * 1024;  // UTF-16 bytes decoded at a time

}  // namespace

TextInput::TextInput(ByteReader& bytes, std::string head)
    : bytes_(bytes),
      waiting_(complete(bytes, std::move(head))),
      raw_bytes_(waiting_.size()),
      encoding_(detect_encoding(waiting_)),
      decoder_(encoding_) {
  if (encoding_ != Encoding::utf8) {
    const std::string raw = std::exchange(waiting_, {});
    decoder_.decode(raw, waiting_);
  }
  produced_ = waiting_.size();
}

// The sample that tells the encoding must be whole before anything is decided.
std::string TextInput::complete(ByteReader& bytes, std::string head) {
  while (head.size() < kEncodingSampleBytes) {
    const std::size_t had = head.size();
    head.resize(kEncodingSampleBytes);
    const std::size_t got = bytes.read({head.data() + had, head.size() - had});
    head.resize(had + got);
    if (got == 0) break;
  }
  return head;
}

std::size_t TextInput::read(std::span<char> to) {
  std::size_t filled = take_waiting(to);
  while (filled < to.size()) {
    const std::size_t got = read_more(to.subspan(filled));
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

std::size_t TextInput::take_waiting(std::span<char> to) {
  const std::size_t count = std::min(to.size(), waiting_.size() - waiting_at_);
  if (count == 0) return 0;
  std::memcpy(to.data(), waiting_.data() + waiting_at_, count);
  waiting_at_ += count;
  if (waiting_at_ == waiting_.size()) waiting_.clear(), waiting_at_ = 0;
  return count;
}

std::size_t TextInput::read_more(std::span<char> to) {
  if (encoding_ != Encoding::utf8) {
    while (waiting_.empty() && !ended_ && decode_more()) {
    }
    return take_waiting(to);
  }
  if (ended_) return 0;
  const std::size_t got = bytes_.read(to);
  ended_ = got == 0;
  raw_bytes_ += got;
  produced_ += got;
  return got;
}

bool TextInput::decode_more() {
  std::array<char, kDecodeBytes> raw;
  const std::size_t got = bytes_.read(raw);
  raw_bytes_ += got;
  if (got == 0) {
    ended_ = true;
    decoder_.finish(waiting_);
  } else {
    decoder_.decode({raw.data(), got}, waiting_);
  }
  produced_ += waiting_.size();
  return got > 0;
}

// What comes back is what was last taken, so most often it still stands in front of the place reached.
void TextInput::unread(std::string_view text) {
  if (waiting_at_ >= text.size()) {
    waiting_at_ -= text.size();
    std::memcpy(waiting_.data() + waiting_at_, text.data(), text.size());
    return;
  }
  std::string joined(text);
  joined.append(waiting_, waiting_at_);
  waiting_ = std::move(joined);
  waiting_at_ = 0;
}

bool TextInput::continues_with(std::string_view text) {
  std::array<char, 8> next{};
  const std::size_t got = read({next.data(), std::min(next.size(), text.size())});
  const std::string_view seen(next.data(), got);
  unread(seen);
  return seen == text;
}

}  // namespace mcpscan::ingest
