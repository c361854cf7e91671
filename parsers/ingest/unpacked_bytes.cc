#include "ingest/unpacked_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ingest/archive.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kInBytes = 128 * 1024;

// What has been taken from a source comes first, then the source.
class Rejoined : public ByteReader {
 public:
  Rejoined(std::string& taken, std::size_t& at, ByteReader& rest) : taken_(taken), at_(at), rest_(rest) {}
  std::size_t read(std::span<char> to) override {
    const std::size_t count = std::min(to.size(), taken_.size() - at_);
    if (count == 0) return rest_.read(to);
    std::memcpy(to.data(), taken_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string& taken_;
  std::size_t& at_;
  ByteReader& rest_;
};

}  // namespace

bool ExpansionGuard::admit(std::size_t bytes) {
  produced_ += bytes;
  if (produced_ <= limits_.expansion_floor_bytes) return true;
  const std::uint64_t consumed = disk_->consumed() - begin_ + kInBytes;  // read-ahead of the one before may hold our bytes
  return produced_ / consumed <= limits_.expansion_ratio;
}

Failure ExpansionGuard::failure() const {
  return {"decompression-bomb",
          fmt::format("more than {} bytes came out of each byte of the file; reading stopped after {} bytes", limits_.expansion_ratio, produced_), produced_, 1};
}

UnpackedBytes::UnpackedBytes(ByteReader& source, const RawFile& disk, const Limits& limits) : source_(source), guard_(disk, limits) {
  while (in_.size() < kCompressionHeadBytes && refill()) {
  }
  compression_ = detect_compression(in_);
  decoder_ = make_decoder(compression_);
}

UnpackedBytes::~UnpackedBytes() = default;

// More input behind what is unused; false at the end of the source.
bool UnpackedBytes::refill() {
  in_.erase(0, at_);
  at_ = 0;
  const std::size_t had = in_.size();
  in_.resize(had + kInBytes);
  const std::size_t got = source_.read({in_.data() + had, kInBytes});
  in_.resize(had + got);
  return got > 0;
}

std::size_t UnpackedBytes::read(std::span<char> to) {
  if (compression_ == Compression::none) return read_plain(to);
  if (ended_ || to.empty()) return 0;
  const std::size_t got = decoder_ ? decode(to) : read_archive(to);
  produced_ += got;
  if (got == 0) ended_ = true;
  if (got > 0 && !guard_.admit(got)) {
    failures_.push_back(guard_.failure());
    ended_ = true;
  }
  return got;
}

// The speed path: past the head, straight from the source into the caller's buffer.
std::size_t UnpackedBytes::read_plain(std::span<char> to) {
  if (at_ == in_.size()) return source_.read(to);
  const std::size_t count = std::min(to.size(), in_.size() - at_);
  std::memcpy(to.data(), in_.data() + at_, count);
  at_ += count;
  if (at_ == in_.size()) std::string().swap(in_), at_ = 0;
  return count;
}

std::size_t UnpackedBytes::decode(std::span<char> to) {
  for (;;) {
    if (at_ == in_.size() && !refill()) {
      if (in_member_) fail_in_member(true);
      return 0;
    }
    if (!in_member_ && !begin_member()) return 0;
    const Decoder::Step step = decoder_->decode(std::string_view(in_).substr(at_), to);
    at_ += step.consumed;
    consumed_ += step.consumed;
    if (step.state == Decoder::State::member_end) in_member_ = false;
    const bool stuck = step.state == Decoder::State::more && step.consumed == 0 && step.produced == 0;
    if (step.state == Decoder::State::corrupt || stuck) {
      produced_ += step.produced;
      fail_in_member(false);
      produced_ -= step.produced;
      ended_ = true;
      return step.produced;
    }
    if (step.produced > 0) return step.produced;
  }
}

// Between two members: another one, padding, or something else, which is counted and left.
bool UnpackedBytes::begin_member() {
  while (in_.size() - at_ < kCompressionHeadBytes && refill()) {
  }
  in_member_ = detect_compression(std::string_view(in_).substr(at_)) == compression_;
  if (in_member_) return true;
  std::uint64_t bytes = 0;
  bool padding = true;
  do {
    const std::string_view rest = std::string_view(in_).substr(at_);
    padding = padding && rest.find_first_not_of('\0') == std::string_view::npos;
    bytes += rest.size();
    at_ = in_.size();
  } while (refill());
  if (!padding) fail("trailing-bytes", fmt::format("{} bytes behind the end of the {} stream were not read", bytes, to_string(compression_)), bytes);
  return false;
}

std::size_t UnpackedBytes::read_archive(std::span<char> to) {
  if (!archive_) {
    // The rejoined source lives as long as the archive that reads from it.
    rejoined_ = std::make_unique<Rejoined>(in_, at_, source_);
    archive_ = std::make_unique<Archive>(*rejoined_, compression_);
    archive_->next();
  }
  const std::size_t got = archive_->read(to);
  if (got == 0 && !archive_->failure().empty()) {
    const std::string& reason = archive_->failure();
    const bool cut = reason.find("runcated") != std::string::npos || reason.find("No progress") != std::string::npos;
    fail(fmt::format("{}-{}", cut ? "truncated" : "corrupt", to_string(compression_)),
         fmt::format("the {} stream is {} (up to 64 KiB before that place may be missing): {}", to_string(compression_), cut ? "cut" : "damaged", reason));
  }
  return got;
}

void UnpackedBytes::fail_in_member(bool cut) {
  const std::string_view kind = to_string(compression_);
  fail(fmt::format("{}-{}", cut ? "truncated" : "corrupt", kind),
       fmt::format("the {} stream is {} at byte {} of the compressed input, after {} decoded bytes", kind, cut ? "cut" : "damaged", consumed_, produced_));
}

void UnpackedBytes::fail(std::string kind, std::string text, std::uint64_t count) {
  failures_.push_back({std::move(kind), std::move(text), produced_, count});
}

}  // namespace mcpscan::ingest
