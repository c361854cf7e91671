#include "ingest/text/oldest_first.h"

#include <fmt/format.h>

#include <algorithm>

#include "ingest/text/char_class.h"
#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

enum class Beginning : std::uint8_t { none, brace, bracket, digit, letter };

// What kind of byte a record of this log begins with. A letter does when the log begins so, which leaves tracebacks apart only by their blanks.
Beginning beginning_of(std::string_view line) {
  if (line.empty()) return Beginning::none;
  if (line[0] == '{') return Beginning::brace;
  if (line[0] == '[' || line[0] == '<') return Beginning::bracket;
  if (is_digit(line[0])) return Beginning::digit;
  return is_a(line[0], kLetter) ? Beginning::letter : Beginning::none;
}

}  // namespace

OldestFirst::OldestFirst(ByteReader& bytes, std::string head, std::uint32_t input, const Limits& limits) : bytes_(bytes), text_(std::move(head)) {
  constexpr std::size_t kChunkBytes = 1 << 20;
  for (std::size_t got = 1; got > 0 && text_.size() < limits.newest_first_bytes;) {
    const std::size_t had = text_.size();
    text_.resize(std::min(had + kChunkBytes, limits.newest_first_bytes));
    got = bytes_.read({text_.data() + had, text_.size() - had});
    text_.resize(had + got);
  }
  if (text_.size() < limits.newest_first_bytes) {
    turn_round();
    return;
  }
  anomalies_.add({"newest-first-bound",
                  fmt::format("the newest record comes first, and the input is longer than {} MiB (newest_first_bytes): it is read as it stands, replies before requests",
                              limits.newest_first_bytes >> 20),
                  {input, model::PlaceKind::line, 1, 0}});
}

void OldestFirst::turn_round() {
  if (std::string_view(text_).starts_with(kUtf8Mark)) text_.erase(0, kUtf8Mark.size());
  if (!text_.empty() && text_.back() != '\n') text_ += '\n';
  const std::string_view text = text_;
  const Beginning usual = beginning_of(text);
  std::uint64_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string_view one = text.substr(at, end - at);
    if (groups_.empty() || (beginning_of(one) == usual && usual != Beginning::none)) groups_.push_back({at, 0, line, 0, 0});
    groups_.back().size = end - groups_.back().offset;
    at = end;
  }
  std::reverse(groups_.begin(), groups_.end());
  std::uint64_t new_line = 1, new_offset = 0;
  for (Group& group : groups_) {
    group.new_line = new_line;
    group.new_offset = new_offset;
    const std::string_view lines = text.substr(group.offset, group.size);
    new_line += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
    new_offset += group.size;
  }
}

std::size_t OldestFirst::read(std::span<char> to) {
  std::size_t filled = 0;
  while (filled < to.size() && group_ < std::max<std::size_t>(groups_.size(), 1)) {
    const std::string_view piece = groups_.empty() ? std::string_view(text_) : std::string_view(text_).substr(groups_[group_].offset, groups_[group_].size);
    const std::size_t count = std::min(to.size() - filled, piece.size() - at_);
    std::copy_n(piece.data() + at_, count, to.data() + filled);
    filled += count;
    at_ += count;
    if (at_ == piece.size()) ++group_, at_ = 0;
  }
  if (filled == 0 && groups_.empty()) return bytes_.read(to);
  return filled;
}

model::SourceRef OldestFirst::original(model::SourceRef place) const {
  const auto behind = std::upper_bound(groups_.begin(), groups_.end(), place.number, [](std::uint64_t number, const Group& group) { return number < group.new_line; });
  if (behind == groups_.begin()) return place;
  const Group& group = *(behind - 1);
  place.number = group.line + (place.number - group.new_line);
  if (place.offset >= group.new_offset) place.offset = group.offset + (place.offset - group.new_offset);
  return place;
}

}  // namespace mcpscan::ingest
