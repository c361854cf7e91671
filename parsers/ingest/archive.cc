#include "ingest/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstring>

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kFeedBytes = 128 * 1024;
constexpr std::size_t kTarBlockBytes = 512;
constexpr std::size_t kTarSumAt = 148, kTarSumBytes = 8;

// This one only: each filter more would look ahead to make its bid, and a short stream that is cut would be lost over it.
void support_filter(::archive* handle, Compression compression) {
  switch (compression) {
    case Compression::gzip: archive_read_support_filter_gzip(handle); break;
    case Compression::zstd: archive_read_support_filter_zstd(handle); break;
    case Compression::xz: archive_read_support_filter_xz(handle); break;
    case Compression::bzip2: archive_read_support_filter_bzip2(handle); break;
    case Compression::lz4: archive_read_support_filter_lz4(handle); break;
    case Compression::lzip: archive_read_support_filter_lzip(handle); break;
    case Compression::compress: archive_read_support_filter_compress(handle); break;
    case Compression::none: break;
  }
}

}  // namespace

struct Archive::Feed {
  ByteReader* source;
  RawFile* seekable;
  std::string buffer = std::string(kFeedBytes, '\0');

  static la_ssize_t read(::archive*, void* self, const void** bytes) {
    Feed& feed = *static_cast<Feed*>(self);
    *bytes = feed.buffer.data();
    return static_cast<la_ssize_t>(feed.source->read(feed.buffer));
  }

  // libarchive asks for a place, or for so many bytes on; a pipe answers with 0: read them.
  static la_int64_t seek(::archive*, void* self, la_int64_t offset, int whence) {
    RawFile& file = *static_cast<Feed*>(self)->seekable;
    const std::int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? static_cast<std::int64_t>(file.position()) : file.size();
    if (from + offset < 0 || !file.seek(static_cast<std::uint64_t>(from + offset))) return ARCHIVE_FATAL;
    return static_cast<la_int64_t>(file.position());
  }
  static la_int64_t skip(::archive*, void* self, la_int64_t bytes) {
    RawFile& file = *static_cast<Feed*>(self)->seekable;
    const std::uint64_t from = file.position(), end = static_cast<std::uint64_t>(file.size());
    // Never beyond the end: a member that is cut must be seen as such.
    if (bytes <= 0 || from >= end || static_cast<std::uint64_t>(bytes) > end - from) return 0;
    return file.seek(from + static_cast<std::uint64_t>(bytes)) ? bytes : 0;
  }
};

Archive::Archive(ByteReader& source, RawFile* seekable, Compression compression)
    : feed_(std::make_unique<Feed>(Feed{&source, seekable})), handle_(archive_read_new()) {
  if (handle_ == nullptr) {
    failure_ = "out of memory";
    return;
  }
  if (compression == Compression::none) {
    archive_read_support_format_tar(handle_);
    archive_read_support_format_zip(handle_);
  } else {
    support_filter(handle_, compression);
    archive_read_support_format_raw(handle_);
  }
  archive_read_support_format_empty(handle_);
  archive_read_set_callback_data(handle_, feed_.get());
  archive_read_set_read_callback(handle_, Feed::read);
  if (seekable != nullptr && seekable->size() >= 0) {
    archive_read_set_seek_callback(handle_, Feed::seek);
    archive_read_set_skip_callback(handle_, Feed::skip);
  }
  went_well(archive_read_open1(handle_));
}

Archive::~Archive() { archive_read_free(handle_); }

std::string Archive::reason() const {
  const char* text = archive_error_string(handle_);
  return text == nullptr ? "not readable" : text;
}

// A warning is no failure: the member can be read.
bool Archive::went_well(int code) {
  if (code >= ARCHIVE_WARN) return true;
  (code == ARCHIVE_FATAL ? failure_ : member_failure_) = reason();
  return false;
}

std::optional<Archive::Member> Archive::next() {
  if (!failure_.empty()) return std::nullopt;
  member_failure_.clear();
  block_ = {};
  block_begin_ = delivered_ = 0;
  archive_entry* entry = nullptr;
  int code = ARCHIVE_RETRY;
  while (code == ARCHIVE_RETRY) {  // a broken header: libarchive looks for the next one
    code = archive_read_next_header(handle_, &entry);
    if (code == ARCHIVE_RETRY && damage_.empty()) damage_ = reason();
  }
  if (code == ARCHIVE_EOF || !went_well(code)) return std::nullopt;
  const char* path = archive_entry_pathname(entry);
  if (path == nullptr) path = archive_entry_pathname_utf8(entry);
  // An empty name would be the archive's own.
  return Member{path == nullptr || *path == '\0' ? "unnamed" : path, archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr};
}

// By block: archive_read_data() would drop what stands before an error.
std::size_t Archive::read(std::span<char> to) {
  if (block_.empty() && !next_block()) return 0;
  if (delivered_ < block_begin_) {
    const std::size_t zeros = std::min<std::uint64_t>(to.size(), block_begin_ - delivered_);
    std::fill_n(to.begin(), zeros, '\0');
    delivered_ += zeros;
    return zeros;
  }
  const std::size_t count = std::min(to.size(), block_.size());
  std::memcpy(to.data(), block_.data(), count);
  block_.remove_prefix(count);
  block_begin_ += count;
  delivered_ += count;
  return count;
}

bool Archive::next_block() {
  while (failure().empty()) {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int code = archive_read_data_block(handle_, &bytes, &size, &offset);
    if (code == ARCHIVE_EOF) return false;
    // For data even a warning (a wrong sum) counts; it may come with bytes.
    if (code != ARCHIVE_OK) went_well(std::min(code, ARCHIVE_FAILED));
    if (code <= ARCHIVE_FAILED || size == 0) continue;
    block_ = {static_cast<const char*>(bytes), size};
    block_begin_ = std::max(delivered_, static_cast<std::uint64_t>(std::max<la_int64_t>(offset, 0)));
    return true;
  }
  return false;
}

// The header's checksum, which even tar files without "ustar" have (POSIX.1-1988, ustar interchange format).
bool looks_like_tar(std::string_view head) {
  if (head.size() < kTarBlockBytes || head[0] == '\0') return false;
  unsigned sum = 0;
  for (std::size_t i = 0; i < kTarBlockBytes; ++i) {
    const bool in_sum = i >= kTarSumAt && i < kTarSumAt + kTarSumBytes;
    sum += in_sum ? ' ' : static_cast<unsigned char>(head[i]);
  }
  unsigned told = 0;
  bool digits = false;
  for (const char c : head.substr(kTarSumAt, kTarSumBytes)) {
    if (c == ' ' && !digits) continue;
    if (c < '0' || c > '7') break;
    told = told * 8 + static_cast<unsigned>(c - '0');
    digits = true;
  }
  return digits && told == sum;
}

bool looks_like_zip(std::string_view head) { return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06"); }

}  // namespace mcpscan::ingest
