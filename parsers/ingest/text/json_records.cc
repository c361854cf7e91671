#include "ingest/text/json_records.h"

#include <algorithm>
#include <array>

#include "ingest/json_outline.h"
#include "ingest/text/json_scan.h"
#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

using Kind = RecordForm::Kind;

constexpr std::size_t kNameBytes = 64;  // longer keys are none of ours
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kNone = std::string_view::npos;

constexpr RecordForm kArray{"[]", "", Kind::objects};
constexpr RecordForm kEvents{"events[]", "", Kind::objects};              // aws logs get-log-events, filter-log-events
constexpr RecordForm kSubscription{"logEvents[]", "", Kind::objects};     // CloudWatch to Firehose, Lambda, Kinesis
constexpr RecordForm kInsights{"results[]", "", Kind::fields};            // aws logs get-query-results
constexpr RecordForm kEntries{"entries[]", "", Kind::objects};            // Cloud Logging entries.list
constexpr RecordForm kData{"data[]", "", Kind::objects};                  // Datadog
constexpr RecordForm kHits{"hits.hits[]", "", Kind::objects};             // Elasticsearch, OpenSearch
constexpr RecordForm kQueryRange{"data.result[].values[]", "data.result[].stream", Kind::pairs};  // Loki
constexpr RecordForm kPush{"streams[].values[]", "streams[].stream", Kind::pairs};                // Loki's push API

constexpr RecordForm kOtlpLogs{"resourceLogs[].scopeLogs[].logRecords[]", "", Kind::objects};
constexpr RecordForm kOtlpSpans{"resourceSpans[].scopeSpans[].spans[]", "resourceSpans[].resource", Kind::spans, &kOtlpLogs};
constexpr RecordForm kLogsFirst{kOtlpLogs.path, "", Kind::objects, &kOtlpSpans};
constexpr RecordForm kTempo{"batches[].scopeSpans[].spans[]", "batches[].resource", Kind::spans};
constexpr RecordForm kJaeger{"data[].spans[]", "", Kind::spans};

bool is_space(char c) { return kBlanks.find(c) != kNone; }

std::string_view first_element(std::string_view array) {
  const std::size_t first = array.starts_with('[') ? array.find_first_not_of(kBlanks, 1) : kNone;
  return first == kNone ? std::string_view{} : array.substr(first);
}

bool has_time(const JsonOutline& record) {
  constexpr std::array<std::string_view, 7> kTimes{"timestamp", "@timestamp", "time", "date", "receiveTimestamp", "ts", "datetime"};
  return std::any_of(kTimes.begin(), kTimes.end(), [&](std::string_view name) { return record.has(name); });
}

const RecordForm* form_of_array(std::string_view text) {
  const std::string_view first = first_element(text);
  if (!first.starts_with('{')) return nullptr;
  const bool over_lines = text.substr(0, text.size() - first.size()).find('\n') != kNone;
  const JsonOutline record(first);
  return over_lines || (has_time(record) && !record.has("jsonrpc")) ? &kArray : nullptr;
}

const RecordForm* form_of_object(std::string_view text) {
  const JsonOutline document(text);
  const auto element = [&](std::string_view key) { return first_element(document.value(key)); };
  const auto timed_message = [&](std::string_view key) {
    const JsonOutline record(element(key));
    return record.has("timestamp") && record.has("message");
  };
  if (document.value("resourceSpans").starts_with('[')) return &kOtlpSpans;
  if (document.value("resourceLogs").starts_with('[')) return &kLogsFirst;
  if (JsonOutline(element("batches")).has("scopeSpans")) return &kTempo;
  if (JsonOutline(element("data")).has("spans")) return &kJaeger;
  if (timed_message("events")) return &kEvents;
  if (timed_message("logEvents")) return &kSubscription;
  if (element("results").starts_with('[') && JsonOutline(first_element(element("results"))).has("field")) return &kInsights;
  if (const JsonOutline entry(element("entries")); entry.has("insertId") || entry.has("logName")) return &kEntries;
  if (const JsonOutline log(element("data")); log.has("attributes") && log.has("id")) return &kData;
  if (JsonOutline(element("streams")).has("values")) return &kPush;
  if (JsonOutline(document.value("data")).has("result") && JsonOutline(document.value("data")).text("resultType") == "streams") return &kQueryRange;
  if (JsonOutline(first_element(JsonOutline(document.value("hits")).value("hits"))).has("_source")) return &kHits;
  return nullptr;
}

}  // namespace

