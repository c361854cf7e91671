#include "report/json_rows.h"

#include <algorithm>

namespace mcpscan::report {

using model::IdType;

// --- members of an object ---

JsonRows& JsonRows::text(std::string_view key, std::string_view value) {
  json_.key(key).text(shown_text(value, options_));
  return *this;
}

JsonRows& JsonRows::id(std::string_view key, std::string_view value) {
  json_.key(key).text(shown_id(value, options_));
  return *this;
}

JsonRows& JsonRows::null(std::string_view key) {
  json_.key(key).null();
  return *this;
}

JsonRows& JsonRows::number(std::string_view key, std::uint64_t value) {
  json_.key(key).number(value);
  return *this;
}

JsonRows& JsonRows::time(std::string_view key, Time at) {
  if (!at.known()) return null(key);
  json_.key(key).text(format_rfc3339(at));
  return *this;
}

JsonRows& JsonRows::microseconds(std::string_view key, std::int64_t us) { return us < 0 ? null(key) : number(key, static_cast<std::uint64_t>(us)); }

void JsonRows::words(std::string_view key, const std::vector<std::string>& values) {
  json_.key(key).begin_list();
  for (const std::string& value : values) json_.text(shown_text(value, options_));
  json_.end_list();
}

void JsonRows::ids(std::string_view key, const std::vector<std::string>& values) {
  json_.key(key).begin_list();
  for (const std::string& value : values) json_.text(shown_id(value, options_));
  json_.end_list();
}

void JsonRows::reasons(std::string_view key, const std::map<std::string, std::uint64_t>& counts) {
  json_.key(key).begin_object();
  for (const auto& [reason, count] : counts) number(shown_text(reason, options_), count);
  json_.end_object();
}

void JsonRows::place(const model::SourceRef& source) {
  const auto& inputs = index_.report().inputs;
  if (input_.empty() || source.input != number_of_input_) {
    input_ = shown_text(source.input < inputs.size() ? std::string_view(inputs[source.input].path) : std::string_view("(unknown input)"), options_);
    number_of_input_ = source.input;
  }
  json_.key("input").text(input_);
  if (source.number > 0) place_number(source);
}

void JsonRows::place_number(const model::SourceRef& source) {
  switch (source.kind) {
    case model::PlaceKind::line: number("line", source.number); break;
    case model::PlaceKind::packet: number("packet", source.number); break;
    case model::PlaceKind::entry: number("entry", source.number); break;
  }
  number("offset", source.offset);
}

// --- what was read ---

void JsonRows::schema() {
  text("schema", "mcpscan-report/1");
  json_.key("tool").begin_object();
  text("name", "mcpscan").text("version", index_.report().version);
  json_.end_object();
}

void JsonRows::input(const model::InputRow& row) {
  text("path", row.path).text_or_null("sha256", row.sha256).text("reader", row.reader);
  text("vantage", model::to_string(row.vantage)).number("bytes", row.bytes);
  books(row);
  if (!row.anomalies.empty()) anomalies(row);
}

void JsonRows::read(const model::InputRow& row) {
  text("path", row.path).text("reader", row.reader).number("bytes", row.bytes);
  books(row);
}

void JsonRows::books(const model::InputRow& row) {
  json_.key("records").begin_object();
  number("total", row.books.total).number("used", row.books.used);
  reasons("ignored", row.books.ignored);
  reasons("malformed", row.books.malformed);
  json_.end_object();
  time("first", row.first).time("last", row.last);
  if (!row.error.empty()) text("error", row.error);
}

void JsonRows::anomalies(const model::InputRow& row) {
  json_.key("anomalies").begin_list();
  const auto number_of_input = static_cast<std::uint32_t>(&row - index_.report().inputs.data());
  for (const auto& [kind, anomaly] : row.anomalies.entries()) {
    json_.begin_object();
    text("kind", kind).text("text", anomaly.text).number("count", anomaly.count);
    model::SourceRef source = anomaly.source;
    source.input = number_of_input;
    place(source);
    json_.end_object();
  }
  json_.end_list();
}

void JsonRows::peer(std::string_view key, std::string_view name, std::string_view version) {
  if (name.empty() && version.empty()) {
    null(key);
    return;
  }
  json_.key(key).begin_object();
  text_or_null("name", name).text_or_null("version", version);
  json_.end_object();
}

void JsonRows::session(const model::SessionRow& row) {
  id("key", row.key).id_or_null("id", row.id).text("keyed_by", model::to_string(row.keyed_by));
  text("transport", row.transport.empty() ? "unknown" : row.transport).text_or_null("protocol_version", row.protocol_version);
  peer("client", row.client_name, row.client_version);
  peer("server", row.server_name, row.server_version);
  time("first", row.first).time("last", row.last);
  json_.key("counts").begin_object();
  counts(row.counts);
  json_.end_object();
}

void JsonRows::counts(const model::SessionCounts& counts) {
  number("requests", counts.requests).number("replies", counts.replies).number("notifications", counts.notifications);
  number("tools_calls", counts.tools_calls).number("server_requests", counts.server_requests);
}

void JsonRows::tool(const model::ToolRow& row) {
  text("tool", row.tool).number("calls", row.calls).number("replies", row.replies).number("errors", row.errors);
  microseconds("median_us", row.median_us).microseconds("p99_us", row.p99_us).microseconds("longest_us", row.longest_us);
}

// --- findings ---

void JsonRows::finding(const model::Finding& row) {
  id("id", row.id).text("rule", row.rule).text("level", model::to_string(row.level)).id_or_null("session", row.session);
  number("count", std::max<std::uint64_t>(row.count, 1)).text_or_null("detail", row.detail);
  calls(row);
  time("first", row.first).time("last", row.last);
  fault(row.fault);
  evidence(row);
  id_or_null("consequence_of", row.consequence_of);
  if (!row.tally.empty()) tally(row);
}

void JsonRows::calls(const model::Finding& row) {
  json_.key("calls").begin_list();
  for (const model::FindingCall& call : row.calls) {
    json_.begin_object();
    rpc_id(call.id);
    text_or_null("method", call.method).text_or_null("tool", call.tool);
    time("requested_at", call.requested_at).time("replied_at", call.replied_at);
    json_.end_object();
  }
  json_.end_list();
  number_if("calls_left_out", row.calls_left_out);
}

// The id as its JSON type has it. A number's token may come from a Python repr: only what JSON reads goes out bare.
void JsonRows::rpc_id(const model::OwnedId& id) {
  json_.key("rpc_id");
  if (id.type == IdType::string) {
    json_.text(id.value);
  } else if (id.type == IdType::fraction && is_json_number(id.raw)) {
    json_.token(id.raw);
  } else if ((id.type == IdType::integer || id.type == IdType::fraction) && is_json_number(id.value)) {
    json_.token(id.value);
  } else {
    json_.null();
  }
  if (!id.raw.empty()) json_.key("rpc_id_raw").text(id.raw);
}

void JsonRows::fault(const model::Fault& fault) {
  json_.key("fault").begin_object();
  text("party", model::to_string(fault.party)).text("certainty", model::to_string(fault.certainty));
  words("contributing", fault.contributing);
  text("reason", fault.reason);
  json_.end_object();
}

// The schema asks for one place at least: a finding about everything names the first input as a whole.
void JsonRows::evidence(const model::Finding& row) {
  json_.key("evidence").begin_list();
  for (const model::Evidence& item : row.evidence) {
    json_.begin_object();
    place(item.source);
    text("text", item.text);
    json_.end_object();
  }
  if (row.evidence.empty()) {
    json_.begin_object();
    place({});
    json_.end_object();
  }
  json_.end_list();
  number_if("evidence_left_out", row.evidence_left_out);
}

// A list, not an object: keys come from evidence and order is the point.
void JsonRows::tally(const model::Finding& row) {
  std::vector<std::pair<std::string_view, std::uint64_t>> rows(row.tally.begin(), row.tally.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  json_.key("tally").begin_list();
  for (const auto& [key, count] : rows) {
    json_.begin_object();
    text("key", key).number("count", count);
    json_.end_object();
  }
  json_.end_list();
}

// --- incidents ---

void JsonRows::incident(const model::Incident& row) {
  id("id", row.id).text("level", model::to_string(row.level)).text("title", row.title).text("story", row.story);
  id("root", row.root);
  ids("findings", row.findings);
  fault(row.fault);
  json_.key("blast_radius").begin_object();
  number("calls", row.calls).number("sessions", row.sessions);
  words("tools", row.tools);
  json_.end_object();
  picture(row);
  words("notes", row.notes);
  text("fix", row.fix);
}

void JsonRows::picture(const model::Incident& row) {
  json_.key("picture").begin_list();
  for (const model::StoryLine& line : row.picture) {
    json_.begin_object();
    time("at", line.at).text("mark", std::string_view(&line.mark, 1)).text("text", line.text);
    if (line.source.number > 0) place(line.source);
    json_.end_object();
  }
  json_.end_list();
}

// --- coverage, totals ---

void JsonRows::paired() { number("requests", index_.report().requests).number("with_reply", index_.report().requests_with_reply); }

void JsonRows::rule(const model::RuleCoverage& row) {
  text("rule", row.rule).text("state", model::to_string(row.state));
  if (!row.why.empty()) text("why", row.why);
  if (!row.enable.empty()) text("enable", row.enable);
}

void JsonRows::totals() {
  const model::Report& report = index_.report();
  number("sessions", index_.sessions_total());
  counts(report.totals);
  number("findings", index_.findings_total()).number("incidents", report.incidents.size());
  number("sessions_left_out", report.sessions_left_out).number("findings_left_out", report.findings_left_out);
}

}  // namespace mcpscan::report
