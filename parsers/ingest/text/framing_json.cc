// The framings that are JSON: docker json-file, journald, and the lines of any JSON logger.
#include <algorithm>

#include "base/hash.h"
#include "ingest/text/char_class.h"
#include "ingest/text/framing.h"
#include "ingest/text/json_keys.h"
#include "ingest/text/key_value_pairs.h"
#include "ingest/text/record_builder.h"
#include "ingest/text/surroundings.h"

namespace mcpscan::ingest {
namespace {

std::uint64_t mix(std::uint64_t process, std::string_view what) { return what.empty() ? process : hash_bytes(what, process + 1); }

bool holds_rpc(std::string_view text) { return text.find("jsonrpc") != std::string_view::npos; }

// A peer as one text, address:port or address.
Capture peer_capture(std::string_view text) {
  Capture capture{Field::peer, text, 0};
  const std::size_t colon = text.rfind(':');
  const Decimal port = colon == std::string_view::npos ? Decimal{} : read_decimal(text, colon + 1);
  const bool one_colon = text.find(':') == colon || (colon > 0 && text[colon - 1] == ']');
  if (port.digits != 0 && one_colon && colon + 1 + port.digits == text.size()) {
    capture.number = port.value;
    capture.text = text.substr(0, colon);
  }
  if (capture.text.size() > 2 && capture.text.front() == '[' && capture.text.back() == ']') capture.text = capture.text.substr(1, capture.text.size() - 2);
  return capture;
}

// A JSON number or text as a duration; nanoseconds when the unit is 0.
std::int64_t duration_us(std::string_view text, std::int64_t unit_us) {
  std::int64_t us = -1;
  if (read_duration(text, unit_us == 0 ? kSecond : unit_us, us) == 0) return -1;
  return unit_us == 0 ? us / 1'000'000'000 : us;
}

bool is_http_method(std::string_view word) {
  return word == "POST" || word == "GET" || word == "DELETE" || word == "OPTIONS" || word == "HEAD" || word == "PUT" || word == "PATCH";
}

bool is_http_target(std::string_view text) { return text.empty() || text[0] == '/' || text.starts_with("http://") || text.starts_with("https://"); }

// As proxies write it: also where there was none.
bool is_http_status(std::string_view text) {
  const Decimal number = read_decimal(text);
  return text == "-" || text == "0" || text == "-1" || (number.digits == 3 && text.size() == 3 && number.value >= 100 && number.value < 600);
}

Capture capture_of(const JsonField& field, std::string_view text) {
  if (field.field == Field::peer) return peer_capture(text);
  if (field.field == Field::wait || field.field == Field::duration) return {field.field, text, duration_us(text, field.unit_us)};
  const Decimal number = read_decimal(text);
  return {field.field, text, number.digits == 0 ? -1 : number.value};
}

}  // namespace

// A line of key=value pairs (logfmt, slog's text): the same as the JSON object of these members.
bool Framer::read_pairs(Frame& frame) {
  if (!begins_with_pair(frame.payload)) return false;
  const std::string_view json = pairs_as_json(frame.payload, arena_);
  if (!members_.read(json)) return false;
  const std::string_view line = frame.payload;
  frame.payload = json;
  if (read_with_rule(frame) || read_with_rule(frame, true) || read_logger_json(frame)) return true;
  frame.payload = line;
  return true;
}

bool Framer::read_json(Frame& frame) {
  if (!members_.read(frame.payload)) {
    if (shape_.json && frame.layers == 0) frame.malformed = true, frame.reason = kBadJson;
    return false;
  }
  return read_docker(frame) || read_journal(frame) || read_shipped(frame) || read_with_rule(frame) || read_ecs(frame) || read_with_rule(frame, true) ||
         read_logger_json(frame);
}

// {"log":"text\n","stream":"stderr","time":"..."}: without the line end the text goes on in the next object of that stream.
bool Framer::read_docker(Frame& frame) {
  const JsonValue log = members_.find("log"), stream = members_.find("stream"), time = members_.find("time");
  if (!log.is_text() || !stream.is_text() || !time.is_text()) return false;
  if (members_.size() - members_.find("attrs").present() != 3) return false;  // a shipper took it from docker and has cut the line end
  frame.wrap(Framing::docker_json);
  frame.stamp(read_time(time));
  frame.process = mix(frame.process, stream.text);
  const std::string_view text = unescape_json(log, arena_);
  frame.payload = clean(text);
  frame.take_piece(text.empty() || text.back() != '\n');
  return true;
}

bool Framer::read_journal(Frame& frame) {
  const JsonValue stamp = members_.find("__REALTIME_TIMESTAMP");
  const JsonValue message = members_.find("MESSAGE");
  if (stamp.type == JsonType::none || message.type == JsonType::none) return false;
  frame.wrap(Framing::journal_json);
  frame.stamp(read_time(stamp));
  for (const char* key : {"_PID", "SYSLOG_IDENTIFIER", "_SYSTEMD_UNIT", "CONTAINER_NAME", "_TRANSPORT"}) {
    frame.process = mix(frame.process, members_.find(key).text);
  }
  frame.payload = clean(journal_text(message));
  if (message.is_null()) frame.malformed = true, frame.reason = "message-left-out";
  return true;
}

// A string; null when it was too long; an array of byte numbers when it is no text; an array of strings when the field was repeated.
std::string_view Framer::journal_text(const JsonValue& value) {
  if (value.is_text()) return unescape_json(value, arena_);
  if (value.type != JsonType::array) return {};
  const std::span<char> buffer = arena_.buffer(value.text.size());
  std::size_t used = 0;
  const std::string_view text = value.text;
  for (std::size_t at = 1; at < text.size();) {
    if (text[at] == '"') {
      JsonValue item{JsonType::string, false, {}};
      std::size_t end = find_string_mark(text, at + 1);
      while (end < text.size() && text[end] == '\\') item.escaped = true, end = find_string_mark(text, std::min(end + 2, text.size()));
      item.text = text.substr(at + 1, end - at - 1);
      const std::string_view plain = unescape_json(item, arena_);
      if (used != 0) buffer[used++] = '\n';
      if (!plain.empty()) std::memcpy(buffer.data() + used, plain.data(), plain.size());
      used += plain.size();
      at = end + 1;
      continue;
    }
    const Decimal byte = read_decimal(text, at);
    if (byte.digits != 0 && byte.value < 256) buffer[used++] = static_cast<char>(byte.value);
    at += std::max<std::size_t>(byte.digits, 1);
  }
  return {buffer.data(), used};
}

Time Framer::read_time(const JsonValue& value) {
  Time at;
  if (value.is_text() || value.type == JsonType::number) times_.read_whole(value.text, at);
  return at;
}

bool Framer::rule_fits(const JsonRule& rule, std::uint64_t names) const {
  if ((rule.names & ~names) != 0) return false;
  for (const std::string& path : rule.require) {
    if (find_path(members_, path).type == JsonType::none) return false;
  }
  const auto is_there = [&](const JsonPath& each) { return (each.names & ~names) == 0 && find_path(members_, each.path).type != JsonType::none; };
  for (const std::vector<JsonPath>& paths : rule.require_one) {
    if (std::none_of(paths.begin(), paths.end(), is_there)) return false;
  }
  return std::all_of(rule.where.begin(), rule.where.end(), [this](const auto& pair) { return find_path(members_, pair.first).text == pair.second; });
}

// A method, a path and a status, as HTTP has them; and no statement beside them, unless it is said how long it took: a line of a server about
// something that it did for a request has these as well.
bool Framer::is_access_line(const JsonRule& rule, std::string_view line) const {
  if (holds_rpc(line)) return false;  // the message says more
  bool timed = false;
  for (const JsonField& field : rule.fields) {
    const JsonValue value = value_of(field);
    switch (field.field) {
      case Field::method: if (!value.text.empty() && !is_http_method(value.text)) return false; break;
      case Field::request: if (!value.text.empty() && !is_http_method(value.text.substr(0, value.text.find(' ')))) return false; break;
      case Field::path: if (!is_http_target(value.text)) return false; break;
      case Field::status: if (!is_http_status(value.text)) return false; break;
      case Field::duration: timed = timed || value.present(); break;
      default: break;
    }
  }
  const JsonValue message = JsonKeys::of(members_, false).message;
  return timed || !message.is_text() || message.text.empty();
}

bool Framer::read_with_rule(Frame& frame, bool loose) {
  const std::uint64_t names = name_bits(members_);
  for (const JsonRule* rule : rules_) {
    if (rule->loose != loose || !rule_fits(*rule, names) || (loose && !is_access_line(*rule, frame.payload.substr(0, members_.consumed())))) continue;
    Captures captures;
    frame.wrap(Framing::json_lines);
    frame.dialect = rule->dialect;
    const std::string_view line = frame.payload;
    const bool has_message = take_fields(*rule, frame, captures);
    const bool stamped = std::any_of(rule->fields.begin(), rule->fields.end(), [](const JsonField& field) { return field.field == Field::time; });
    if (rule->is_log) {
      frame.session = session_or_nothing(captures.text(Field::session));
      if (has_message && !holds_rpc(line.substr(0, members_.consumed()))) return true;
      frame.payload = line;
      return read_logger_json(frame);
    }
    take_keys(JsonKeys::of(members_, false), frame, !stamped);
    auto* record = arena_.make<LogRecord>();
    record->at = frame.inner;
    record->text = line;
    record->direction = frame.direction;
    apply_meaning(rule->meaning, captures, arena_, *record);
    frame.ready = record;
    return true;
  }
  return false;
}

// The first of the field's paths that holds something.
JsonValue Framer::value_of(const JsonField& field) const {
  JsonValue value;
  for (const std::string& path : field.paths) {
    value = find_path(members_, path);
    if (value.present() && !value.text.empty()) break;
  }
  return value;
}

// The fields of a message's own {pairs}, which stand behind its text as key=value or as a JSON object.
void Framer::take_pairs(std::string_view pairs, const std::vector<JsonField>& fields, Captures& captures) {
  if (!members_.read(!pairs.empty() && pairs[0] == '{' ? pairs : pairs_as_json(pairs, arena_))) return;
  for (const JsonField& field : fields) {
    const JsonValue value = value_of(field);
    if (value.present()) captures.add(capture_of(field, value.is_text() ? unescape_json(value, arena_) : value.text));
  }
}

// Fills `captures`, and the frame's time, level and logger; true when the rule's message was found and is now the payload.
bool Framer::take_fields(const JsonRule& rule, Frame& frame, Captures& captures) {
  JsonValue message;
  for (const JsonField& field : rule.fields) {
    const JsonValue value = value_of(field);
    if (!value.present()) continue;
    const std::string_view text = value.is_text() ? unescape_json(value, arena_) : value.text;
    switch (field.field) {
      case Field::time: frame.stamp(read_time(value)); break;
      case Field::level: frame.level = text; break;
      case Field::logger: frame.logger = text; break;
      case Field::message: message = value; break;
      case Field::process: frame.process = mix(frame.process, text); break;
      case Field::direction: frame.direction = direction_of(text); break;
      default: captures.add(capture_of(field, text)); break;
    }
  }
  return message.is_text() && rule.is_log && take_payload(frame, message);
}

bool Framer::take_payload(Frame& frame, const JsonValue& message) {
  frame.payload = clean(unescape_json(message, arena_));
  return true;
}

// A body that stands as a member of its own beside the message.
LogRecord& Framer::take_body(Frame& frame, const JsonValue& body, std::string_view text, std::string_view line) {
  auto* record = arena_.make<LogRecord>();
  record->kind = RecordKind::message;
  record->body = body.is_text() ? unescape_json(body, arena_) : body.text;
  record->codec = body.is_text() ? "auto" : "json";
  record->text = text.empty() ? line : text;
  const Surroundings near = describe_surroundings(text, {});
  record->direction = frame.direction == model::Direction::unknown ? near.direction : frame.direction;
  record->session = frame.session.empty() ? near.session : frame.session;
  record->keying = frame.session.empty() ? near.keying : frame.keying;
  record->peer = frame.peer;
  frame.ready = record;
  return *record;
}

// A record of a whole call: each of the two messages tells by its kind which way it went.
void Framer::take_bodies(Frame& frame, const JsonKeys& keys, std::string_view text, std::string_view line) {
  LogRecord& record = take_body(frame, keys.body, text, line);
  if (!keys.second_body.present()) return;
  record.direction = model::Direction::unknown;
  record.second_body = keys.second_body.is_text() ? unescape_json(keys.second_body, arena_) : keys.second_body.text;
}

bool Framer::read_logger_json(Frame& frame) {
  const std::string_view line = frame.payload.substr(0, members_.consumed());
  const bool rpc = holds_rpc(line);
  const JsonKeys keys = JsonKeys::of(members_, rpc);
  frame.wrap(Framing::json_lines);
  take_keys(keys, frame, frame.dialect == 0 || !frame.inner.known());
  if (keys.is_rpc) return void(take_body(frame, JsonValue{JsonType::object, false, line}, {}, line)), true;
  const std::string_view text = keys.message.is_text() ? clean(unescape_json(keys.message, arena_)) : std::string_view{};
  if (keys.body.present()) return take_bodies(frame, keys, text, line), true;
  frame.error = error_of(keys.error);
  if (keys.message.is_text()) return frame.payload = text, true;
  if (keys.message.type == JsonType::object) return frame.payload = keys.message.text, true;
  return false;
}

// "err": "...", or {"type": "McpError", "message": "...", "stack": "..."}.
std::string_view Framer::error_of(JsonValue value) {
  JsonMembers members;
  if (value.type == JsonType::object && members.read(value.text)) value = members.find("message");
  return value.is_text() ? clean(unescape_json(value, arena_)) : std::string_view{};
}

void Framer::take_keys(const JsonKeys& keys, Frame& frame, bool take_time) {
  if (take_time) frame.stamp(read_time(keys.time));
  if (frame.level.empty()) frame.level = keys.level.text;
  if (frame.logger.empty()) frame.logger = keys.logger.text;
  if (frame.session.empty()) {
    frame.session = session_or_nothing(keys.session.present() ? unescape_json(keys.session, arena_) : std::string_view{});
    if (keys.conversation && !frame.session.empty()) frame.session = arena_.copy("conversation " + std::string(frame.session));  // no id that a server gave
  }
  if (!frame.session.empty()) frame.keying = keys.own_session ? model::SessionKeying::process : model::SessionKeying::mcp_session_id;
  if (keys.direction.is_text()) frame.direction = direction_of(keys.direction.text);
  frame.process = mix(mix(frame.process, keys.pod.text), keys.process.text);
  if (keys.peer.is_text()) frame.peer = keys.peer.text;
}

}  // namespace mcpscan::ingest
