#include "pipeline/repeated_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>

#include "pipeline/input_head.h"
#include "pipeline/record_lines.h"

namespace mcpscan::pipeline {

using ingest::InputFile;

namespace {

constexpr std::size_t kBeginning = 256;  // what is looked for, and the least that is a repetition: a shorter beginning may be that of many files
constexpr std::size_t kPiece = 64 * 1024;

// Fills `to`, unless the bytes end before.
std::size_t read_all(ByteReader& bytes, std::string& to) {
  std::size_t filled = 0;
  while (filled < to.size()) {
    const std::size_t got = bytes.read({to.data() + filled, to.size() - filled});
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

// The lines of a log, also of one that is a document or table of records.
class LogLines : public ByteReader {
 public:
  LogLines(std::unique_ptr<ingest::ByteSource> source, const Limits& limits) : source_(std::move(source)) {
    const std::string head = read_head(*source_);
    replayed_ = std::make_unique<Replayed>(head, *source_);
    lines_ = record_lines(head, *replayed_, limits);
  }
  std::size_t read(std::span<char> to) override { return lines_ ? lines_->read(to) : replayed_->read(to); }

 private:
  std::unique_ptr<ingest::ByteSource> source_;
  std::unique_ptr<Replayed> replayed_;
  std::unique_ptr<ByteReader> lines_;
};

// Again from its beginning; null where it can be read once only.
std::unique_ptr<ByteReader> opened_again(const InputFile& file, const Limits& limits) {
  std::error_code error;
  if (file.path.empty() || !file.member.empty() || !std::filesystem::is_regular_file(file.path, error)) return nullptr;
  auto opened = ingest::open_input(file, 0, limits);
  return opened ? std::make_unique<LogLines>(opened.take(), limits) : nullptr;
}

void skip(ByteReader& bytes, std::uint64_t count) {
  std::string piece(kPiece, '\0');
  while (count > 0) {
    const std::size_t got = bytes.read({piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), count))});
    if (got == 0) return;
    count -= got;
  }
}

}  // namespace

std::string note_of(const Repetition& same, const InputFile& file) {
  if (same.whole) return fmt::format("{} holds nothing that is not in {}: it was read once", file.display, same.told_by);
  return fmt::format("{} begins with {} lines that are in {}, too: they were read once", file.display, same.lines, same.told_by);
}

// Passes the bytes on and notes where the beginnings stand, each once, at the start of a line.
class RepeatedLines::Watch : public ByteReader {
 public:
  Watch(ByteReader& bytes, std::function<void(std::size_t, std::uint64_t)> found) : bytes_(bytes), found_(std::move(found)) {}

  void search_for(std::size_t file, std::string_view beginning) { wanted_.push_back({file, beginning}); }
  void look(std::string_view piece) {
    if (wanted_.empty()) return;
    text_.append(piece);
    std::erase_if(wanted_, [&](const Wanted& wanted) { return look_for(wanted); });
    // A beginning may stand across two pieces, and the line end before it tells that it starts a line.
    const std::size_t kept = std::min(text_.size(), kBeginning);
    position_ += text_.size() - kept;
    text_.erase(0, text_.size() - kept);
  }
  std::size_t read(std::span<char> to) override {
    const std::size_t got = bytes_.read(to);
    look({to.data(), got});
    return got;
  }

 private:
  struct Wanted {
    std::size_t file;
    std::string_view beginning;
  };

  bool look_for(const Wanted& wanted) const {
    for (std::size_t from = 0; from < text_.size();) {
      const void* hit = memmem(text_.data() + from, text_.size() - from, wanted.beginning.data(), wanted.beginning.size());
      if (hit == nullptr) return false;
      const std::size_t at = static_cast<std::size_t>(static_cast<const char*>(hit) - text_.data());
      if (at == 0 ? position_ == 0 : text_[at - 1] == '\n') return found_(wanted.file, position_ + at), true;
      from = at + 1;
    }
    return false;
  }

  ByteReader& bytes_;
  std::function<void(std::size_t, std::uint64_t)> found_;
  std::vector<Wanted> wanted_;
  std::string text_;             // the end of what was read, from position_ on
  std::uint64_t position_ = 0;
};

// A told file from a place on, and the files that its source was told after it, as one: all of a rotated set may stand in one file, too.
class RepeatedLines::Chain : public ByteReader {
 public:
  Chain(const RepeatedLines& lines, const Place& place) : lines_(lines) {
    const std::size_t source = lines.sources_.at(place.file);
    for (auto told = lines.sources_.find(place.file); told != lines.sources_.end(); ++told) {
      if (told->second == source) files_.push_back(told->first);
    }
    if (open_next()) skip(*bytes_, place.at);
  }

