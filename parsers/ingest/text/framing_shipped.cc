// The framings of log shippers and clouds: what stands around a line in CloudWatch, Google Cloud Logging, Datadog, Loki, Fluent Bit, the
// Elastic stack, and in OTLP. As JSON they differ in names only, so they are a table; as text each has its own mark.
// Source: CloudWatch Logs API FilteredLogEvent; Cloud Logging LogEntry; Datadog logs API and archives; logcli; Fluent Bit's kubernetes and
// FireLens metadata; Elastic Common Schema 8.
#include <algorithm>
#include <array>

#include "base/hash.h"
#include "ingest/text/char_class.h"
#include "ingest/text/framing.h"

namespace mcpscan::ingest {
namespace {

using Paths = std::array<std::string_view, kMostPaths>;  // dotted; unused ones are empty

struct ShippedForm {
  Framing framing;
  Paths payload;   // the first that is there; none: not this form
  Paths marks;     // one of them is there at least
  Paths time, process;
  std::string_view level, logger;
  std::string_view unless;   // a record of another kind, which a dialect reads
};

constexpr std::array<ShippedForm, 9> kForms{{
    {Framing::gcp,
     {"textPayload", "jsonPayload"},
     {"insertId", "logName", "resource.type", "receiveTimestamp"},
     {"timestamp", "receiveTimestamp"},
     {"resource.labels.pod_name", "resource.labels.container_name", "resource.labels.instance_id", "resource.labels.revision_name", "labels.instanceId", "logName"},
     "severity", "", "httpRequest"},
    {Framing::otlp,
     {"body.stringValue", "body"},
     {"timeUnixNano", "observedTimeUnixNano", "severityNumber"},
     {"timeUnixNano", "observedTimeUnixNano"},
     {},
     "severityText", "", ""},
    {Framing::elasticsearch, {"_source"}, {"_index", "_id"}, {}, {}, "", "", ""},
    {Framing::datadog,
     {"content.message", "content.attributes"},
     {"content.timestamp", "content.service", "content.host"},
     {"content.timestamp"},
     {"content.host", "content.service"},
     "content.attributes.status", "", ""},
    {Framing::datadog,
     {"attributes.message", "attributes.attributes"},
     {"attributes.timestamp", "attributes.service", "attributes.host"},
     {"attributes.timestamp"},
     {"attributes.host", "attributes.service"},
     "attributes.status", "", ""},
    {Framing::datadog, {"message", "attributes"}, {"_id", "ddsource", "ddtags"}, {"date", "timestamp"}, {"host", "service"}, "status", "", ""},
    {Framing::loki,
     {"line"},
     {"labels", "fields", "tsns"},
     {"timestamp", "date"},
     {"labels.pod", "labels.container", "labels.instance", "labels.filename", "fields.pod", "fields.container"},
     "", "", ""},
    {Framing::cloudwatch,
     {"message", "@message"},
     {"ingestionTime", "eventId", "logStreamName", "@ptr", "@logStream"},
     {"timestamp", "@timestamp"},
     {"logStreamName", "@logStream"},
     "", "", ""},
    {Framing::fluent_bit,
     {"log"},
     {"kubernetes", "container_name", "container_id", "ecs_task_arn", "_p", "date", "partial_message", "tag"},
     {"time", "@timestamp", "timestamp", "date"},
     {"container_id", "container_name", "kubernetes.pod_name", "kubernetes.container_name", "stream", "source", "tag"},
     "", "", ""},
}};

constexpr Paths kEcsMarks{"ecs.version", "@metadata", "agent.type", "log.level", "log.logger", "log.file.path", "input.type"};
constexpr Paths kEcsProcess{"container.id", "kubernetes.pod.name", "kubernetes.container.name", "process.pid", "log.file.path", "stream"};

// The first that is there.
JsonValue first_of(const JsonMembers& members, const Paths& paths) {
  for (const std::string_view path : paths) {
    if (path.empty()) break;
    if (const JsonValue value = find_path(members, path); value.present()) return value;
  }
  return {};
}

bool fits(const JsonMembers& members, const ShippedForm& form) {
  if (!form.unless.empty() && members.find(form.unless).present()) return false;
  return first_of(members, form.marks).present();
}

bool says(const JsonMembers& members, std::string_view key, std::string_view word) { return members.find(key).text == word; }

// The shipper cut the text, and says so: _p of the CRI parser, partial_message of Docker's fluentd driver.
bool is_partial(const JsonMembers& members) {
  return says(members, "_p", "P") || (says(members, "partial_message", "true") && !says(members, "partial_last", "true"));
}

// {name="value", ...}: Loki's labels as text. Returns their length, 0 when it is something else.
std::size_t labels_length(std::string_view text) {
  if (text.substr(0, 2) == "{}") return 2;
  std::size_t at = 0;
  do {
    ++at;
    while (at < text.size() && text[at] == ' ') ++at;
    const std::size_t name = run_of(text, at, kLetter | kDigit | kLoggerMark);
    at += name;
    if (name == 0 || text.substr(at, 2) != "=\"") return 0;
    at = find_string_mark(text, at + 2);
    while (at < text.size() && text[at] == '\\') at = find_string_mark(text, std::min(at + 2, text.size()));
    ++at;
  } while (at < text.size() && text[at] == ',');
  return at < text.size() && text[at] == '}' ? at + 1 : 0;
}

std::uint64_t mix(std::uint64_t process, std::string_view what) { return what.empty() ? process : hash_bytes(what, process + 1); }

}  // namespace

bool Framer::read_shipped(Frame& frame) {
  for (const ShippedForm& form : kForms) {
    if ((shape_.shipped >> static_cast<unsigned>(form.framing) & 1u) == 0) continue;
    const JsonValue payload = first_of(members_, form.payload);
    if (!(payload.is_text() || payload.type == JsonType::object) || !fits(members_, form)) continue;
    frame.wrap(form.framing);
    const Time at = read_time(first_of(members_, form.time));
    frame.stamp(at.known() ? at : read_time(JsonKeys::of(members_, false).time));
    mix_process(form.process, frame);
    if (!form.level.empty() && frame.level.empty()) frame.level = find_path(members_, form.level).text;
    if (!form.logger.empty() && frame.logger.empty()) frame.logger = find_path(members_, form.logger).text;
    const bool goes_on = form.framing == Framing::fluent_bit && is_partial(members_);
    frame.payload = payload.is_text() ? clean(unescape_json(payload, arena_)) : payload.text;
    if (form.framing == Framing::fluent_bit) frame.take_piece(goes_on);
    return true;
  }
  return false;
}

void Framer::mix_process(const std::array<std::string_view, kMostPaths>& paths, Frame& frame) const {
  for (const std::string_view path : paths) {
    if (!path.empty()) frame.process = mix(frame.process, find_path(members_, path).text);
  }
}

// A record of the Elastic Common Schema is the program's own: what stands beside the message counts as in any JSON log.
bool Framer::read_ecs(Frame& frame) {
  if (((shape_.shipped >> static_cast<unsigned>(Framing::ecs)) & 1u) == 0) return false;
  if (!members_.find("@timestamp").present() || !first_of(members_, kEcsMarks).present()) return false;
  frame.wrap(Framing::ecs);
  if (frame.level.empty()) frame.level = find_path(members_, "log.level").text;
  if (frame.logger.empty()) frame.logger = find_path(members_, "log.logger").text;
  mix_process(kEcsProcess, frame);
  return read_logger_json(frame);
}

// 2026-11-29T16:35:55Z {app="mcp"} text (logcli), 2026-11-29T16:35:55.274000+00:00 group/stream text (aws logs tail).
bool Framer::read_tail(Frame& frame, Time at, std::string_view text) {
  if (text.empty()) return false;
  if (text[0] == '{') {
    const std::size_t length = labels_length(text);
    if (length == 0 || length >= text.size() || text[length] != ' ') return false;
    frame.wrap(Framing::loki);
    frame.process = mix(frame.process, text.substr(0, length));
    frame.payload = clean(text.substr(length + 1));
  } else {
    const std::string_view stream = text.substr(0, text.find(' '));
    const std::size_t slash = stream.find('/');
    if (slash == 0 || slash == std::string_view::npos || stream.size() == text.size() || stream.find_first_of("\"{}=?:") != std::string_view::npos) return false;
    frame.wrap(Framing::cloudwatch);
    frame.process = mix(frame.process, stream);
    frame.payload = clean(text.substr(stream.size() + 1));
  }
  frame.stamp(at);
  return true;
}

// TIME, tag and a JSON object with tabs between them (fluentd's file output).
bool Framer::read_fluentd(Frame& frame, Time at, std::string_view text) {
  const std::size_t tab = text.find('\t');
  if (tab == 0 || tab == std::string_view::npos || tab + 1 >= text.size() || text[tab + 1] != '{') return false;
  const std::string_view tag = text.substr(0, tab);
  if (tag.find('.') == std::string_view::npos || tag.find(' ') != std::string_view::npos) return false;
  frame.wrap(Framing::fluent_bit);
  frame.stamp(at);
  frame.process = mix(frame.process, tag);
  frame.payload = text.substr(tab + 1);
  return true;
}

// TIME, the invocation's id, level and message with tabs between them, as AWS Lambda's Node runtime writes what a function prints.
bool Framer::read_lambda(Frame& frame, Time at, std::string_view text) {
  constexpr std::size_t kIdBytes = 36;
  const std::size_t level_end = text.size() > kIdBytes ? text.find('\t', kIdBytes + 1) : std::string_view::npos;
  if (level_end == std::string_view::npos || text[kIdBytes] != '\t' || text[8] != '-' || text[13] != '-' || text[23] != '-') return false;
  const std::string_view level = text.substr(kIdBytes + 1, level_end - kIdBytes - 1);
  if (level.empty() || level.size() > 8 || run_of(level, 0, kLetter) != level.size()) return false;
  frame.wrap(Framing::cloudwatch);
  frame.stamp(at);
  frame.process = mix(frame.process, text.substr(0, kIdBytes));
  if (frame.level.empty()) frame.level = level;
  frame.payload = clean(text.substr(level_end + 1));
  return true;
}

// tag: [1795970155.274, {json}] (Fluent Bit's file output, and its standard output with a JSON format).
bool Framer::read_fluent_pair(Frame& frame) {
  constexpr std::size_t kMostTag = 128;
  const std::string_view text = frame.payload;
  if (text.back() != ']') return false;
  const std::size_t open = text.substr(0, kMostTag).find(": [");
  if (open == std::string_view::npos || text.substr(0, open).find(' ') != std::string_view::npos) return false;
  Time at;
  const std::string_view pair = text.substr(open + 3);
  const std::size_t length = read_epoch(pair, at);
  const std::size_t brace = length == 0 ? 0 : pair.find_first_not_of(" ,", length);
  if (brace == 0 || brace == std::string_view::npos || pair[brace] != '{') return false;
  frame.wrap(Framing::fluent_bit);
  frame.stamp(at);
  frame.process = mix(frame.process, text.substr(0, open));
  frame.payload = pair.substr(brace, pair.size() - brace - 1);
  return true;
}

}  // namespace mcpscan::ingest
