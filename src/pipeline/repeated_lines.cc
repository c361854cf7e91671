#include "pipeline/repeated_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>

#include "ingest/archive_shelf.h"
#include "ingest/text/text_scan.h"
#include "pipeline/input_head.h"
#include "pipeline/record_lines.h"

namespace mcpscan::pipeline {

using ingest::InputFile;

namespace {

constexpr std::size_t kBeginning = 256;  // what is looked for, and the least that is a repetition: a shorter beginning may be that of many files
constexpr std::size_t kPiece = 64 * 1024;

// What a file is called, whatever its folder, its archive and its place in a rotated set.
std::string name_of(const InputFile& file) { return file.set_key.substr(file.set_key.rfind('/') + 1); }

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

// What copies of one text have in common: its bytes without the mark in front and without carriage returns.
class Essence {
 public:
  bool keeps(char c) {
    if (at_ < ingest::kUtf8Mark.size() && c == ingest::kUtf8Mark[at_]) return ++at_, false;
    at_ = ingest::kUtf8Mark.size();
    return c != '\r';
  }
  void add(std::string_view piece, std::string& to) {
    if (at_ == ingest::kUtf8Mark.size() && piece.find('\r') == std::string_view::npos) return void(to.append(piece));
    std::copy_if(piece.begin(), piece.end(), std::back_inserter(to), [this](char c) { return keeps(c); });
  }

 private:
  std::size_t at_ = 0;  // bytes of the mark that were there
};

class EssenceReader : public ByteReader {
 public:
  explicit EssenceReader(std::unique_ptr<ByteReader> bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(std::span<char> to) override {
    for (;;) {
      const std::size_t got = bytes_->read(to);
      const auto end = std::remove_if(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(got), [this](char c) { return !essence_.keeps(c); });
      if (const auto kept = static_cast<std::size_t>(end - to.begin()); kept > 0 || got == 0) return kept;
    }
  }

 private:
  std::unique_ptr<ByteReader> bytes_;
  Essence essence_;
};

std::unique_ptr<ByteReader> essence_of(std::unique_ptr<ByteReader> bytes) { return bytes ? std::make_unique<EssenceReader>(std::move(bytes)) : nullptr; }

// The lines of a log, also of one that is a document or table of records, oldest first.
class LogLines : public ByteReader {
 public:
  LogLines(std::unique_ptr<ingest::ByteSource> source, bool turned, const Limits& limits) : source_(std::move(source)) {
    const std::string head = read_head(*source_);
    replayed_ = std::make_unique<Replayed>(head, *source_);
    lines_ = record_lines(head, *replayed_, limits);
    if (turned) turned_ = std::make_unique<ingest::OldestFirst>(lines(), std::string(), 0, limits);
  }
  std::size_t read(std::span<char> to) override { return turned_ ? turned_->read(to) : lines().read(to); }

 private:
  ByteReader& lines() { return lines_ ? *lines_ : static_cast<ByteReader&>(*replayed_); }

  std::unique_ptr<ingest::ByteSource> source_;
  std::unique_ptr<Replayed> replayed_;
  std::unique_ptr<ByteReader> lines_, turned_;
};

// Somebody else's, from its beginning.
class TurnedAgain : public ByteReader {
 public:
  explicit TurnedAgain(ingest::OldestFirst& text) : text_(text) { text_.rewind(); }
  std::size_t read(std::span<char> to) override { return text_.read(to); }

 private:
  ingest::OldestFirst& text_;
};

// From the bytes that count here to those of the file and its lines. Whole lines only: one that the other file ends in is read again, with its
// rest; where only its line end is missing, or what blanks stand in a document between two records, there is none.
void count_lines(ByteReader& mine, Repetition& same) {
  Essence essence;
  std::string piece(kPiece, '\0');
  std::uint64_t at = 0, kept = 0, line = 0, line_kept = 0;  // `line`: where the last line begins
  const auto belongs = [&](char c) { return kept < same.bytes || (!same.whole && line_kept < same.bytes && (c == ' ' || c == '\n')); };
  for (bool more = true; more;) {
    const std::size_t got = mine.read(piece);
    more = got > 0;
    for (std::size_t i = 0; i < got && more; ++i) {
      const bool counts = essence.keeps(piece[i]);
      more = !counts || belongs(piece[i]);
      at += more;
      kept += more && counts;
      if (more && piece[i] == '\n') ++same.lines, line = at, line_kept = kept;
    }
  }
  if (same.whole && line < at) ++same.lines;
  same.bytes = same.whole ? at : line;
}

}  // namespace

std::string note_of(const Repetition& same, const InputFile& file) {
  if (same.whole) return fmt::format("{} holds nothing that is not in {}: it was read once", file.display, same.told_by);
  return fmt::format("{} {} with {} lines that are in {}, too: they were read once", file.display, same.turned ? "ends" : "begins", same.lines, same.told_by);
}

// Passes the bytes on and notes where the beginnings stand, each once, at the start of a line.
class RepeatedLines::Watch : public ByteReader {
 public:
  Watch(ByteReader& bytes, std::function<void(std::size_t, std::uint64_t)> found) : bytes_(bytes), found_(std::move(found)) {}

