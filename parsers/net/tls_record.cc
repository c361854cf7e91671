#include "net/tls_record.h"

#include <algorithm>

#include "net/tls_wire.h"

namespace mcpscan::net {
namespace {

std::size_t fragment_bytes(std::string_view header) { return WireReader(header.substr(3)).number(2); }

}  // namespace

bool plausible_record(std::string_view header) {
  const auto type = static_cast<unsigned char>(header[0]);
  const std::size_t length = fragment_bytes(header);
  return type >= 20 && type <= 23 && header[1] == 3 && static_cast<unsigned char>(header[2]) <= 4 && length <= kTlsFragmentBytes &&
         (length > 0 || type == 23);
}

void RecordReader::append(std::string_view bytes, const model::Stamp& stamp) {
  const std::uint64_t end = position_ + held() + bytes.size();
  // While records are read as they come, only the newest stamp can be a record's last.
  if (place_known_ && offered_ == 0) drop_marks();
  marks_.push_back({end, stamp});
  bytes_.append(bytes);
  skip_lost_rest();
}

void RecordReader::skip_lost_rest() {
  const std::size_t count = std::min(skip_, held());
  skip_ -= count;
  consume(count);
}

void RecordReader::consume(std::size_t count) {
  head_ += count;
  position_ += count;
  offered_ = 0;
  while (mark_head_ < marks_.size() && marks_[mark_head_].end <= position_) ++mark_head_;
  compact();
}

// Moves what is left to the front once that is cheap: nothing is left, or at least a record went before it.
void RecordReader::compact() {
  if (head_ < bytes_.size() && head_ <= kTlsFragmentBytes) return;
  bytes_.erase(0, head_);
  head_ = 0;
  marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(mark_head_));
  mark_head_ = 0;
}

void RecordReader::drop_marks() {
  marks_.clear();
  mark_head_ = 0;
}

std::optional<TlsRecord> RecordReader::next() {
  while (held() >= kTlsHeaderBytes && !broken_) {
    const std::string_view bytes = front();
    if (!plausible_record(bytes)) {
      if (place_known_) broken_ = true;
      else consume(1);
      continue;
    }
    const std::size_t size = kTlsHeaderBytes + fragment_bytes(bytes);
    if (bytes.size() < size) {
      if (place_known_ || !ended_) return std::nullopt;
      consume(1);
      continue;
    }
    offered_ = size;
    const auto mark = std::lower_bound(marks_.begin() + static_cast<std::ptrdiff_t>(mark_head_), marks_.end(), position_ + size, [](const Mark& m, std::uint64_t end) { return m.end < end; });
    return TlsRecord{bytes.substr(0, kTlsHeaderBytes), bytes.substr(kTlsHeaderBytes, size - kTlsHeaderBytes), mark->stamp};
  }
  return std::nullopt;
}

void RecordReader::accept() {
  place_known_ = true;
  consume(offered_);
}

void RecordReader::reject() { consume(place_known_ ? offered_ : 1); }

RecordLoss RecordReader::lose(std::uint64_t length) {
  const std::size_t have = held();
  if (length > 0 && skip_ > 0 && length <= skip_) {
    skip_ -= static_cast<std::size_t>(length);
    return {};
  }
  if (place_known_ && length > 0 && have >= kTlsHeaderBytes && plausible_record(front())) {
    const std::size_t fragment = fragment_bytes(front());
    const std::size_t rest = kTlsHeaderBytes + fragment - have;
    if (length <= rest) {
      const auto type = static_cast<ContentType>(front()[0]);
      clear();
      skip_ = rest - static_cast<std::size_t>(length);
      return {1, fragment, type};
    }
  }
  RecordLoss loss = lose_place();
  loss.records = length == 0 ? UINT64_MAX : loss.records + length / kTlsShortestSealed + 1;
  return loss;
}

RecordLoss RecordReader::lose_place() {
  RecordLoss loss;
  loss.records = held() / kTlsShortestSealed + 1;
  clear();
  place_known_ = false;
  return loss;
}

model::Stamp RecordReader::search_on() {
  broken_ = false;
  place_known_ = false;
  return marks_.back().stamp;
}

void RecordReader::clear() {
  position_ += held();
  std::string().swap(bytes_);
  std::vector<Mark>().swap(marks_);
  mark_head_ = 0;
  head_ = skip_ = offered_ = 0;
  broken_ = false;
}

}  // namespace mcpscan::net
