// JsonRecordLines: a document that holds log records in an array (gcloud --format=json, aws logs get-log-events and filter-log-events,
// CloudWatch subscription records and Insights results, Datadog's and Loki's query results, an Elasticsearch hit list, Claude Code's MCP
// logs up to 1.x) as JSON lines, one record a line, so that every reader of JSON lines reads it. Line N is record N. Records that are
// objects keep their bytes: offsets are those of the document, less what stood before the first record. Loki's pairs become the objects
// that logcli -o jsonl writes, and Insights' lists of fields become objects.
// A record that does not end is given up where a line begins as records begin, or at a line break inside a string; the next one is found.
// Ownership: `bytes` outlives it. Threads: one. Memory: one chunk; one record of those that are rewritten (Limits::line_bytes).
// Bound: Limits::json_depth for what stands around the array.
// Source: RFC 8259; AWS CloudWatch Logs API; Datadog API v2 logs; Loki HTTP API; Elasticsearch search API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/limits.h"

namespace mcpscan::ingest {

struct RecordForm {
  enum class Kind : std::uint8_t { objects, pairs, fields };
  std::string_view path;       // of a record: keys joined by dots, [] for an element of an array
  std::string_view beside;     // of an object that all records behind it share; empty: none
  Kind kind = Kind::objects;
};

// The form of the document that begins here; nullptr: none. An array on one line is a JSON-RPC batch unless its elements name a time.
const RecordForm* record_form(std::string_view head);

class JsonRecordLines : public ByteReader {
 public:
  JsonRecordLines(ByteReader& bytes, const RecordForm& form, const Limits& limits) : bytes_(bytes), form_(form), limits_(limits) {}
  std::size_t read(std::span<char> to) override;

 private:
  struct Level {
    bool array = false, holds_records = false;
    std::size_t path_bytes = 0;   // of path_ without this level
  };
  void take(char c);
  void take_outside(char c);
  void take_name(char c);
  void open(char c);
  void close();
  void pad();
  bool begins_record(char c) const;
  void begin_record(char c);
  void end_record();
  void take_in_string(char c);
  void take_in_record(char c);
  void put(char c);
  void write_pair();
  void write_fields();
  bool begins_anew(char c) const;

  ByteReader& bytes_;
  const RecordForm& form_;
  const Limits& limits_;
  std::string out_;
  std::size_t out_at_ = 0;
  std::vector<Level> levels_;            // around the records
  std::string path_, name_, record_, beside_;
  std::string* target_ = nullptr;        // what is being gathered: out_, record_ or beside_
  std::size_t depth_ = 0;                // brackets open inside the record
  std::size_t too_deep_ = 0;             // levels beyond Limits::json_depth
  std::size_t indent_ = 0;               // blanks at the beginning of this line
  std::size_t record_indent_ = 0;        // of the line that a record began; 0: records do not begin lines
  bool at_line_start_ = true, in_string_ = false, escaped_ = false, in_name_ = false;
  bool any_ = false;                     // a record was begun
  bool gap_ = false;                     // a byte between records is held back: it becomes the line end
};

}  // namespace mcpscan::ingest
