#include "pipeline/reader_choice.h"

#include "ingest/input_set.h"
#include "ingest/text/csv_records.h"
#include "ingest/text/yaml_records.h"
#include "pipeline/http_dump_scan.h"

namespace mcpscan::pipeline {

ReaderChoice choose_reader(std::string_view head) {
  const ingest::RecordForm* form = ingest::record_form(head);
  switch (ingest::probe_format(head)) {
    case ingest::FormatKind::empty: return {ReaderKind::empty};
    case ingest::FormatKind::binary: return {ReaderKind::binary};
    case ingest::FormatKind::capture: return {ReaderKind::capture};
    case ingest::FormatKind::har: return {ReaderKind::har};
    case ingest::FormatKind::transcript: return {ReaderKind::transcript};
    case ingest::FormatKind::otlp: return form == nullptr ? ReaderChoice{ReaderKind::log} : ReaderChoice{ReaderKind::otlp, form};  // without: metrics only
    case ingest::FormatKind::log: break;
  }
  if (form != nullptr) return {ReaderKind::document, form};
  if (ingest::is_csv_of_records(head)) return {ReaderKind::table};
  if (ingest::is_yaml_of_records(head)) return {ReaderKind::yaml};
  return {is_http_dump(head) ? ReaderKind::http_text : ReaderKind::log};
}

std::string_view word_of(ReaderKind kind) {
  switch (kind) {
    case ReaderKind::empty: return "empty";
    case ReaderKind::binary: return "neither text nor a capture";
    case ReaderKind::capture: return "a capture";
    case ReaderKind::har: return "a HAR file";
    case ReaderKind::transcript: return "a client's session transcript";
    case ReaderKind::otlp: return "OpenTelemetry JSON, traces or logs";
    case ReaderKind::document: return "a JSON document that holds log records";
    case ReaderKind::table: return "a CSV table of log records";
    case ReaderKind::yaml: return "log entries as YAML";
    case ReaderKind::http_text: return "a text dump of HTTP";
    case ReaderKind::log: return "a log";
  }
  return "unknown";
}

std::string_view why_not(ReaderKind kind) {
  switch (kind) {
    case ReaderKind::capture: return "it begins with none of the numbers of pcap and pcapng";
    case ReaderKind::har: return "no object with a \"log\" that has entries, version or creator";
    case ReaderKind::transcript: return "most lines are no records of Claude Code (type, sessionId) or Codex (type, payload)";
    case ReaderKind::otlp: return "no resourceSpans, resourceLogs, batches or Jaeger data at its top";
    case ReaderKind::document: return "no array of log records where cloud exports have it";
    case ReaderKind::table: return "its first line names no columns, of which one is a time and one a message";
    case ReaderKind::yaml: return "it begins with no YAML document that has the keys of a log entry";
    case ReaderKind::http_text: return "no request line with a header field behind it in its first lines";
    default: return {};
  }
}

}  // namespace mcpscan::pipeline
