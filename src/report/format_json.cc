// --format json: one object, schema mcpscan-report/1 (docs/report.schema.json). Key order is fixed and each row stands on a
// line of its own, so that reports can be compared with diff.
#include "report/json_rows.h"

namespace mcpscan::report {
namespace {

using Form = JsonWriter::Form;
using Out = model::ReportFormatEntry::Out;

template <typename Row>
void write_list(JsonWriter& json, Out out, JsonRows& rows, std::string_view key, const std::vector<Row>& list, void (JsonRows::*write_row)(const Row&)) {
  json.key(key).begin_list(Form::lines);
  for (const Row& row : list) {
    json.begin_object();
    (rows.*write_row)(row);
    json.end_object();
    json.hand_over(out);
  }
  json.end_list();
}

void write_coverage_block(JsonWriter& json, Out out, JsonRows& rows, const model::Report& report) {
  json.key("coverage").begin_object(Form::lines);
  json.key("paired").begin_object();
  rows.paired();
  json.end_object();
  write_list(json, out, rows, "rules", report.rules, &JsonRows::rule);
  json.end_object();
}

void write_json(const model::Report& report, const model::ReportOptions& options, Out out) {
  const ReportIndex index(report);
  JsonWriter json;
  JsonRows rows(json, index, options);
  json.begin_object(Form::lines);
  rows.schema();
  write_list(json, out, rows, "inputs", report.inputs, &JsonRows::input);
  write_list(json, out, rows, "sessions", report.sessions, &JsonRows::session);
  write_list(json, out, rows, "tools", report.tools, &JsonRows::tool);
  write_list(json, out, rows, "findings", report.findings, &JsonRows::finding);
  write_list(json, out, rows, "incidents", report.incidents, &JsonRows::incident);
  write_coverage_block(json, out, rows, report);
  json.key("totals").begin_object();
  rows.totals();
  json.end_object();
  rows.words("notes", report.notes);
  json.end_object();
  out(json.take() + '\n');
}

}  // namespace

extern const model::ReportFormatEntry kFormatJson;
const model::ReportFormatEntry kFormatJson{"json", "json", "for programs: one object, schema mcpscan-report/1", &write_json};

}  // namespace mcpscan::report
