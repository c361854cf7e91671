// open_input: a file, standard input, or the member of an archive, as decompressed bytes with its failures as anomalies; text is UTF-8.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ingest/archive_shelf.h"
#include "ingest/input_set.h"
#include "ingest/raw_file.h"
#include "ingest/text/text_input.h"
#include "ingest/unpacked_bytes.h"

namespace mcpscan::ingest {
namespace {

class Source : public ByteSource {
 public:
  explicit Source(std::uint32_t input) : input_(input) {}
  const model::AnomalyLog& anomalies() const override { return anomalies_; }

 protected:
  void report(const std::vector<Failure>& failures) {
    for (const Failure& failure : failures) report(failure);
  }
  void report(const Failure& failure) {
    anomalies_.add({failure.kind, failure.text, {input_, model::PlaceKind::line, 0, failure.offset}, failure.count});
  }
  // True once: what went wrong is told when the bytes end.
  bool ends_now() { return !std::exchange(ended_, true); }

 private:
  std::uint32_t input_;
  model::AnomalyLog anomalies_;
  bool ended_ = false;
};

// A whole file or standard input. An archive that got here was not listed (it came through a pipe): its members in a row.
class FileSource : public Source {
 public:
  FileSource(std::unique_ptr<RawFile> file, std::uint32_t input, const Limits& limits) : Source(input), file_(std::move(file), limits) {
    if (file_.is_archive()) report({"archive-in-a-row", "an archive without a name of its own is read as its members in a row", 0, 1});
  }

  std::size_t read(std::span<char> to) override {
    const std::size_t got = file_.is_archive() ? read_members(to) : file_.read_unpacked(to);
    if (got == 0 && !to.empty() && ends_now()) report(file_.failures());
    return got;
  }
  std::uint64_t bytes_on_disk() const override { return file_.file().consumed(); }
  bool compressed() const override { return file_.is_archive() || file_.compression() != Compression::none; }
  bool recoded() const override { return false; }

 private:
  std::size_t read_members(std::span<char> to) {
    for (;;) {
      if (const std::size_t got = in_member_ ? file_.read(to) : 0; got > 0) return got;
      const auto member = file_.next();
      if (!member) return 0;
      in_member_ = member->regular;
    }
  }

  OpenArchive file_;
  bool in_member_ = false;
};

// The member an open archive stands at, as bytes.
class MemberBytes : public ByteReader {
 public:
  MemberBytes(OpenArchive& archive, const Limits& limits) : archive_(archive), guard_(archive.file(), limits) {}

  std::size_t read(std::span<char> to) override {
    if (stopped_) return 0;
    const std::size_t got = archive_.read(to);
    stopped_ = !guard_.admit(got);
    return got;
  }
  bool stopped() const { return stopped_; }
  const ExpansionGuard& guard() const { return guard_; }

 private:
  OpenArchive& archive_;
  ExpansionGuard guard_;
  bool stopped_ = false;
};

class MemberSource : public Source {
 public:
  MemberSource(std::unique_ptr<OpenArchive> archive, std::shared_ptr<ArchiveShelf> shelf, std::uint32_t input, const Limits& limits)
      : Source(input), shelf_(std::move(shelf)), archive_(std::move(archive)), begin_(archive_->file().consumed()),
        member_(*archive_, limits), unpacked_(member_, archive_->file(), limits) {}
  ~MemberSource() override {
    if (shelf_ && archive_->failures().empty()) shelf_->put(std::move(archive_));
  }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;

  std::size_t read(std::span<char> to) override {
    const std::size_t got = unpacked_.read(to);
    if (got == 0 && !to.empty() && ends_now()) {
      report(unpacked_.failures());
      report(archive_->failures());
      if (member_.stopped()) report(member_.guard().failure());
    }
    return got;
  }
  std::uint64_t bytes_on_disk() const override { return archive_->file().consumed() - begin_; }
  bool compressed() const override { return true; }
  bool recoded() const override { return false; }

