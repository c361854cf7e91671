// JsonRows: the rows of a report as members of JSON objects, in the words of docs/report.schema.json, for every format that
// is JSON. The format opens and closes the objects and decides what stands around them. What the schema does not name
// (tally, picture, anomalies, ...) is an addition. Text is bounded and masked; an id keeps even the shape of a token,
// because people search for it; rpc ids keep their JSON type and every digit.
// Ownership: points to the writer and the report, which must outlive it. Threads: one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/json_writer.h"
#include "report/report_index.h"

namespace mcpscan::report {

class JsonRows {
 public:
  JsonRows(JsonWriter& json, const ReportIndex& index, const model::ReportOptions& options) : json_(json), index_(index), options_(options) {}

  // Members of one object each.
  void schema();  // schema, tool
  void input(const model::InputRow& row);
  void read(const model::InputRow& row);  // of an input, what is known when it is read to its end
  void session(const model::SessionRow& row);
  void tool(const model::ToolRow& row);
  void finding(const model::Finding& row);
  void incident(const model::Incident& row);
  void rule(const model::RuleCoverage& row);
  void paired();
  void totals();

  JsonRows& text(std::string_view key, std::string_view value);
  void words(std::string_view key, const std::vector<std::string>& values);
  JsonRows& id(std::string_view key, std::string_view value);
  JsonRows& text_or_null(std::string_view key, std::string_view value) { return value.empty() ? null(key) : text(key, value); }
  JsonRows& null(std::string_view key);
  JsonRows& number(std::string_view key, std::uint64_t value);
  JsonRows& time(std::string_view key, Time at);
  JsonRows& microseconds(std::string_view key, std::int64_t us);
  void rpc_id(const model::OwnedId& id);
  // line, packet or entry with its number, and the offset.
  void place_number(const model::SourceRef& source);

 private:
  JsonRows& id_or_null(std::string_view key, std::string_view value) { return value.empty() ? null(key) : id(key, value); }
  JsonRows& number_if(std::string_view key, std::uint64_t value) { return value == 0 ? *this : number(key, value); }
  void ids(std::string_view key, const std::vector<std::string>& values);
  void reasons(std::string_view key, const std::map<std::string, std::uint64_t>& counts);
  void counts(const model::SessionCounts& counts);
  void peer(std::string_view key, std::string_view name, std::string_view version);
  void place(const model::SourceRef& source);
  void books(const model::InputRow& row);
  void anomalies(const model::InputRow& row);
  void calls(const model::Finding& row);
  void fault(const model::Fault& fault);
  void evidence(const model::Finding& row);
  void tally(const model::Finding& row);
  void picture(const model::Incident& row);

  JsonWriter& json_;
  const ReportIndex& index_;
  const model::ReportOptions& options_;
  std::string input_;  // of the last place, as shown: places follow one another in the same input
  std::uint32_t number_of_input_ = 0;
};

// {"type": ..., the members} and the line end.
template <typename Row>
std::string json_line(const ReportIndex& index, const model::ReportOptions& options, std::string_view type, const Row& row, void (JsonRows::*write_row)(const Row&)) {
  JsonWriter json;
  JsonRows rows(json, index, options);
  json.begin_object().key("type").text(type);
  (rows.*write_row)(row);
  return json.end_object().take() + '\n';
}

}  // namespace mcpscan::report
