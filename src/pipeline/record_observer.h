// RecordObserver: one log record in, its observations out: the only place where the undecoded body of a record (ingest) meets the
// message reader (app). One a worker; it owns the reader's scratch memory. What it yields lives in the block's arena.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "app/message_reader.h"
#include "base/arena.h"
#include "base/limits.h"
#include "ingest/text/log_record.h"
#include "model/anomaly.h"
#include "model/observation.h"
#include "model/record_times.h"
#include "pipeline/surroundings_memo.h"

namespace mcpscan::pipeline {

// What a block of a log came to. Reused from block to block.
struct ParsedBlock {
  Arena arena;
  std::vector<model::Observation> observations;
  model::Books books;
  model::AnomalyLog anomalies;
  std::vector<std::uint64_t> records_by_dialect;  // index: LogRecord::dialect; the last one counts the general dialect
  Time rich_time;                      // of the last row of Rich's
  std::vector<std::size_t> left_out;   // observations whose time is that of the last such row before the block
  model::RecordTimes times;

  void clear();
  // A record for the books, under a reason that lives as long as the block; settle() enters them all.
  void ignore(std::string_view reason, std::uint64_t lines) { tally(reason, false) += lines; }
  void malform(std::string_view reason, std::uint64_t lines) { tally(reason, true) += lines; }
  void settle();

 private:
  struct Tally {
    std::string_view reason;
    bool malformed = false;
    std::uint64_t lines = 0;
  };
  std::uint64_t& tally(std::string_view reason, bool malformed);
  std::vector<Tally> tallies_;  // a handful of reasons a block
};

class RecordObserver {
 public:
  // `vantage_of` tells of each dialect who writes it. With `tokens_are_sessions` an id before a message that no word names is its session's.
  explicit RecordObserver(const Limits& limits, std::vector<model::Vantage> vantage_of = {}, bool tokens_are_sessions = false)
      : limits_(limits), reader_(limits), vantage_of_(std::move(vantage_of)), tokens_are_sessions_(tokens_are_sessions) {}
  void observe(const ingest::LogRecord& record, ParsedBlock& block);

 private:
  void tell(const ingest::LogRecord& record, ParsedBlock& block);
  void tell_known(const ingest::LogRecord& record, ParsedBlock& block);
  model::Observation base_of(const ingest::LogRecord& record) const;
  static void tell_gap(const model::Observation& base, std::string_view reason, bool whole_input, ParsedBlock& block);
  void observe_body(const ingest::LogRecord& record, std::string_view body, app::Codec codec, bool lenient, const model::Observation& base, ParsedBlock& block);
  void observe_partner(const ingest::LogRecord& record, std::size_t first, const model::Observation& base, ParsedBlock& block);
  void malform(const ingest::LogRecord& record, ParsedBlock& block);
  const model::Notice* with_id_of_body(const ingest::LogRecord& record, ParsedBlock& block);
  const model::Notice* with_own_words(const ingest::LogRecord& record, const model::Notice& told, ParsedBlock& block);
  void observe_exchange(const ingest::LogRecord& record, model::Observation seen, ParsedBlock& block);
  void observe_unknown(const ingest::LogRecord& record, ParsedBlock& block);

  const Limits& limits_;
  app::MessageReader reader_;
  std::vector<model::Vantage> vantage_of_;  // by LogRecord::dialect
  SurroundingsMemo surroundings_;
  bool tokens_are_sessions_;
};

}  // namespace mcpscan::pipeline
