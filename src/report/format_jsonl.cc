// --format jsonl: the rows of the JSON report, one object a line, each with "type" first: report, input, session, tool,
// finding, incident, rule. For log pipelines, jq and grep; the rows are those of docs/report.schema.json.
#include "report/json_rows.h"

namespace mcpscan::report {
namespace {

template <typename Row>
void append_lines(std::string& out, const ReportIndex& index, const model::ReportOptions& options, std::string_view type, const std::vector<Row>& list,
                  void (JsonRows::*write_row)(const Row&)) {
  for (const Row& row : list) {
    JsonWriter json;
    JsonRows rows(json, index, options);
    json.begin_object().key("type").text(type);
    (rows.*write_row)(row);
    out += json.end_object().take() + '\n';
  }
}

std::string head_line(const ReportIndex& index, const model::ReportOptions& options) {
  JsonWriter json;
  JsonRows rows(json, index, options);
  json.begin_object().key("type").text("report");
  rows.schema();
  json.key("paired").begin_object();
  rows.paired();
  json.end_object();
  json.key("totals").begin_object();
  rows.totals();
  json.end_object();
  rows.words("notes", index.report().notes);
  return json.end_object().take() + '\n';
}

std::string write_jsonl(const model::Report& report, const model::ReportOptions& options) {
  const ReportIndex index(report);
  std::string out = head_line(index, options);
  append_lines(out, index, options, "input", report.inputs, &JsonRows::input);
  append_lines(out, index, options, "session", report.sessions, &JsonRows::session);
  append_lines(out, index, options, "tool", report.tools, &JsonRows::tool);
  append_lines(out, index, options, "finding", report.findings, &JsonRows::finding);
  append_lines(out, index, options, "incident", report.incidents, &JsonRows::incident);
  append_lines(out, index, options, "rule", report.rules, &JsonRows::rule);
  return out;
}

}  // namespace

extern const model::ReportFormatEntry kFormatJsonl;
const model::ReportFormatEntry kFormatJsonl{"jsonl", "jsonl", "for log pipelines: one object a line, with its type", &write_jsonl};

}  // namespace mcpscan::report
