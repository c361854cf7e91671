// SessionTags: short names for the sessions of a timeline, 1, 2, 3 ... in the order in which they appear. A session keeps its tag when its id
// becomes known. Owns copies of the names. Threads: one. Bound: Limits::sessions sessions; one beyond has the tag 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/limits.h"
#include "model/timeline_format.h"

namespace mcpscan::report {

class SessionTags {
 public:
  // `news` says that the session is new, or is called otherwise than before.
  std::uint32_t of(const model::TimelineRow& row, bool& news) {
    const std::string& name = row.session->label;
    const std::uint64_t key = std::uint64_t{row.tracker} << 32 | row.session->index;
    const auto found = tags_.find(key);
    const bool room = tags_.size() < Limits{}.sessions;
    news = found == tags_.end() ? room : found->second.name != name;
    if (found == tags_.end() && !room) return 0;
    Tag& tag = found == tags_.end() ? tags_[key] : found->second;
    if (!news) return tag.number;
    if (tag.number == 0) tag.number = static_cast<std::uint32_t>(tags_.size());
    tag.name = name;
    by_name_.emplace(name, tag.number);
    return tag.number;
  }
  // Of the session that findings call so; 0: none.
  std::uint32_t find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : found->second;
  }

 private:
  struct Tag {
    std::uint32_t number = 0;
    std::string name;
  };
  std::unordered_map<std::uint64_t, Tag> tags_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace mcpscan::report
