#include "report/json_event.h"

#include "report/json_rows.h"

namespace mcpscan::report {

using model::TimelineRow;

namespace {

std::string_view sender_word(model::Direction sent) {
  return sent == model::Direction::client_to_server ? "client" : sent == model::Direction::server_to_client ? "server" : "";
}

void write_session(JsonRows& rows, const TimelineRow& row) {
  if (!row.session) {
    rows.null("session");
    return;
  }
  rows.id("session", row.session->label).text_or_null("client", row.session->client_name).text_or_null("server", row.session->server_name);
}

}  // namespace

std::string json_event_line(const TimelineRow& row, const model::ReportOptions& options) {
  static const model::Report kNoReport;
  static const ReportIndex kNothing(kNoReport);
  JsonWriter json;
  JsonRows rows(json, kNothing, options);
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
  return json.end_object().take() + '\n';
}

}  // namespace mcpscan::report
