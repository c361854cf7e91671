#include "pipeline/known_evidence.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/hash.h"
#include "ingest/raw_file.h"

namespace mcpscan::pipeline {

using history::KnownFile;
using ingest::InputFile;
using model::FileMark;

namespace {

constexpr std::size_t kHeadBytes = 4096, kTailBytes = 4096;
constexpr std::size_t kTellingBytes = 256;  // a shorter beginning may be that of many files

// Digest of the last bytes before `end`, and the byte right before it; none where the bytes end earlier.
struct Tail {
  std::uint64_t digest = 0;
  bool ends_line = false;
};
std::optional<Tail> tail_from(ByteReader& bytes, std::uint64_t skip, std::uint64_t end) {
  std::string tail, piece(1 << 16, '\0');
  for (std::uint64_t at = skip; at < end;) {
    const std::size_t got = bytes.read({piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - at))});
    if (got == 0) return std::nullopt;
    tail.append(piece, 0, got);
    if (tail.size() > kTailBytes) tail.erase(0, tail.size() - kTailBytes);
    at += got;
  }
  return Tail{hash_bytes(tail), tail.empty() || tail.back() == '\n'};
}

std::optional<Tail> tail_before(const InputFile& file, std::uint64_t end, bool compressed, const Limits& limits) {
  if (!compressed && file.member.empty()) {
    auto raw = ingest::RawFile::open(file.path);
    const std::uint64_t from = end - std::min<std::uint64_t>(end, kTailBytes);
    if (!raw || !(*raw)->seek(from)) return std::nullopt;
    return tail_from(**raw, from, end);
  }
  InputFile again = file;
  again.shelf = nullptr;
  auto opened = ingest::open_input(again, 0, limits);
  if (!opened) return std::nullopt;
  return tail_from(**opened, 0, end);
}

std::string absolute(const InputFile& file) {
  std::error_code error;
  const auto path = std::filesystem::weakly_canonical(file.path, error);
  return (error ? file.path : path.string()) + (file.member.empty() ? std::string() : "!/" + file.member);
}

bool is_same_name(const FileMark& a, const FileMark& b) { return a.path == b.path || (a.inode != 0 && a.inode == b.inode && a.device == b.device); }

}  // namespace

std::int64_t KnownEvidence::number_of(const std::string& source) const {
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const KnownFile& file) { return file.source == source; });
  return found == files_.end() ? 0 : found->number;
}

bool KnownEvidence::has_open_calls(const std::string& source, std::int64_t but) const {
  return std::any_of(files_.begin(), files_.end(), [&](const KnownFile& file) {
    return file.source == source && file.number != but && !file.mark.whole && file.mark.resume_bytes < file.mark.bytes;
  });
}

FileMark KnownEvidence::mark_of(const InputFile& file, const std::string& head, bool as_log) const {
  FileMark mark;
  mark.path = absolute(file);
  struct stat status {};
  if (stat(file.path.c_str(), &status) == 0) {
    mark.device = status.st_dev;
    mark.inode = status.st_ino;
    mark.seen_bytes = static_cast<std::uint64_t>(status.st_size);
  }
  mark.head_bytes = std::min(head.size(), kHeadBytes);
  mark.head_digest = hash_bytes(std::string_view(head).substr(0, mark.head_bytes));
  mark.whole = !as_log;
  return mark;
}

void KnownEvidence::settle(const InputFile& file, std::uint64_t bytes, std::uint64_t lines, bool compressed, FileMark& mark) const {
  mark.bytes = mark.whole ? mark.seen_bytes : bytes;
  mark.lines = lines;
  mark.resume_bytes = mark.bytes;
  mark.resume_line = lines + 1;
  const auto tail = tail_before(file, mark.bytes, compressed && !mark.whole, limits_);
  if (tail) mark.tail_digest = tail->digest;
}

// Of several that fit the one that was read farthest.
const KnownFile* KnownEvidence::find(const InputFile& file, const std::string& head, bool compressed, const FileMark& now) const {
  const KnownFile* best = nullptr;
  for (const KnownFile& known : files_) {
    const FileMark& mark = known.mark;
    if (mark.head_bytes == 0 || mark.head_bytes > head.size() || mark.whole != now.whole || (best && best->mark.bytes >= mark.bytes)) continue;
    if (hash_bytes(std::string_view(head).substr(0, mark.head_bytes)) != mark.head_digest) continue;
    if (mark.head_bytes < kTellingBytes && !is_same_name(mark, now)) continue;
    const bool untouched = is_same_name(mark, now) && mark.seen_bytes == now.seen_bytes && compressed;
    const auto tail = untouched ? std::nullopt : tail_before(file, mark.bytes, compressed && !mark.whole, limits_);
    if (untouched || (tail && tail->digest == mark.tail_digest)) best = &known;
  }
  return best;
}

ReadingStart KnownEvidence::start_of(const InputFile& file, const std::string& head, bool as_log, bool compressed) const {
  ReadingStart start;
  if (file.path.empty() || head.empty()) return start;
  const FileMark now = mark_of(file, head, as_log);
  const KnownFile* known = find(file, head, compressed, now);
  if (!known) {  // an export that was written anew, or a log that grows at its beginning
    const auto same = std::find_if(files_.begin(), files_.end(), [&](const KnownFile& other) { return other.mark.whole && other.mark.path == now.path; });
    if (same == files_.end()) return start;
    start.known = same->number;
    start.unchanged = same->mark.seen_bytes == now.seen_bytes && same->mark.head_digest == now.head_digest;
    start.replaces = !start.unchanged;
    return start;
  }
  const FileMark& mark = known->mark;
  start.known = known->number;
  const bool same = mark.seen_bytes == now.seen_bytes;
  if (same && (now.whole || mark.resume_bytes == mark.bytes)) return start.unchanged = true, start;
  if (now.whole) return start.replaces = true, start;
  start.judged_lines = mark.lines;
  const auto before = tail_before(file, mark.resume_bytes, compressed, limits_);
  if (!before || !before->ends_line) return start;
  start.offset = mark.resume_bytes;
  start.line = mark.resume_line;
  return start;
}

}  // namespace mcpscan::pipeline
