// RecordReader: the lines of one block in, LogRecords out. Takes the framings off each line, tells whether it begins a record or
// continues the open one of its process, and interprets a record when the next begins: prefix, then message, over all dialects.
// Not thread-safe: one a parse call. Records come out in the order of their first lines.
// Bounds: Limits::record_lines, record_bytes, open_records.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ingest/text/crash_dump.h"
#include "ingest/text/parser_memo.h"
#include "ingest/text/parser_state.h"
#include "ingest/text/rich_rows.h"

namespace mcpscan::ingest {

class RecordReader {
 public:
  RecordReader(const LogParser::State& state, std::uint32_t input, Arena& arena, LogParser::Yield yield, ParserMemo& memo);

  // All lines of `bytes`, the first of which has the number and offset given; then whatever is still open.
  void read(std::string_view bytes, std::uint64_t first_line, std::uint64_t offset);

 private:
  struct Open {
    model::SourceRef source;
    std::uint32_t lines = 1;
    std::string_view line, text;               // text: while the pieces follow each other in memory
    std::vector<std::string_view> pieces;      // else
    std::vector<bool> glued;                   // piece i continues piece i-1 without a line end
    std::size_t bytes = 0;
    Time last_line;                            // of the framing
    Frame frame;
    RecordHead head;
    std::size_t next_prefix = 0;
    const LineMemo::Entry* known = nullptr;    // what the memo holds for its first line ...
    const AccessMemo::Entry* access = nullptr; // the other memo; then its head was not read
    std::uint64_t known_serial = 0;            // ... as long as it still does
    const char* seen_to = nullptr;             // what was looked at of the first line to read its head
    CrashDump dump;
    bool rich = false, traceback = false, closed = false, too_long = false;
    bool cut = false;                          // of its first line more pieces are to come
  };

  // The record of a line that the memo knows, until the next line shows whether it goes on.
  struct Known {
    const LineMemo::Entry* entry = nullptr;
    const AccessMemo::Entry* access = nullptr;
    Time at;
    bool waits() const { return entry != nullptr || access != nullptr; }
    std::string_view payload, line;
    std::uint64_t offset = 0, number = 0;
  };

  void take_line(std::string_view line, std::uint64_t offset);
  void take_unframed(std::string_view line, std::uint64_t offset);
  bool take_known(std::string_view payload, std::string_view line, std::uint64_t offset);
  void tell_known();
  void open_known();
  void recall(const LineMemo::Entry& entry, std::string_view payload, Time at);
  std::size_t take_export(std::string_view rest);
  void take_frame(const Frame& frame, std::string_view line, std::uint64_t offset, std::uint32_t lines);
  bool begins(const Frame& frame, const Open* open);
  bool begins_rich_record(std::string_view payload, const Open* open);
  bool read_head(std::string_view payload, RecordHead& head, std::size_t& next_prefix);
  Open& fresh();
  Open* open_of(std::uint64_t process);
  Open* cut_before(const Frame& frame);
  void start(const Frame& frame, std::string_view line, std::uint64_t offset, std::uint32_t lines);
  void take_text(Open& open, const Frame& frame);
  void take_whole_line(Open& open);
  void time_row(Open& open);
  void append(Open& open, const Frame& frame, std::uint32_t lines);
  void close(Open& open);
  void flush(bool all);

  void interpret(Open& open);
  LogRecord* remembered(const Open& open);
  static void take_frame_of(const Frame& frame, std::string_view head_process, LogRecord& record);
  void interpret_anew(Open& open, LogRecord& record);
  bool plainly_captured() const;
  void learn_shapes(const Open& open, const LogRecord& record);
  void learn_access(const Open& open, const LogRecord& record);
  template <typename Table>
  void learn_shape(std::string_view text, ShapeMemo& shapes, const Table& table) const;
  std::string_view joined(Open& open);
  void tell(Open& open, std::string_view text, LogRecord& record);
  bool tell_with_head(const RecordHead& head, std::string_view text, LogRecord& record);
  bool tell_before_logger(std::string_view message, LogRecord& record);
  bool tell_loosely(const RecordHead& read, std::string_view text, LogRecord& record);
  void take_head(const RecordHead& head, LogRecord& record) const;
  bool tell_message(std::string_view message, LogRecord& record);
  void apply_match(LogRecord& record);
  void tell_stack(std::string_view text, LogRecord& record);
  void tell_early_request(std::string_view text, LogRecord& record);
  // The text of an error that stands beside or below a message nobody knows.
  void tell_error(std::string_view error, LogRecord& record);

  const LogParser::State& state_;
  std::uint32_t input_;
  Arena& arena_;
  LogParser::Yield yield_;
  TimeReader times_;
  Framer framer_;
  std::vector<std::unique_ptr<Open>> open_, spare_;   // oldest first; closed ones whose buffers are used again
  MessageMatch match_;
  ParserMemo& memo_;
  const LineMemo::Entry* found_ = nullptr;   // what a memo has for the line at hand, and its time
  const AccessMemo::Entry* found_access_ = nullptr;
  Time found_at_;
  const LineMemo::Entry* known_ = nullptr;   // of the line whose head was read last
  const AccessMemo::Entry* access_ = nullptr;
  Known pending_;                            // where it waits, no record is open
  bool plain_ = false;                       // the record being told has its time and prefix from its line's beginning
  bool shape_known_ = false;                 // that of the message looked at last
  RecordHead head_;
  std::size_t next_prefix_ = 0;
  std::uint64_t line_number_ = 0;
  std::string_view bytes_;
  std::uint64_t base_offset_ = 0;
  bool has_escapes_ = false;
  Time rich_time_;   // of the row before, for rows that leave theirs out
};

// The first row of a record that Rich wrote, with its time in whatever form, in brackets unless `bare_times`; else false.
bool read_rich_head(std::string_view payload, bool bare_times, TimeReader& times, RecordHead& head);

// The stateless border test behind LogParser::starts_record. What it accepts, RecordReader accepts too, whatever is open.
bool starts_record(const LogParser::State& state, std::string_view previous_line, std::string_view line);

}  // namespace mcpscan::ingest
