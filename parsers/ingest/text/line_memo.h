// LineMemo: most lines of a log begin with a date and clock and go on with words that came before. What the rules say of a line depends on
// the bytes that they looked at (Captures::seen_to); the memo keeps those bytes behind the time with what they came to, so that a later
// line with the same ones costs a hash and a compare. It decides nothing: what it gives is what the rules gave for equal bytes.
// Not remembered: records of several lines, access lines, records with a time of their own, what a framing says of the line.
// Ownership: entries own what they keep; what they give points into the line asked about and the arena given. A memo serves one LogParser,
// one block after the other. Not thread-safe: one a worker. Bound: kEntries, kStarts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "ingest/text/log_record.h"
#include "ingest/text/memo_table.h"
#include "ingest/text/rule_table.h"
#include "ingest/text/time_formats.h"

namespace mcpscan::ingest {

class LineMemo {
 public:
  static constexpr std::size_t kEntries = 1024;  // heads remembered: some dozens of statements, and those that name a session once for each
  static constexpr std::size_t kFirstEntries = 128;  // a short log never fills them
  static constexpr std::size_t kStarts = 64;     // first words, each with the lengths of the heads that begin with them
  static constexpr std::size_t kStartBytes = 24;
  static constexpr std::size_t kLengths = 16;
  static constexpr std::size_t kHeadBytes = 400; // longer heads are not remembered
  static constexpr std::size_t kDateBytes = 11;  // 2026-11-29T

  // Where a view of a line stands behind the line's time.
  struct Part {
    std::uint16_t at = 0, size = 0;
    // False when the view is not within `head`, the bytes behind the time that are remembered.
    bool take(std::string_view view, std::string_view head);
    std::string_view of(std::string_view tail) const { return size == 0 ? std::string_view{} : std::string_view(tail.data() + at, size); }
  };

  struct Entry {
    std::string head_text;      // time and head of the line it was learned from
    std::size_t time_bytes = 0;
    std::size_t head_bytes = 0; // behind the time; what the rules looked at
    bool to_end = false;        // they saw that the line ends there
    bool unframed = false;      // Framer::begins_unframed() of each line that fits
    std::uint64_t serial = 0;   // of what it holds; another head may take its place
    RecordHead head;
    std::array<Part, 5> head_parts;        // level, logger, session, process, peer
    std::size_t next_prefix = 0;
    LogRecord record;           // `at`, `source`, `line` are the line's own
    std::array<Part, 4> record_parts;      // level, logger, session, peer
    model::Notice notice;
    std::array<Part, 3> notice_parts;      // key, second_key, tool
    bool has_notice = false;
    std::size_t text_at = 0, body_at = 0;  // where the line's text and body begin, behind the time; 0: no body
    std::uint16_t successor = 0;           // the entry of the line that followed the last one of this head
  };

  // Between blocks: what find() gave before is void.
  void make_room();
  // What is known of a line with the same head, with `at` set to this line's own time; null when nothing is.
  const Entry* find(std::string_view line, TimeReader& times, Time& at);
  // Takes `record`, told by a line as a whole, into the memo if what the rules looked at, up to `seen_to`, tells all of it but its text
  // and body, and `head` begins with a time in any form.
  void learn(std::string_view line, const RecordHead& head, std::size_t next_prefix, const LogRecord& record, const char* seen_to, TimeReader& times);
  // The record, and the head, of a line that find() gave the entry for; the record is good until the next call.
  LogRecord& record_of(const Entry& entry, std::string_view line, Arena& arena);
  static RecordHead head_of(const Entry& entry, std::string_view line);
  static std::string_view process_of(const Entry& entry, std::string_view line) { return entry.head_parts[3].of(line.substr(entry.time_bytes)); }

 private:
  struct Start {
    std::array<char, kStartBytes> bytes{};
    std::array<std::uint16_t, kLengths> lengths{};
    std::uint8_t count = 0, next = 0;
  };
  static bool fits(const Entry& entry, std::string_view line, std::size_t time_bytes);
  Start& start_of(std::string_view tail);
  static bool take_views(Entry& entry, std::string_view head_bytes);
  const Entry* follow(Entry& entry);

  MemoTable<Entry, kEntries, kFirstEntries> entries_;
  std::vector<Start> starts_;
  std::uint16_t last_ = 0;   // the entry found last: statements come in turns
};

}  // namespace mcpscan::ingest
