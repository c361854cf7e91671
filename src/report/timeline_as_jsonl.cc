// --format jsonl: the timeline for programs: an object an event, then an object a finding and an incident, each with its "type" first.
// The words are those of docs/report.schema.json; times are UTC, durations microseconds, an rpc id keeps its JSON type.
#include "report/json_event.h"
#include "report/json_rows.h"
#include "report/timeline_format_registry.h"

namespace mcpscan::report {
namespace {

class JsonTimeline : public model::TimelineWriter {
 public:
  JsonTimeline(const model::ReportOptions& options, model::TimelineFormatEntry::Out out) : options_(options), out_(std::move(out)) {}

  void row(const model::TimelineRow& row) override { out_(json_event_line(row, options_)); }

  void finish(const model::Report& report) override {
    const ReportIndex index(report);
    for (const model::Finding& finding : report.findings) out_(json_line(index, options_, "finding", finding, &JsonRows::finding));
    for (const model::Incident& incident : report.incidents) out_(json_line(index, options_, "incident", incident, &JsonRows::incident));
  }

 private:
  model::ReportOptions options_;
  model::TimelineFormatEntry::Out out_;
};

}  // namespace

extern const model::TimelineFormatEntry kTimelineAsJsonl;
const model::TimelineFormatEntry kTimelineAsJsonl{"jsonl", "jsonl", "for programs: an object an event, then the findings and incidents",
                                                  [](const model::ReportOptions& options, model::TimelineFormatEntry::Out out) -> std::unique_ptr<model::TimelineWriter> {
                                                    return std::make_unique<JsonTimeline>(options, std::move(out));
                                                  }};

}  // namespace mcpscan::report
