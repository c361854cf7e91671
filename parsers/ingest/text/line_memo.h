// LineMemo: most lines of a server's log say the same words at another time. Of such a line (a date and clock at its very start,
// then at most kTailBytes) the memo remembers what its prefix and, where the time plays no part in it, the whole record came to, so that
// the same tail costs one hash and one compare. It decides nothing: what it gives is what the rules gave for equal bytes.
// Ownership: entries point into the block and arena of one parse call and die with it. Not thread-safe. Bound: kEntries.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/text/log_record.h"
#include "ingest/text/rule_table.h"
#include "ingest/text/time_formats.h"

namespace mcpscan::ingest {

class LineMemo {
 public:
  static constexpr std::size_t kEntries = 128;   // tails remembered; a server has a few dozen such lines
  static constexpr std::size_t kTailBytes = 200; // longer lines carry bodies and never come twice

  struct Entry {
    std::string_view line;
    std::size_t time_bytes = 0;
    RecordHead head;
    std::size_t next_prefix = 0;
    std::uint64_t serial = 0;   // of what it holds; another line may take its place
    bool seen_again = false, tried = false;
    bool whole = false;         // `record` is what the line comes to when no other continues it
    LogRecord record;
  };

  // The entry of a line with the same tail, with `at` set to this line's own time; null when there is none. Then learn() may be called
  // for the line that was just looked up.
  Entry* find(std::string_view line, TimeReader& times, Time& at);
  // Null when this line is none to be remembered.
  Entry* learn(std::string_view line, const RecordHead& head, std::size_t next_prefix);

 private:
  std::vector<Entry> entries_;
  std::string_view asked_;
  std::size_t asked_place_ = 0, asked_time_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace mcpscan::ingest
