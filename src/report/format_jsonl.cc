// --format jsonl: for log pipelines, jq and grep: one object a line, each with "type" first. It streams: while the evidence is read come
// `report` (the head), an `event` for each thing gone wrong that the evidence itself states (notices, calls that ended without their answer,
// malformed messages, holes) and `read` for each input read to its end. What is judged comes when all is known, since a later record may
// clear whom an earlier one accuses: input, session, tool, finding, incident, rule, the rows of docs/report.schema.json. `totals` is the last
// line: a stream without it was cut off. Bound: nothing is kept.
#include "model/timeline_format.h"
#include "report/json_event.h"
#include "report/json_rows.h"

namespace mcpscan::report {
namespace {

class JsonLines : public model::TimelineWriter {
 public:
  JsonLines(std::string_view version, const model::ReportOptions& options, model::TimelineFormatEntry::Out out) : options_(options), out_(std::move(out)) {
    head_.version = version;
    line(ReportIndex(head_), "report", [](JsonRows& rows, JsonWriter&) { rows.schema(); });
  }

  void row(const model::TimelineRow& row) override {
    if (row.mark == '!' || row.mark == 'x') out_(json_event_line(row, options_));
  }

  void input(const model::InputRow& input) override {
    out_(json_line(ReportIndex(head_), options_, "read", input, &JsonRows::read));
  }

  void finish(const model::Report& report) override {
    const ReportIndex index(report);
    all(index, "input", report.inputs, &JsonRows::input);
    all(index, "session", report.sessions, &JsonRows::session);
    all(index, "tool", report.tools, &JsonRows::tool);
    all(index, "finding", report.findings, &JsonRows::finding);
    all(index, "incident", report.incidents, &JsonRows::incident);
    all(index, "rule", report.rules, &JsonRows::rule);
    line(index, "totals", [&](JsonRows& rows, JsonWriter& json) {
      json.key("paired").begin_object();
      rows.paired();
      json.end_object().key("totals").begin_object();
      rows.totals();
      json.end_object();
      rows.words("notes", report.notes);
    });
  }

 private:
  template <typename Members>
  void line(const ReportIndex& index, std::string_view type, Members members) {
    JsonWriter json;
    JsonRows rows(json, index, options_);
    json.begin_object().key("type").text(type);
    members(rows, json);
    out_(json.end_object().take() + '\n');
  }

  template <typename Row>
  void all(const ReportIndex& index, std::string_view type, const std::vector<Row>& list, void (JsonRows::*write_row)(const Row&)) {
    for (const Row& row : list) out_(json_line(index, options_, type, row, write_row));
  }

  model::ReportOptions options_;
  model::TimelineFormatEntry::Out out_;
  model::Report head_;  // what is known of the report before it is there: its version
};

void write_jsonl(const model::Report& report, const model::ReportOptions& options, model::ReportFormatEntry::Out out) {
  JsonLines lines(report.version, options, [&](std::string_view line) { out(line); });
  lines.finish(report);
}

std::unique_ptr<model::TimelineWriter> stream_jsonl(std::string_view version, const model::ReportOptions& options, model::TimelineFormatEntry::Out out) {
  return std::make_unique<JsonLines>(version, options, std::move(out));
}

}  // namespace

extern const model::ReportFormatEntry kFormatJsonl;
const model::ReportFormatEntry kFormatJsonl{"jsonl", "jsonl", "for log pipelines: one object a line, with its type, while it reads", &write_jsonl, &stream_jsonl};

}  // namespace mcpscan::report
