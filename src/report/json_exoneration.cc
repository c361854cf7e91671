#include "report/json_exoneration.h"

#include "report/json_rows.h"

namespace mcpscan::report {

using model::Exoneration;

namespace {

class ProofRows {
 public:
  ProofRows(JsonWriter& json, const ReportIndex& index, const model::ReportOptions& options) : json_(json), index_(index), options_(options) {}

  void members(const Exoneration& proof) {
    text("party", model::to_string(proof.party)).text("verdict", proof.cleared ? "cleared" : "not-cleared").text("judged_at", proof.judged_at);
    json_.key("of_part").boolean(proof.of_part);
    number("calls", proof.calls).number("tools_calls", proof.tools_calls).number("sessions", proof.sessions);
    time("first", proof.first).time("last", proof.last);
    list("checks", proof.checks, [&](const Exoneration::Check& check) { text("what", check.what).number("held", check.held).number("of", check.of).text("note", check.note); });
    list("refusals", proof.refusals, [&](const Exoneration::Refusal& refusal) { text("reason", refusal.reason).id("finding", refusal.finding); });
    words("limits", proof.limits);
    list("batches", proof.batches, [&](const Exoneration::Batch& row) { batch(row); });
    number("batches_left_out", proof.batches_left_out);
    list("sweep", proof.sweep, [&](const Exoneration::SweepRow& row) {
      number("size", row.size).text("slow_call", row.position).text("connections", row.mode).number("batches", row.batches).number("calls", row.calls);
      number("right", row.right).number("repeats_own", row.repeats_own).number("left", row.left).number("wrong", row.wrong);
    });
  }

 private:
  void batch(const Exoneration::Batch& row) {
    time("at", row.at).id("session", row.session).number("size", row.size);
    text("slow_call", row.position).text("connections", row.mode);
    words("reported_timed_out", row.timed_out);
    text("payload_landed_in", row.landed_in);
    number("right", row.right).number("repeats_own", row.repeats_own).number("left", row.left).number("wrong", row.wrong);
    text("place", index_.place(row.source));
  }

  ProofRows& text(std::string_view key, std::string_view value) { return json_.key(key).text(shown_text(value, options_)), *this; }
  ProofRows& id(std::string_view key, std::string_view value) { return value.empty() ? json_.key(key).null() : json_.key(key).text(shown_id(value, options_)), *this; }
  ProofRows& number(std::string_view key, std::uint64_t value) { return json_.key(key).number(value), *this; }
  ProofRows& time(std::string_view key, Time at) { return at.known() ? json_.key(key).text(format_rfc3339(at)) : json_.key(key).null(), *this; }

  void words(std::string_view key, const std::vector<std::string>& values) {
    json_.key(key).begin_list();
    for (const std::string& value : values) json_.text(shown_text(value, options_));
    json_.end_list();
  }

  template <typename Rows, typename Members>
  void list(std::string_view key, const Rows& rows, Members members_of) {
    json_.key(key).begin_list(JsonWriter::Form::lines);
    for (const auto& row : rows) {
      json_.begin_object();
      members_of(row);
      json_.end_object();
    }
    json_.end_list();
  }

  JsonWriter& json_;
  const ReportIndex& index_;
  const model::ReportOptions& options_;
};

}  // namespace

std::string json_exoneration(const ReportIndex& index, const Exoneration& proof, const model::ReportOptions& options) {
  JsonWriter json;
  JsonRows rows(json, index, options);
  json.begin_object(JsonWriter::Form::lines);
  json.key("schema").text("mcpscan-exoneration/1");
  json.key("tool").begin_object();
  rows.text("name", "mcpscan").text("version", index.report().version);
  json.end_object();
  json.key("inputs").begin_list(JsonWriter::Form::lines);
  for (const model::InputRow& input : index.report().inputs) {
    json.begin_object();
    rows.input(input);
    json.end_object();
  }
  json.end_list();
  json.key("exoneration").begin_object(JsonWriter::Form::lines);
  ProofRows(json, index, options).members(proof);
  json.end_object();
  rows.words("notes", index.report().notes);
  json.end_object();
  return json.take() + '\n';
}

}  // namespace mcpscan::report
