// LogParser: blocks of log text in, LogRecords out. Layers, as in docs/architecture.md: framings (docker json-file, CRI,
// journald, syslog, JSON lines; up to Limits::framing_depth of them stacked), record prefix (time, level, logger), dialect message.
// Everything is told line by line in an order that calibrate() fixes from the head of the file, so the result never depends
// on block borders or threads. No regular expression runs on every line: dialect patterns are literals with typed holes, found by their first
// bytes; a dialect's `regex` runs only behind its required literal.
// Threads: parse() is const and may run in several threads at once; calibrate() comes before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/embedded_file.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "base/proof.h"
#include "base/result.h"
#include "base/time.h"
#include "ingest/text/block_reader.h"
#include "ingest/text/log_record.h"

namespace mcpscan::ingest {

struct ParserMemo;

// The dialects known to a run. Loaded once, shared by all parsers.
class DialectSet {
 public:
  struct State;
  DialectSet();
  ~DialectSet();
  DialectSet(DialectSet&&) noexcept;
  // Loads YAML text; on an error (unknown key, bad pattern, no samples, a sample that does not give its fields, or one that another
  // dialect scores higher on) the set is unchanged. `path` is for messages: file:line, caret, hint.
  Status add(std::string_view yaml, std::string_view path, Proof proof = Proof::asked);
  // From here on a dialect does not load either when it takes, or spoils, a sample of those loaded so far: a user's file must not
  // disable the built-in ones.
  void protect();
  // The checks that need all dialects: each wins on its own samples.
  std::vector<Error> check_samples() const;
  struct Summary { std::string name, title, reference, vantage, enable; std::size_t samples, not_samples; };
  std::vector<Summary> summaries() const;
  bool contains(std::string_view name) const;

 private:
  friend class LogParser;
  std::shared_ptr<State> state_;
};

struct ParserOptions {
  std::string time_zone = "UTC";   // for times without a zone
  std::string dialect;             // --dialect: only this one's messages (the general one stays); empty: all
  std::int64_t year_hint = 0;      // for times without a year: that of the head; 0: from the first full date in the head, else from `newest`
  Time newest;                     // no record is newer: when the file was last written; unknown for pipes
};

// How well each dialect fits the head of a file.
struct Calibration {
  struct Score { std::string dialect; std::uint64_t records = 0; };
  std::vector<Score> scores;       // best first
  std::string framing;             // "docker-json > python-logging", for people
  std::uint64_t records = 0, understood = 0;
  std::uint64_t first_unknown_line = 0;
  std::string first_unknown_text;
  std::size_t first_unknown_column = 0;  // offset in that text of what is not understood: framing and prefix stand before it
  bool has_times = false;
  bool newest_first = false;       // later records come first
  bool tokens_are_sessions = false;  // ids before its messages that no word names part them into sessions; see UnlabelledTokens
};

class LogParser {
 public:
  struct State;
  LogParser(const DialectSet& dialects, const ParserOptions& options, const Limits& limits);
  ~LogParser();

  // Reads the first lines of the input (decoded, at least 64 KiB if there are so many) and fixes the order of trial.
  Calibration calibrate(std::string_view head);
  // True when `line` begins a record, given the line before it (empty at the start of the input). Cheap: called for a few
  // lines at the end of each block.
  bool starts_record(std::string_view previous_line, std::string_view line) const;
  // Delivers each record of the block in order. Each physical line belongs to exactly one record: the sum of
  // LogRecord::lines equals the block's lines. Views die with `block` and `arena`.
  using Yield = FunctionRef<void(const LogRecord&)>;
  void parse(const TextBlock& block, std::uint32_t input, Arena& arena, Yield yield) const;
  // The same with what the caller's thread remembers of the blocks it parsed before, for speed alone.
  void parse(const TextBlock& block, std::uint32_t input, Arena& arena, Yield yield, ParserMemo& memo) const;
  // Names by LogRecord::dialect.
  const std::vector<std::string>& dialects() const;
  // Vantage the dialect speaks from, e.g. server for the Python SDK's server loggers.
  model::Vantage vantage_of(std::uint16_t dialect) const;
  // What would make this dialect say more (logger names and levels); empty: nothing known.
  std::string_view enable_of(std::uint16_t dialect) const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace mcpscan::ingest
