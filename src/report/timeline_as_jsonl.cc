// --format jsonl: the timeline for programs: an object an event, then an object a finding and an incident, each with its "type" first.
// The words are those of docs/report.schema.json; times are UTC, durations microseconds, an rpc id keeps its JSON type.
#include "report/json_rows.h"
#include "report/timeline_format_registry.h"

namespace mcpscan::report {
namespace {

using model::TimelineRow;

std::string_view sender_word(model::Direction sent) {
  return sent == model::Direction::client_to_server ? "client" : sent == model::Direction::server_to_client ? "server" : "";
}

class JsonTimeline : public model::TimelineWriter {
 public:
  JsonTimeline(const model::TimelineOptions& options, model::TimelineFormatEntry::Out out) : options_(options.report), out_(std::move(out)) {}

  void row(const TimelineRow& row) override {
    JsonWriter json;
    JsonRows rows(json, nothing_, options_);
    json.begin_object().key("type").text("event");
    rows.time("at", row.at).text("event", model::to_string(row.kind));
    write_session(rows, row);
    rows.text_or_null("sender", sender_word(row.sent));
    rows.rpc_id(model::OwnedId(row.id));
    rows.text_or_null("method", row.method).text_or_null("tool", row.tool).text_or_null("outcome", row.outcome);
    rows.time("started", row.started).microseconds("took_us", row.took_us);
    if (row.stream != model::StreamKind::unknown) rows.text("stream", model::to_string(row.stream));
    if (row.status > 0) rows.number("status", row.status);
    rows.text("what", row.what).text("input", row.input);
    if (row.source.number > 0) rows.place_number(row.source);
    rows.text("text", row.text);
    out_(json.end_object().take() + '\n');
  }

  void finish(const model::Report& report) override {
    const ReportIndex index(report);
    for (const model::Finding& finding : report.findings) write(index, "finding", finding, &JsonRows::finding);
    for (const model::Incident& incident : report.incidents) write(index, "incident", incident, &JsonRows::incident);
  }

 private:
  static void write_session(JsonRows& rows, const TimelineRow& row) {
    if (!row.session) {
      rows.null("session");
      return;
    }
    rows.id("session", row.session->label).text_or_null("client", row.session->client_name).text_or_null("server", row.session->server_name);
  }

  template <typename Row>
  void write(const ReportIndex& index, std::string_view type, const Row& row, void (JsonRows::*write_row)(const Row&)) {
    JsonWriter json;
    JsonRows rows(json, index, options_);
    json.begin_object().key("type").text(type);
    (rows.*write_row)(row);
    out_(json.end_object().take() + '\n');
  }

  model::ReportOptions options_;
  model::TimelineFormatEntry::Out out_;
  model::Report no_report_;
  ReportIndex nothing_{no_report_};
};

}  // namespace

extern const model::TimelineFormatEntry kTimelineAsJsonl;
const model::TimelineFormatEntry kTimelineAsJsonl{"jsonl", "jsonl", "for programs: an object an event, then the findings and incidents",
                                                  [](const model::TimelineOptions& options, model::TimelineFormatEntry::Out out) -> std::unique_ptr<model::TimelineWriter> {
                                                    return std::make_unique<JsonTimeline>(options, std::move(out));
                                                  }};

}  // namespace mcpscan::report
