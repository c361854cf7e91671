// For the tests of the log parser: the embedded dialects loaded once, text parsed whole or in blocks cut where records begin,
// records as comparable text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "ingest/text/dialect.h"
#include "ingest/text/log_parser.h"

namespace mcpscan::tests {

inline const ingest::DialectSet& all_dialects() {
  static const ingest::DialectSet set = [] {
    ingest::DialectSet loaded;
    for (const EmbeddedFile& file : embedded_dialects()) {
      if (Status status = loaded.add(file.text, file.path); !status) throw std::runtime_error(status.error().to_string());
    }
    return loaded;
  }();
  return set;
}

// One record as the values of sample fields.
struct Read {
  ingest::RecordKind kind;
  std::string notice, at, transport_at, text, line, body, codec, session, keying, direction, reason, key, dialect, logger, level, peer, status, path;
  std::string all;   // every other field of a sample
  std::uint32_t lines = 0;
  std::uint64_t number = 0, offset = 0, process = 0;
  bool malformed = false;
  Time rich_time;    // of a row of Rich's

  bool operator==(const Read&) const = default;
};

inline Read copy_of(const ingest::LogParser& parser, const ingest::LogRecord& r) {
  const auto value = [&r](std::string_view field) { return ingest::sample_value(r, field); };
  Read read;
  read.kind = r.kind;
  read.notice = value("notice"), read.at = value("at"), read.text = value("text"), read.body = value("body"), read.codec = value("codec");
  read.transport_at = r.transport_at.known() ? format_rfc3339(r.transport_at) : "";
  read.line = r.line;
  read.session = value("session"), read.keying = value("keying"), read.direction = value("direction"), read.reason = value("reason");
  if (r.notice != nullptr) read.reason += r.notice->reason;
  read.key = value("key"), read.logger = value("logger"), read.level = value("level"), read.peer = value("peer"), read.status = value("status");
  read.path = value("path");
  for (const std::string_view field : ingest::sample_fields()) read.all += value(field) + '\n';
  read.dialect = parser.dialects()[r.dialect];
  read.rich_time = r.rich_time ? r.at : Time{};
  read.lines = r.lines, read.number = r.source.number, read.offset = r.source.offset, read.process = r.process, read.malformed = r.malformed;
  return read;
}

struct Parsed {
  std::vector<Read> records;
  ingest::Calibration calibration;

  std::size_t lines() const {
    std::size_t sum = 0;
    for (const Read& read : records) sum += read.lines;
    return sum;
  }
};

// `rich_time`: of the blocks before, handed on as the pipeline does.
inline std::vector<Read> parse_block(const ingest::LogParser& parser, std::string_view bytes, std::uint64_t first_line = 1, std::uint64_t offset = 0,
                                     ingest::ParserMemo* memo = nullptr, Time rich_time = {}) {
  ingest::TextBlock block;
  block.bytes = bytes;
  block.first_line = first_line;
  block.offset = offset;
  Arena arena;
  std::vector<Read> records;
  const auto take = [&](ingest::LogRecord record) {
    if (record.rich_time && record.at.known()) rich_time = record.at;
    if (record.rich_time) record.at = rich_time;
    records.push_back(copy_of(parser, record));
  };
  if (memo) parser.parse(block, 0, arena, take, *memo);
  else parser.parse(block, 0, arena, take);
  return records;
}

inline Parsed parse(std::string_view bytes, const ingest::ParserOptions& options = {}, const Limits& limits = {}) {
  ingest::LogParser parser(all_dialects(), options, limits);
  Parsed parsed;
  parsed.calibration = parser.calibrate(bytes);
  parsed.records = parse_block(parser, bytes);
  return parsed;
}

// Line starts of a text.
inline std::vector<std::size_t> line_starts(std::string_view bytes) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos && at + 1 < bytes.size(); at = bytes.find('\n', at + 1)) starts.push_back(at + 1);
  return starts;
}

// The same text as two blocks for each place where the border test allows a cut: must give the same records. Returns how many there were.
inline std::size_t cut_everywhere(std::string_view bytes, bool& same) {
  ingest::LogParser parser(all_dialects(), {}, {});
  parser.calibrate(bytes);
  const std::vector<Read> whole = parse_block(parser, bytes);
  const std::vector<std::size_t> starts = line_starts(bytes);
  std::size_t cuts = 0;
  same = true;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    const std::string_view before = bytes.substr(starts[i - 1], starts[i] - 1 - starts[i - 1]);
    const std::string_view line = bytes.substr(starts[i], std::min(bytes.find('\n', starts[i]), bytes.size()) - starts[i]);
    if (!parser.starts_record(before, line)) continue;
    ++cuts;
    std::vector<Read> parts = parse_block(parser, bytes.substr(0, starts[i]));
    Time rich_time;
    for (const Read& read : parts) rich_time = read.rich_time.known() ? read.rich_time : rich_time;
    for (Read& read : parse_block(parser, bytes.substr(starts[i]), i + 1, starts[i], nullptr, rich_time)) parts.push_back(std::move(read));
    same = same && parts == whole;
  }
  return cuts;
}

}  // namespace mcpscan::tests