 private:
  std::shared_ptr<ArchiveShelf> shelf_;
  std::unique_ptr<OpenArchive> archive_;
  std::uint64_t begin_;
  MemberBytes member_;
  UnpackedBytes unpacked_;
};

// Text in UTF-16, as PowerShell's `>` and Excel write it, in UTF-8: no reader behind it needs to know. All else passes as it is.
class Utf8Source : public ByteSource {
 public:
  Utf8Source(std::unique_ptr<ByteSource> source, std::uint32_t input) : source_(std::move(source)), input_(input) {
    sample_.resize(kEncodingSampleBytes);
    std::size_t filled = 0;
    while (const std::size_t got = filled < sample_.size() ? source_->read({sample_.data() + filled, sample_.size() - filled}) : 0) filled += got;
    sample_.resize(filled);
    if (is_utf16(sample_)) text_.emplace(*source_, std::exchange(sample_, {}));
  }

  std::size_t read(std::span<char> to) override {
    if (text_) return read_text(to);
    const std::size_t count = std::min(to.size(), sample_.size() - at_);
    if (count == 0) return source_->read(to);
    std::copy_n(sample_.data() + at_, count, to.data());
    at_ += count;
    return count;
  }
  std::uint64_t bytes_on_disk() const override { return source_->bytes_on_disk(); }
  const model::AnomalyLog& anomalies() const override { return ended_ ? anomalies_ : source_->anomalies(); }
  bool compressed() const override { return source_->compressed(); }
  bool recoded() const override { return text_.has_value(); }

 private:
  static bool is_utf16(std::string_view sample) {
    if (detect_encoding(sample) == Encoding::utf8) return false;
    const FormatKind kind = probe_format(sample);
    return kind != FormatKind::capture && kind != FormatKind::binary;
  }

  std::size_t read_text(std::span<char> to) {
    const std::size_t got = text_->read(to);
    if (got == 0 && !to.empty() && !std::exchange(ended_, true)) {
      anomalies_ = source_->anomalies();
      const model::SourceRef end{input_, model::PlaceKind::line, 0, text_->position()};
      if (const auto lone = text_->unpaired_surrogates()) anomalies_.add({"unpaired-surrogate", "UTF-16 code units without their partner were replaced by U+FFFD", {input_, model::PlaceKind::line, 0, 0}, lone});
      if (text_->ends_in_half_unit()) anomalies_.add({"truncated-utf16", "the input ends within a UTF-16 code unit", end, 1});
    }
    return got;
  }

  std::unique_ptr<ByteSource> source_;
  std::uint32_t input_;
  std::string sample_;              // what was read to tell, until it is passed on
  std::size_t at_ = 0;
  std::optional<TextInput> text_;   // of UTF-16
  bool ended_ = false;
  model::AnomalyLog anomalies_;     // of text_, once it has ended
};

Error member_error(const InputFile& file, const OpenArchive& archive) {
  const auto failures = archive.failures();
  const std::string why = failures.empty() ? "the archive has no such member" : failures.front().text;
  return {failures.empty() ? ErrorCode::not_found : ErrorCode::unreadable, why, file.display, "the archive may have changed since it was listed"};
}

Result<std::unique_ptr<ByteSource>> open_member(const InputFile& file, std::uint32_t input, const Limits& limits) {
  std::unique_ptr<OpenArchive> archive = file.shelf ? file.shelf->take(file.member_number) : nullptr;
  if (!archive) {
    auto raw = RawFile::open(file.path);
    if (!raw) return raw.error();
    archive = std::make_unique<OpenArchive>(raw.take(), limits);
  }
  if (!archive->is_archive()) return Error{ErrorCode::malformed, "this is no tar or zip archive any more", file.display, ""};
  while (const auto member = archive->next()) {
    const bool here = file.member_number > 0 ? archive->number() == file.member_number : member->path == file.member;
    if (here && member->path == file.member) {
      return std::unique_ptr<ByteSource>(std::make_unique<MemberSource>(std::move(archive), file.shelf, input, limits));
    }
  }
  return member_error(file, *archive);
}

Result<std::unique_ptr<ByteSource>> open_file(const InputFile& file, std::uint32_t input, const Limits& limits) {
  auto raw = file.path.empty() ? RawFile::open_stdin() : RawFile::open(file.path);
  if (!raw) return raw.error();
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(raw.take(), input, limits));
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_input(const InputFile& file, std::uint32_t input, const Limits& limits) {
  auto opened = file.member.empty() ? open_file(file, input, limits) : open_member(file, input, limits);
  if (!opened) return opened;
  return std::unique_ptr<ByteSource>(std::make_unique<Utf8Source>(opened.take(), input));
}

}  // namespace mcpscan::ingest
