// A log whose records stand in a document, a table or YAML is read as lines, one a record: record_lines() says whether it is one, and gives them.
// Ownership: `bytes` outlives the reader returned. Threads: none.
#pragma once

#include <memory>
#include <string_view>

#include "base/limits.h"
#include "ingest/text/csv_records.h"
#include "ingest/text/json_records.h"
#include "ingest/text/yaml_records.h"

namespace mcpscan::pipeline {

// `head`: the first bytes of `bytes`, which will give them again. Nothing for a log of plain lines.
inline std::unique_ptr<ByteReader> record_lines(std::string_view head, ByteReader& bytes, const Limits& limits) {
  if (const ingest::RecordForm* form = ingest::record_form(head)) return std::make_unique<ingest::JsonRecordLines>(bytes, *form, limits);
  if (ingest::is_csv_of_records(head)) return std::make_unique<ingest::CsvRecordLines>(bytes, limits);
  if (ingest::is_yaml_of_records(head)) return std::make_unique<ingest::YamlRecordLines>(bytes, limits);
  return nullptr;
}

}  // namespace mcpscan::pipeline