  void search_for(std::size_t file, std::string_view beginning) { wanted_.push_back({file, beginning}); }
  void look(std::string_view piece) {
    if (wanted_.empty()) return;
    essence_.add(piece, text_);
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
  Essence essence_;
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
    bytes_ = opened_ < files_.size() ? essence_of(lines_.opened_again(files_[opened_++])) : nullptr;
    return bytes_ != nullptr;
  }

  const RepeatedLines& lines_;
  std::vector<std::size_t> files_;
  std::size_t opened_ = 0;
  std::unique_ptr<ByteReader> bytes_;
  std::uint64_t position_ = 0;
  std::vector<std::uint64_t> ends_;  // of files, counted from the place
};

RepeatedLines::RepeatedLines(const std::vector<InputFile>& files, const ingest::DialectSet& dialects, const Limits& limits)
    : files_(files), dialects_(dialects), limits_(limits) {
  for (const InputFile& file : files) {
    ++alike_[name_of(file)];
    if (!file.member.empty()) shelves_.try_emplace(file.path, std::make_shared<ingest::ArchiveShelf>());
  }
}
RepeatedLines::~RepeatedLines() = default;

std::unique_ptr<ByteReader> RepeatedLines::opened_again(std::size_t number) const {
  std::error_code error;
  InputFile file = files_[number];
  if (file.path.empty() || !std::filesystem::is_regular_file(file.path, error)) return nullptr;
  if (!file.member.empty()) file.shelf = shelves_.at(file.path);
  auto opened = ingest::open_input(file, 0, limits_);
  return opened ? std::make_unique<LogLines>(opened.take(), turned_.count(number) > 0, limits_) : nullptr;
}

// To look at a member costs going through its archive once more.
bool RepeatedLines::is_like_another(const InputFile& file) const { return file.member.empty() || alike_.at(name_of(file)) > 1; }

const std::string& RepeatedLines::beginning(std::size_t number) {
  const auto [known, fresh] = beginnings_.try_emplace(number);
  if (!fresh || !is_like_another(files_[number])) return known->second;
  if (const auto bytes = essence_of(opened_again(number))) {
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
  const auto found = found_.find(number);
  return found == found_.end() ? Repetition() : longest(found->second, [&] { return opened_again(number); });
}

Repetition RepeatedLines::of_turned(std::size_t number, std::size_t source, ingest::OldestFirst& text) {
  const auto open = [&]() -> std::unique_ptr<ByteReader> { return std::make_unique<TurnedAgain>(text); };
  std::string head(kBeginning, '\0');
  head.resize(read_all(*essence_of(open()), head));
  std::vector<Place> places;
  std::size_t looked_at = 0;
  for (auto told = sources_.rbegin(); told != sources_.rend() && head.size() == kBeginning && looked_at < limits_.repeated_ahead_files; ++told) {
    if (told->second != source) continue;
    ++looked_at;
    const auto bytes = opened_again(told->first);
    if (!bytes) continue;
    Watch watch(*bytes, [&, file = told->first](std::size_t, std::uint64_t at) { places.push_back({file, at}); });
    watch.search_for(number, head);
    for (std::string piece(kPiece, '\0'); watch.read(piece) > 0;) {
    }
  }
  Repetition same = longest(places, open);
  same.turned = true;
  text.rewind();
  return same;
}

Repetition RepeatedLines::longest(const std::vector<Place>& places, Opener open) const {
  Repetition best;
  for (const Place& place : places) {
    if (sources_.count(place.file) == 0) continue;
    if (Repetition other = compare(place, open); other.bytes > best.bytes) best = std::move(other);
  }
  return best;
}

// Alike to the end of one of the two, or to the end of a file in between: what is alike for a while only is no copy.
Repetition RepeatedLines::compare(const Place& place, Opener open) const {
  auto mine = essence_of(open());
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
  mine.reset();
  if (!tells_times(open, same)) return {};
  if (const auto again = open()) count_lines(*again, same);
  return same;
}

// The repeated lines themselves: a time elsewhere in either log says nothing of whether a second process wrote them.
bool RepeatedLines::tells_times(Opener open, const Repetition& same) const {
  const auto mine = essence_of(open());
  if (!mine) return false;
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(same.bytes, kHeadBytes)), '\0');
  head.resize(read_all(*mine, head));
  return ingest::LogParser(dialects_, {}, limits_).calibrate(head).has_times;
}

LogLooker::Start LogWatch::left_out(ingest::OldestFirst& turned) {
  const Repetition same = lines_.of_turned(number_, source_, turned);
  if (same.bytes > 0) left_out_(same);
  return {same.bytes, same.lines};
}

}  // namespace mcpscan::pipeline
