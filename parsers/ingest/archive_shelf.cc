#include "ingest/archive_shelf.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mcpscan::ingest {

class OpenArchive::Replay : public ByteReader {
 public:
  explicit Replay(UnpackedBytes& rest) : head_(kArchiveHeadBytes, '\0'), rest_(rest) {
    std::size_t got = 0, filled = 0;
    while (filled < head_.size() && (got = rest_.read({head_.data() + filled, head_.size() - filled})) > 0) filled += got;
    head_.resize(filled);
  }
  const std::string& head() const { return head_; }

  std::size_t read(std::span<char> to) override {
    const std::size_t count = std::min(to.size(), head_.size() - at_);
    if (count == 0) return rest_.read(to);
    std::memcpy(to.data(), head_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string head_;
  std::size_t at_ = 0;
  UnpackedBytes& rest_;
};

OpenArchive::OpenArchive(std::unique_ptr<RawFile> file, const Limits& limits)
    : file_(std::move(file)), unpacked_(std::make_unique<UnpackedBytes>(*file_, *file_, limits)) {
  auto replay = std::make_unique<Replay>(*unpacked_);
  const std::string& head = replay->head();
  const bool plain = unpacked_->compression() == Compression::none;
  if (plain && (looks_like_zip(head) || looks_like_tar(head)) && file_->size() >= 0 && file_->seek(0)) {
    archive_ = std::make_unique<Archive>(*file_);
  } else if (looks_like_tar(head) || (plain && looks_like_zip(head))) {
    archive_ = std::make_unique<Archive>(static_cast<ByteReader&>(*replay));
  }
  replay_ = std::move(replay);
}

std::optional<Archive::Member> OpenArchive::next() {
  auto member = archive_->next();
  if (member) ++number_;
  return member;
}

std::size_t OpenArchive::read_unpacked(std::span<char> to) { return replay_->read(to); }

std::vector<Failure> OpenArchive::failures() const {
  std::vector<Failure> failures = unpacked_->failures();
  if (!file_->failure().empty()) failures.push_back({"read-error", "reading stopped: " + file_->failure(), 0, 1});
  // A cut compression cuts the archive too: told once, by what happened first.
  if (archive_ && failures.empty() && !archive_->failure().empty()) {
    const bool cut = archive_->failure().find("runcated") != std::string::npos;
    failures.push_back({cut ? "truncated-archive" : "corrupt-archive", "the archive cannot be read further: " + archive_->failure(), 0, 1});
  }
  return failures;
}

std::unique_ptr<OpenArchive> ArchiveShelf::take(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (!idle_ || number == 0 || idle_->number() >= number) return nullptr;
  return std::move(idle_);
}

void ArchiveShelf::put(std::unique_ptr<OpenArchive> archive) {
  const std::lock_guard lock(mutex_);
  idle_ = std::move(archive);
}

}  // namespace mcpscan::ingest