  std::size_t read(std::span<char> to) override {
    while (bytes_) {
      const std::size_t got = bytes_->read(to);
      position_ += got;
      if (got > 0) return got;
      ends_.push_back(position_);
      open_next();
    }
    return 0;
  }
  // The last end of a file within the first `count` bytes; 0: none.
  std::uint64_t end_within(std::uint64_t count) const {
    const auto behind = std::upper_bound(ends_.begin(), ends_.end(), count);
    return behind == ends_.begin() ? 0 : *std::prev(behind);
  }

 private:
  bool open_next() {
    bytes_ = opened_ < files_.size() ? opened_again(lines_.files_[files_[opened_++]], lines_.limits_) : nullptr;
    return bytes_ != nullptr;
  }

  const RepeatedLines& lines_;
  std::vector<std::size_t> files_;
  std::size_t opened_ = 0;
  std::unique_ptr<ByteReader> bytes_;
  std::uint64_t position_ = 0;
  std::vector<std::uint64_t> ends_;  // of files, counted from the place
};

const std::string& RepeatedLines::beginning(std::size_t number) {
  const auto [known, fresh] = beginnings_.try_emplace(number);
  if (!fresh) return known->second;
  if (const auto bytes = opened_again(files_[number], limits_)) {
    std::string head(kBeginning, '\0');
    head.resize(read_all(*bytes, head));
    if (head.size() >= kBeginning) known->second = std::move(head);
  }
  return known->second;
}

std::unique_ptr<ByteReader> RepeatedLines::watched(std::size_t number, std::string_view head, ByteReader& bytes) {
  auto watch = std::make_unique<Watch>(bytes, [this, number](std::size_t file, std::uint64_t at) { found_[file].push_back({number, at}); });
  const std::size_t end = std::min(files_.size(), number + 1 + limits_.repeated_ahead_files);
  for (std::size_t later = number + 1; later < end; ++later) {
    if (const std::string& wanted = beginning(later); !wanted.empty()) watch->search_for(later, wanted);
  }
  watch->look(head);
  return watch;
}

Repetition RepeatedLines::of(std::size_t number) const {
  Repetition best;
  const auto found = found_.find(number);
  if (found == found_.end()) return best;
  for (const Place& place : found->second) {
    if (sources_.count(place.file) == 0) continue;
    if (Repetition other = compare(number, place); other.bytes > best.bytes) best = std::move(other);
  }
  return best;
}

// Alike to the end of one of the two, or to the end of a file in between: what is alike for a while only is no copy.
Repetition RepeatedLines::compare(std::size_t number, const Place& place) const {
  const auto mine = opened_again(files_[number], limits_);
  if (!mine) return {};
  Chain theirs(*this, place);
  std::string piece(kPiece, '\0'), other(kPiece, '\0');
  Repetition same;
  std::uint64_t alike = 0;
  for (bool more = true; more;) {
    const std::size_t got = read_all(*mine, piece), common = std::min(got, read_all(theirs, other));
    std::size_t equal = 0;
    while (equal < common && piece[equal] == other[equal]) ++equal;
    alike += equal;
    same.whole = equal == got && got < piece.size();
    more = equal == piece.size();
  }
  same.bytes = same.whole ? alike : theirs.end_within(alike);
  if (same.bytes < kBeginning) return {};
  same.source = sources_.at(place.file);
  same.told_by = files_[place.file].display;
  if (!tells_times(number, same)) return {};
  count_lines(number, same);
  return same;
}

// The repeated lines themselves: a time elsewhere in either log says nothing of whether a second process wrote them.
bool RepeatedLines::tells_times(std::size_t number, const Repetition& same) const {
  const auto mine = opened_again(files_[number], limits_);
  if (!mine) return false;
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(same.bytes, kHeadBytes)), '\0');
  head.resize(read_all(*mine, head));
  return ingest::LogParser(dialects_, {}, limits_).calibrate(head).has_times;
}

// Whole lines only: one that the other file ends in is read again, with its rest; where only its line end is missing, or what blanks stand in a
// document between two records, there is none.
void RepeatedLines::count_lines(std::size_t number, Repetition& same) const {
  const auto mine = opened_again(files_[number], limits_);
  std::string piece(kPiece, '\0');
  std::uint64_t at = 0, line = 0;  // where the last line begins
  const auto belongs = [&](char c) { return at < same.bytes || (!same.whole && line < same.bytes && (c == ' ' || c == '\r' || c == '\n')); };
  for (bool more = mine != nullptr; more;) {
    const std::size_t got = mine->read(piece);
    more = got > 0;
    for (std::size_t i = 0; i < got && more; ++i) {
      more = belongs(piece[i]);
      at += more;
      if (more && piece[i] == '\n') ++same.lines, line = at;
    }
  }
  if (!same.whole) same.bytes = line;
  if (same.whole && line < same.bytes) ++same.lines;
}

}  // namespace mcpscan::pipeline