const RecordForm* record_form(std::string_view head) {
  if (head.starts_with(kUtf8Mark)) head.remove_prefix(kUtf8Mark.size());
  const std::size_t first = head.find_first_not_of(kBlanks);
  if (first == kNone) return nullptr;
  if (head[first] == '[') return form_of_array(head.substr(first));
  return head[first] == '{' ? form_of_object(head.substr(first)) : nullptr;
}

void JsonRecordLines::take(std::string_view bytes) {
  for (const char c : bytes) take(c);
}

bool JsonRecordLines::end() {
  if (target_ != &record_) return false;
  end_record();  // cut: what there is of it
  return true;
}

void JsonRecordLines::take(char c) {
  if (begins_document(c)) {
    if (target_ != nullptr) end_record();
    levels_.clear();
    path_.clear();
    too_deep_ = 0;
    in_name_ = false;
  }
  if (target_ != nullptr && in_string_) take_in_string(c);
  else if (target_ != nullptr) take_in_record(c);
  else if (in_name_) take_name(c);
  else take_outside(c);
  if (at_line_start_ && indent_ == 0 && c == '"' && (target_ != nullptr || !levels_.empty())) flush_left_ = true;
  if (c == '\n') indent_ = 0, at_line_start_ = true;
  else if (at_line_start_ && (c == ' ' || c == '\t')) ++indent_;
  else at_line_start_ = false;
}

// ------------------------------------------------------------------------------------------------ around the records

void JsonRecordLines::pad() {
  if (!any_ || form_.kind != Kind::objects) return;
  if (gap_) out_ += ' ';
  gap_ = true;
}

void JsonRecordLines::take_outside(char c) {
  if (begins_record(c)) return begin_record(c);
  if (c == '{' || c == '[') open(c);
  else if (c == '}' || c == ']') close();
  else if (c == '"') in_name_ = true, name_.clear();
  pad();
}

void JsonRecordLines::take_name(char c) {
  pad();
  if (escaped_) escaped_ = false;
  else if (c == '\\') escaped_ = true;
  else if (c == '"' || c == '\n') in_name_ = false;
  else if (name_.size() < kNameBytes) name_ += c;
}

void JsonRecordLines::open(char c) {
  if (levels_.size() >= limits_.json_depth) return void(++too_deep_);
  const std::size_t path_bytes = path_.size();
  if (!levels_.empty() && levels_.back().array) path_ += "[]";
  else if (!levels_.empty()) path_ += (path_.empty() ? "" : ".") + name_;
  if (c == '{' && !form_.beside.empty() && path_ == form_.beside) {
    path_.resize(path_bytes);
    beside_ = c;
    target_ = &beside_;
    depth_ = 1;
    return;
  }
  levels_.push_back({c == '[', c == '[' && path_ + "[]" == form_.path, path_bytes});
  if (c == '[' && form_.also != nullptr) saw_also_ = saw_also_ || form_.also->path.starts_with(path_ + "[]");
}

void JsonRecordLines::close() {
  if (too_deep_ > 0) return void(--too_deep_);
  if (levels_.empty()) return;
  path_.resize(levels_.back().path_bytes);
  levels_.pop_back();
}

bool JsonRecordLines::begins_record(char c) const {
  if (is_space(c) || c == ',' || c == ']' || c == '}' || too_deep_ > 0) return false;
  if (!levels_.empty()) return levels_.back().holds_records;
  return any_ && form_.path == "[]" && c != '[';  // what was appended behind an array
}

// ------------------------------------------------------------------------------------------------------- the records

