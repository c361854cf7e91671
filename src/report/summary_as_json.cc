// summary --format json: for programs: one object, schema mcpscan-summary/1. A number that is compared is an object of three: `day`,
// `day_before` and `week_before`, null where there is no evidence of that day. Times are UTC; durations microseconds. `undated`: whether some
// of the day's evidence, and how many occurrences, tell no time; where nothing tells one, `day` is null and all of the evidence is summed up.
#include "report/json_writer.h"
#include "report/report_index.h"
#include "report/summary_format_registry.h"
#include "report/summary_view.h"

namespace mcpscan::report {
namespace {

using model::Compared;
using Form = JsonWriter::Form;

class SummaryJson {
 public:
  SummaryJson(const model::Summary& summary, const model::ReportOptions& options) : summary_(summary), options_(options) {}

  std::string write() {
    json_.begin_object(Form::lines);
    text("schema", "mcpscan-summary/1");
    json_.key("tool").begin_object().key("name").text("mcpscan").key("version").text(summary_.version).end_object();
    write_day();
    json_.key("undated").begin_object().key("evidence").boolean(summary_.undated).key("faults").number(summary_.undated_faults).end_object();
    json_.key("has_evidence").boolean(summary_.has_evidence).key("runs").number(summary_.runs);
    write_reach();
    json_.key("last_day_before");
    if (summary_.last_day) json_.text(date_of_day(*summary_.last_day));
    else json_.null();
    write_totals();
    write_incidents();
    write_offenders();
    write_list("clients", summary_.clients);
    write_list("servers", summary_.servers);
    write_list("tools", summary_.tools);
    write_list("sessions", summary_.session_list);
    write_not_judged();
    write_problems();
    json_.end_object();
    return json_.take() + '\n';
  }

 private:
  void text(std::string_view key, std::string_view value) { json_.key(key).text(shown_text(value, options_)); }
  void id(std::string_view key, std::string_view value) { json_.key(key).text(shown_id(value, options_)); }
  void time(std::string_view key, Time at) {
    json_.key(key);
    if (at.known()) json_.text(format_rfc3339(at));
    else json_.null();
  }
  void microseconds(std::string_view key, std::int64_t us) {
    json_.key(key);
    if (us < 0) json_.null();
    else json_.number(us);
  }
  void compared(std::string_view key, const Compared& value) {
    json_.key(key).begin_object().key("day").number(value.day);
    other("day_before", value.day_before);
    other("week_before", value.week_before);
    json_.end_object();
  }
  void other(std::string_view key, const std::optional<std::uint64_t>& value) {
    json_.key(key);
    if (value) json_.number(*value);
    else json_.null();
  }

  // Null where the evidence tells no times.
  void write_day() {
    json_.key("day");
    if (summary_.has_day) json_.text(date_of_day(summary_.day));
    else json_.null();
    text("zone", summary_.zone);
    time("from", summary_.has_day ? summary_.from : Time{});
    time("to", summary_.has_day ? summary_.to : Time{});
    json_.key("hours");
    if (summary_.has_day) json_.number((summary_.to.us - summary_.from.us) / kHour);
    else json_.null();
  }

  // Null where nothing of the day tells its time.
  void write_reach() {
    json_.key("evidence");
    json_.begin_object();
    time("from", summary_.evidence_from);
    time("to", summary_.evidence_to);
    json_.end_object();
  }

  void write_totals() {
    json_.key("totals").begin_object(Form::lines);
    compared("incidents", summary_.incidents);
    compared("faults", summary_.faults);
    compared("requests", summary_.requests);
    compared("replies", summary_.replies);
    compared("unanswered", summary_.unanswered);
    compared("timeouts", summary_.timeouts);
    compared("errors", summary_.errors);
    compared("sessions", summary_.sessions);
    json_.end_object();
  }

  void write_incidents() {
    json_.key("incidents").begin_list(Form::lines);
    for (const model::SummaryIncident& incident : summary_.incident_list) {
      json_.begin_object();
      text("state", model::to_string(incident.state));
      id("id", incident.id);
      text("level", model::to_string(incident.level));
      text("rule", incident.rule);
      text("title", incident.title);
      text("client", incident.client);
      compared("count", incident.count);
      json_.key("sessions").number(incident.sessions);
      time("first", incident.first);
      time("last", incident.last);
      json_.key("fault").begin_object();
      text("party", model::to_string(incident.fault.party));
      text("certainty", model::to_string(incident.fault.certainty));
      text("reason", incident.fault.reason);
      json_.end_object();
      text("place", incident.place);
      text("fix", incident.fix);
      json_.end_object();
    }
    json_.end_list();
  }

  void write_offenders() {
    json_.key("offenders").begin_list(Form::lines);
    for (const model::Offender& offender : summary_.offenders) {
      json_.begin_object();
      text("party", model::to_string(offender.party));
      text("name", offender.name);
      text("certainty", model::to_string(offender.certainty));
      text("least_sure", model::to_string(offender.least_sure));
      json_.key("faults").number(offender.faults).key("incidents").number(offender.incidents).end_object();
    }
    json_.end_list();
  }

  void write_list(std::string_view key, const model::SummaryList& list) {
    json_.key(key).begin_list(Form::lines);
    for (const model::SummaryRow& row : list.rows) {
      json_.begin_object();
      id("name", row.name);
      compared("requests", row.requests);
      compared("unanswered", row.unanswered);
      compared("timeouts", row.timeouts);
      compared("errors", row.errors);
      compared("faults", row.faults);
      microseconds("mean_us", row.mean_us);
      microseconds("longest_us", row.longest_us);
      json_.end_object();
    }
    json_.end_list();
    if (list.left_out > 0) json_.key(std::string(key) + "_left_out").number(list.left_out);
  }

  void write_not_judged() {
    json_.key("not_judged").begin_list(Form::lines);
    for (const auto& rule : summary_.not_judged) {
      json_.begin_object();
      text("rule", rule.rule);
      text("state", model::to_string(rule.state));
      text("why", rule.why);
      text("enable", rule.enable);
      json_.end_object();
    }
    json_.end_list();
  }

  void write_problems() {
    json_.key("problems").begin_list(Form::lines);
    for (const auto& problem : summary_.problems) {
      json_.begin_object();
      text("input", problem.input);
      text("kind", problem.kind);
      text("text", problem.text);
      json_.key("count").number(problem.count).end_object();
    }
    json_.end_list();
  }

  const model::Summary& summary_;
  const model::ReportOptions& options_;
  JsonWriter json_;
};

std::string write_json(const model::Summary& summary, const model::ReportOptions& options) { return SummaryJson(summary, options).write(); }

}  // namespace

extern const model::SummaryFormatEntry kSummaryAsJson;
const model::SummaryFormatEntry kSummaryAsJson{"json", "json", "for programs: one object, schema mcpscan-summary/1", &write_json};

}  // namespace mcpscan::report
