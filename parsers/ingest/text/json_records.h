// JsonRecordLines: a document that holds log records in an array (gcloud --format=json, aws logs get-log-events and filter-log-events,
// CloudWatch subscription records and Insights results, Datadog's and Loki's query results, an Elasticsearch hit list, OpenTelemetry's
// file exporter, Jaeger's and Tempo's traces, Claude Code's MCP logs up to 1.x) as JSON lines, one record a line, so that every reader of JSON lines reads it. Line N is record N. Records that are
// objects keep their bytes: offsets are those of the document, less what stood before the first record. Loki's pairs become the objects
// that logcli -o jsonl writes, Insights' lists of fields become objects, a span stands beside its resource.
// What does not end is given up where a line begins as records or documents of this input begin, or at a line break inside a string.
// Ownership: `bytes` outlives it. Threads: one. Memory: one chunk; one record of those that are rewritten (Limits::line_bytes).
// Bound: Limits::json_depth for what stands around the array.
// Source: RFC 8259; AWS CloudWatch Logs API; Datadog API v2 logs; Loki HTTP API; Elasticsearch search API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "ingest/text/record_lines.h"

namespace mcpscan::ingest {

struct RecordForm {
  enum class Kind : std::uint8_t { objects, pairs, fields, spans };
  std::string_view path;       // of a record: keys joined by dots, [] for an element of an array
  std::string_view beside;     // of an object that all records behind it share; empty: none
  Kind kind = Kind::objects;
  const RecordForm* also = nullptr;   // what may stand in the same input, for a second reading
};

// The form of the document that begins here; nullptr: none. An array on one line is a JSON-RPC batch unless its elements name a time.
const RecordForm* record_form(std::string_view head);

class JsonRecordLines : public RecordLines {
 public:
  JsonRecordLines(ByteReader& bytes, const RecordForm& form, const Limits& limits) : RecordLines(bytes), form_(form), limits_(limits) {}
  // An array of what `also` tells was passed over.
  bool saw_also() const { return saw_also_; }

 private:
  struct Level {
    bool array = false, holds_records = false;
    std::size_t path_bytes = 0;   // of path_ without this level
  };
  void take(std::string_view bytes) override;
  bool end() override;
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
  void write_span();
  bool begins_anew(char c) const;
  bool begins_document(char c) const;

  const RecordForm& form_;
  const Limits& limits_;
  std::vector<Level> levels_;            // around the records
  std::string path_, name_, record_, beside_;
  std::string* target_ = nullptr;        // what is being gathered: out_, record_ or beside_
  std::size_t depth_ = 0;                // brackets open inside the record
  std::size_t too_deep_ = 0;             // levels beyond Limits::json_depth
  std::size_t indent_ = 0;               // blanks at the beginning of this line
  std::size_t record_indent_ = 0;        // of the line that the record began
  char record_opening_ = '{';
  bool record_begins_line_ = false;
  bool flush_left_ = false;              // printed without indents: the beginning of a line tells nothing
  bool saw_also_ = false;
  bool at_line_start_ = true, in_string_ = false, escaped_ = false, in_name_ = false;
  bool any_ = false;                     // a record was begun
  bool gap_ = false;                     // a byte between records is held back: it becomes the line end
};

}  // namespace mcpscan::ingest
