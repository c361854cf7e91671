#include "ingest/text/line_memo.h"

#include <algorithm>

#include "ingest/text/byte_words.h"
#include "ingest/text/char_class.h"
#include "ingest/text/framing.h"

namespace mcpscan::ingest {
namespace {

// Two times written alike: the same date, and digits where the other has digits. No rule can tell them apart but by their value.
bool written_alike(std::string_view a, std::string_view b, std::size_t bytes) {
  if (std::memcmp(a.data(), b.data(), LineMemo::kDateBytes) != 0) return false;
  for (std::size_t at = LineMemo::kDateBytes; at < bytes; at += 8) {
    const std::size_t from = std::min(at, bytes - 8);
    if (!alike(eight_bytes(a.data() + from), eight_bytes(b.data() + from))) return false;
  }
  return true;
}

}  // namespace

bool LineMemo::Part::take(std::string_view view, std::string_view head) {
  at = size = 0;
  if (view.empty()) return true;
  if (view.data() < head.data() || view.data() + view.size() > head.data() + head.size()) return false;
  at = static_cast<std::uint16_t>(view.data() - head.data());
  size = static_cast<std::uint16_t>(view.size());
  return true;
}

// Where everything that the entry's head, record and notice view stands; false when something stands elsewhere.
bool LineMemo::take_views(Entry& entry, std::string_view bytes) {
  const RecordHead& head = entry.head;
  const LogRecord& record = entry.record;
  entry.has_notice = record.notice != nullptr;
  entry.notice = entry.has_notice ? *record.notice : model::Notice{};
  const std::array<std::string_view, 5> of_head{head.level, head.logger, head.session, head.process, head.peer};
  const std::array<std::string_view, 4> of_record{record.level, record.logger, record.session, record.peer};
  const std::array<std::string_view, 3> of_notice{entry.notice.key, entry.notice.second_key, entry.notice.tool};
  bool all = record.outcome == nullptr && entry.notice.reason.empty();
  for (std::size_t i = 0; i < of_head.size(); ++i) all = entry.head_parts[i].take(of_head[i], bytes) && all;
  for (std::size_t i = 0; i < of_record.size(); ++i) all = entry.record_parts[i].take(of_record[i], bytes) && all;
  for (std::size_t i = 0; i < of_notice.size(); ++i) all = entry.notice_parts[i].take(of_notice[i], bytes) && all;
  return all;
}

LineMemo::Start& LineMemo::start_of(std::string_view tail) {
  const std::uint64_t mixed = (eight_bytes(tail.data()) ^ (eight_bytes(tail.data() + 8) << 1) ^ (eight_bytes(tail.data() + 16) << 2)) * 0x9e3779b97f4a7c15u;
  return starts_[(mixed >> 32) % kStarts];
}

void LineMemo::make_room() {
  if (!entries_.make_room()) return;
  starts_.clear();
  last_ = 0;
}

bool LineMemo::fits(const Entry& entry, std::string_view line, std::size_t time_bytes) {
  const std::size_t end = time_bytes + entry.head_bytes;
  if (entry.time_bytes != time_bytes || end > line.size() || (entry.to_end && end != line.size())) return false;
  // Statements of one logger differ in their last words.
  if (eight_bytes(entry.head_text.data() + end - 8) != eight_bytes(line.data() + end - 8)) return false;
  return std::memcmp(entry.head_text.data() + time_bytes, line.data() + time_bytes, entry.head_bytes) == 0 && written_alike(entry.head_text, line, time_bytes);
}

const LineMemo::Entry* LineMemo::follow(Entry& entry) {
  const auto place = static_cast<std::uint16_t>(entries_.index_of(entry));
  entries_[last_].successor = place;
  last_ = place;
  return &entry;
}

const LineMemo::Entry* LineMemo::find(std::string_view line, TimeReader& times, Time& at) {
  if (starts_.empty() || line.size() < kDateBytes + kStartBytes || !is_digit(line[0])) return nullptr;
  const std::size_t time_bytes = times.read_first(line, at);
  if (time_bytes < kDateBytes + 8 || line.size() < time_bytes + kStartBytes) return nullptr;
  Entry& expected = entries_[entries_[last_].successor];
  if (fits(expected, line, time_bytes)) return follow(expected);
  const std::string_view tail = line.substr(time_bytes);
  Start& start = start_of(tail);
  if (std::memcmp(start.bytes.data(), tail.data(), kStartBytes) != 0) return nullptr;
  for (std::size_t i = 0; i < start.count; ++i) {
    const std::size_t length = start.lengths[i];
    if (length > tail.size()) continue;
    for (Entry& entry : entries_.places_of(tail.substr(0, length))) {
      if (entry.head_bytes != length || !fits(entry, line, time_bytes)) continue;
      if (i > 0) std::swap(start.lengths[i], start.lengths[i - 1]);
      return follow(entry);
    }
  }
  return nullptr;
}

void LineMemo::learn(std::string_view line, const RecordHead& head, std::size_t next_prefix, const LogRecord& record, const char* seen_to, TimeReader& times) {
  Time at;
  if (line.size() < kDateBytes + kStartBytes || !is_digit(line[0]) || !head.behind_any_time || record.http != nullptr) return;
  const std::size_t time_bytes = times.read_first(line, at);
  const std::string_view tail = line.substr(time_bytes);
  if (time_bytes < kDateBytes + 8 || tail.size() < kStartBytes) return;
  const bool to_end = seen_to > line.data() + line.size();
  const std::size_t seen = to_end ? tail.size() : static_cast<std::size_t>(std::max(seen_to, tail.data()) - tail.data());
  const std::size_t length = std::max(seen, kStartBytes);
  const bool body_to_end = record.body.empty() || record.body.data() + record.body.size() == line.data() + line.size();
  if (length > kHeadBytes || !body_to_end) return;
  if (starts_.empty()) starts_.resize(kStarts);
  Start& start = start_of(tail);
  if (std::memcmp(start.bytes.data(), tail.data(), kStartBytes) != 0) start = Start{};
  std::memcpy(start.bytes.data(), tail.data(), kStartBytes);
  const auto known = start.lengths.begin() + start.count;
  if (std::find(start.lengths.begin(), known, length) == known) {
    if (start.count < kLengths) ++start.count;
    start.lengths[start.next] = static_cast<std::uint16_t>(length);
    start.next = static_cast<std::uint8_t>((start.next + 1) % kLengths);
  }
  Entry& entry = entries_.put(tail.substr(0, length));
  entry.head = head;
  entry.record = record;
  entry.head_bytes = take_views(entry, tail.substr(0, length)) ? length : 0;
  if (entry.head_bytes == 0) return;
  entry.head_text.assign(line.substr(0, time_bytes + length));
  entry.time_bytes = time_bytes;
  entry.to_end = to_end;
  entry.unframed = Framer::begins_unframed(line.substr(0, time_bytes + length));
  entry.next_prefix = next_prefix;
  entry.text_at = static_cast<std::size_t>(record.text.data() - tail.data());
  entry.body_at = record.body.empty() ? 0 : static_cast<std::size_t>(record.body.data() - tail.data());
  follow(entry);
}

LogRecord& LineMemo::record_of(const Entry& known, std::string_view line, Arena& arena) {
  LogRecord& record = entries_[entries_.index_of(known)].record;
  const std::string_view tail = line.substr(known.time_bytes);
  record.text = tail.substr(known.text_at);
  if (known.body_at != 0) record.body = tail.substr(known.body_at);
  record.level = known.record_parts[0].of(tail);
  record.logger = known.record_parts[1].of(tail);
  record.session = known.record_parts[2].of(tail);
  record.peer = known.record_parts[3].of(tail);
  if (known.has_notice) {
    auto* notice = arena.make<model::Notice>(known.notice);
    notice->key = known.notice_parts[0].of(tail);
    notice->second_key = known.notice_parts[1].of(tail);
    notice->tool = known.notice_parts[2].of(tail);
    record.notice = notice;
  }
  return record;
}

RecordHead LineMemo::head_of(const Entry& entry, std::string_view line) {
  const std::string_view tail = line.substr(entry.time_bytes);
  RecordHead head = entry.head;
  head.level = entry.head_parts[0].of(tail);
  head.logger = entry.head_parts[1].of(tail);
  head.session = entry.head_parts[2].of(tail);
  head.process = entry.head_parts[3].of(tail);
  head.peer = entry.head_parts[4].of(tail);
  return head;
}

}  // namespace mcpscan::ingest