void JsonRecordLines::begin_record(char c) {
  if (any_) out_ += '\n';
  any_ = true;
  gap_ = false;
  depth_ = 0;
  record_.clear();
  record_indent_ = indent_;
  record_begins_line_ = at_line_start_;
  record_opening_ = c;
  target_ = form_.kind == Kind::objects ? &out_ : &record_;
  take_in_record(c);
}

void JsonRecordLines::end_record() {
  if (target_ == &record_ && form_.kind == Kind::pairs) write_pair();
  else if (target_ == &record_ && form_.kind == Kind::fields) write_fields();
  else if (target_ == &record_) write_span();
  target_ = nullptr;
  in_string_ = escaped_ = false;
  depth_ = 0;
}

void JsonRecordLines::put(char c) {
  if (target_ == &out_ || target_->size() < limits_.line_bytes) *target_ += c;
}

void JsonRecordLines::take_in_string(char c) {
  if (c == '\n') {
    end_record();
    return pad();
  }
  put(c);
  if (escaped_) escaped_ = false;
  else if (c == '\\') escaped_ = true;
  else if (c == '"') in_string_ = false;
}

// A line begins as the open record did: that one never ended.
bool JsonRecordLines::begins_anew(char c) const {
  const bool as_records_do = at_line_start_ && record_begins_line_ && indent_ == record_indent_ && c == record_opening_ && (c == '{' || c == '[');
  return as_records_do && target_ != &beside_ && depth_ > 0 && !flush_left_;
}

// A brace at the very beginning of a line inside a document: that one never ended. Records of an array may stand so too.
bool JsonRecordLines::begins_document(char c) const {
  if (c != '{' || !at_line_start_ || indent_ != 0 || flush_left_ || levels_.empty() || levels_.front().array) return false;
  const bool among_records = target_ == nullptr ? levels_.back().holds_records : target_ != &beside_;
  return !among_records || (any_ && !record_begins_line_);
}

void JsonRecordLines::take_in_record(char c) {
  if (begins_anew(c)) {
    end_record();
    return begin_record(c);
  }
  if (depth_ == 0 && (c == ',' || c == ']')) {  // behind a record that is no container
    end_record();
    return take_outside(c);
  }
  put(is_space(c) ? ' ' : c);
  if (c == '"') in_string_ = true;
  else if (c == '{' || c == '[') ++depth_;
  else if ((c == '}' || c == ']') && depth_ > 0 && --depth_ == 0) end_record();
}

// ["1795970155274000000", "line"] becomes what logcli -o jsonl writes. What is no pair stays as it is, to be told as broken.
void JsonRecordLines::write_pair() {
  std::array<JsonValue, 2> pair;
  std::size_t count = 0;
  for_each_item(record_, [&](const JsonValue& item) {
    if (count < pair.size()) pair[count++] = item;
    return count < pair.size();
  });
  if (count < 2 || !pair[0].is_text() || !pair[1].is_text()) return void(out_ += record_);
  out_ += R"({"labels":)";
  out_ += beside_.empty() ? "{}" : beside_;
  out_ += R"(,"timestamp":")";
  out_ += pair[0].text;
  out_ += R"(","line":")";
  out_ += pair[1].text;
  out_ += "\"}";
}

void JsonRecordLines::write_span() {
  out_ += R"({"resource":)";
  out_ += beside_.empty() ? "{}" : beside_;
  out_ += R"(,"span":)";
  out_ += record_;
  out_ += '}';
}

// [{"field":"@timestamp","value":"..."},...] becomes an object.
void JsonRecordLines::write_fields() {
  out_ += '{';
  bool any = false;
  JsonMembers field;
  const bool whole = for_each_item(record_, [&](const JsonValue& item) {
    if (item.type != JsonType::object || !field.read(item.text)) return true;
    const JsonValue name = field.find("field"), value = field.find("value");
    if (!name.is_text() || !value.is_text()) return true;
    out_ += any ? ",\"" : "\"";
    out_ += name.text;
    out_ += "\":\"";
    out_ += value.text;
    out_ += '"';
    any = true;
    return true;
  });
  out_ += whole ? "}" : "";
}

}  // namespace mcpscan::ingest
