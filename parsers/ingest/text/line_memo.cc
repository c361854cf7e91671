#include "ingest/text/line_memo.h"

#include "base/hash.h"
#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kDateBytes = 11;  // 2026-11-29T

// Two times written alike: the same date, and digits where the other has digits. No rule can tell them apart but by their value.
bool written_alike(std::string_view a, std::string_view b, std::size_t bytes) {
  if (std::memcmp(a.data(), b.data(), kDateBytes) != 0) return false;
  for (std::size_t i = kDateBytes; i < bytes; ++i) {
    if (a[i] != b[i] && !(is_digit(a[i]) && is_digit(b[i]))) return false;
  }
  return true;
}

}  // namespace

LineMemo::Entry* LineMemo::find(std::string_view line, TimeReader& times, Time& at) {
  asked_ = {};
  if (line.size() <= kDateBytes || line.size() > kTailBytes || !is_digit(line[0])) return nullptr;
  const std::size_t time_bytes = times.read_first(line, at);
  if (time_bytes < kDateBytes || time_bytes == line.size()) return nullptr;
  const std::string_view tail = line.substr(time_bytes);
  asked_ = line;
  asked_time_ = time_bytes;
  asked_place_ = hash_bytes(tail) % kEntries;
  if (entries_.empty()) return nullptr;
  Entry& entry = entries_[asked_place_];
  const bool same = entry.time_bytes == time_bytes && entry.line.size() == line.size() && entry.line.substr(time_bytes) == tail;
  if (!same || !written_alike(entry.line, line, time_bytes)) return nullptr;
  entry.seen_again = true;
  return &entry;
}

LineMemo::Entry* LineMemo::learn(std::string_view line, const RecordHead& head, std::size_t next_prefix) {
  if (asked_.data() != line.data() || asked_.size() != line.size() || !head.behind_any_time) return nullptr;
  if (entries_.empty()) entries_.resize(kEntries);
  Entry& entry = entries_[asked_place_];
  entry.line = line;
  entry.time_bytes = asked_time_;
  entry.head = head;
  entry.next_prefix = next_prefix;
  entry.serial = ++serial_;
  entry.seen_again = entry.tried = entry.whole = false;
  return &entry;
}

}  // namespace mcpscan::ingest
