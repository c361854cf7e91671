// AccessMemo: access lines of one server differ in the client's address and port, and in their time, where the line has one. The memo keeps such
// a line with what the rules gave for it; one that is equal but for the digits there gives the same with its own address, port and time.
// Why that is sound: it learns from a line only where the first rule that can match any line of its shape (shape_memo.h) is the one that
// matched, and where nothing in the rule or the prefix asks what a digit is but the time at the start (Template::blind_to_digits).
// Lines of other traffic, which give nothing, are access lines too. Not remembered: what `lines` of ParserMemo keeps, records with messages,
// notices or durations.
// Ownership: entries own what they keep; what they give points into the line asked about and the arena given. A memo serves one LogParser,
// one block after the other. Not thread-safe: one a worker. Bound: kEntries lines of at most ShapeMemo::kBytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "ingest/text/line_memo.h"
#include "ingest/text/log_record.h"
#include "ingest/text/memo_table.h"
#include "ingest/text/shape_memo.h"
#include "ingest/text/template.h"
#include "ingest/text/time_formats.h"

namespace mcpscan::ingest {

class AccessMemo {
 public:
  static constexpr std::size_t kEntries = 512, kFirstEntries = 64;   // a short log never fills the first
  static constexpr std::size_t kMostTexts = 8;   // views of the line in one record

  struct Entry {
    // A view of the line: of HttpFacts where `of_http`, else of LogRecord.
    struct Text {
      std::string_view LogRecord::*of_record = nullptr;
      std::string_view model::HttpFacts::*of_http = nullptr;
      LineMemo::Part part;
    };
    alignas(8) std::array<char, ShapeMemo::kBytes> shape{}, line{}, fixed{};   // fixed: no bit where a digit may be another one
    std::uint16_t size = 0;
    std::uint16_t time_bytes = 0;
    std::uint16_t port_at = 0, port_size = 0;   // 0: the line tells no port
    std::uint64_t serial = 0;   // of what it holds; another line may take its place
    LogRecord record;           // without its views; `http` only tells whether it has any
    model::HttpFacts http;
    std::array<Text, kMostTexts> texts;
    std::size_t text_count = 0;
  };

  // Between blocks: what find() gave before is void.
  void make_room() { entries_.make_room(); }
  // What is known of a line like this one, with `at` set to its own time; null when nothing is.
  const Entry* find(std::string_view line, TimeReader& times, Time& at);
  // Takes `record`, told by a line as a whole: by a rule with these captures, behind a prefix that begins with a time or has none.
  void learn(std::string_view line, bool begins_with_time, const LogRecord& record, const Captures& captures, TimeReader& times);
  // The record of a line that find() gave the entry for; it is good until the next call.
  LogRecord& record_of(const Entry& entry, std::string_view line, Arena& arena);

 private:
  ShapeMemo shapes_;            // for its shape() alone
  MemoTable<Entry, kEntries, kFirstEntries> entries_;
  LogRecord record_;
};

}  // namespace mcpscan::ingest
