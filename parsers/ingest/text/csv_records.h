// CsvRecordLines: a table of log records as a cloud's console exports it (CloudWatch, Logs Insights, Datadog, Kibana, Grafana) as JSON
// lines, one row a line, its cells under the column's names in lower case. Row N is line N; offsets are those of the lines.
// A cell may hold line ends and doubled quotes. A row with too many cells keeps the first ones.
// Ownership: `bytes` outlives it. Threads: one. Memory: one chunk and one row. Bounds: Limits::line_bytes a row (the rest of it is
// left out), JsonMembers::kMost columns.
// Source: RFC 4180.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "ingest/text/record_lines.h"

namespace mcpscan::ingest {

// The first line names columns, of which one is a time and one the text of a record.
bool is_csv_of_records(std::string_view head);

class CsvRecordLines : public RecordLines {
 public:
  CsvRecordLines(ByteReader& bytes, const Limits& limits) : RecordLines(bytes), limits_(limits) {}

 private:
  void take(std::string_view bytes) override;
  bool end() override;
  void take(char c);
  void end_cell();
  void end_row();

  const Limits& limits_;
  std::vector<std::string> columns_;
  std::string row_, cell_;
  std::size_t cells_ = 0;
  bool quoted_ = false;       // inside quotes
  bool was_quote_ = false;    // the byte before was a quote inside quotes: the end of them, or half of a doubled one
  bool any_ = false;          // the row has a byte
  bool named_ = false;        // the row of names was read
};

}  // namespace mcpscan::ingest
