#include "ingest/har/entry_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "ingest/har/entry_splitter.h"
#include "ingest/har/har_values.h"
#include "ingest/har/sound_text.h"

namespace mcpscan::ingest {
namespace {

namespace ondemand = simdjson::ondemand;
using Value = ondemand::value;
using Type = ondemand::json_type;
using simdjson::error_code;

static_assert(EntrySplitter::kPadding >= simdjson::SIMDJSON_PADDING);

std::string_view trim_end(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

// Strings stay as they stand, so that a long body costs nothing until somebody wants it.
error_code take(Value value, JsonValue& out) {
  Type type;
  if (const error_code error = value.type().get(type)) return error;
  std::string_view raw = trim_end(value.raw_json_token());
  out = {};
  switch (type) {
    case Type::string:
      out.type = JsonType::string;
      out.text = raw.size() < 2 ? std::string_view() : raw.substr(1, raw.size() - 2);
      out.escaped = out.text.find('\\') != std::string_view::npos;
      return simdjson::SUCCESS;
    case Type::object: {
      ondemand::object object;
      if (const error_code error = value.get_object().get(object)) return error;
      out.type = JsonType::object;
      return object.raw_json().get(out.text);
    }
    case Type::array: {
      ondemand::array array;
      if (const error_code error = value.get_array().get(array)) return error;
      out.type = JsonType::array;
      return array.raw_json().get(out.text);
    }
    case Type::number: out.type = JsonType::number; break;
    case Type::boolean:
    case Type::null: out.type = JsonType::literal; break;
  }
  out.text = raw;
  return simdjson::SUCCESS;
}

// Calls `each` with every key and value of an object, in their order.
template <typename Each>
error_code for_each_member(ondemand::object object, Each each) {
  for (auto member : object) {
    ondemand::field field;
    if (const error_code error = std::move(member).get(field)) return error;
    std::string_view key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) key = {};  // of no meaning for the format
    if (const error_code error = each(key, field.value())) return error;
  }
  return simdjson::SUCCESS;
}

template <typename Each>
error_code for_each_element(Value value, Each each) {
  ondemand::array array;
  if (const error_code error = value.get_array().get(array)) return error;
  for (auto element : array) {
    Value item;
    if (const error_code error = std::move(element).get(item)) return error;
    if (const error_code error = each(item)) return error;
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct EntryParser::State {
  State(const TimeContext& times, const Limits& bounds, model::AnomalyLog& log) : limits(bounds), reader(times), anomalies(log) {}

  error_code read_entry(ondemand::object object);
  error_code read_request(std::string_view key, Value value);
  error_code read_response(std::string_view key, Value value);
  error_code read_body(std::string_view key, Value value, HarBody& body);
  error_code read_timing(std::string_view key, Value value);
  error_code read_events(Value value);
  error_code read_event(Value value);
  error_code read_headers(Value value, const char* name, std::vector<HarHeader>& headers);
  error_code read_header(Value value, const char* name, std::vector<HarHeader>& headers);
  error_code read_params(Value value, std::vector<HarParam>& params);
  template <typename Each>
  error_code object_of(Value value, const char* name, Each each);
  error_code text_of(Value value, const char* name, std::string_view& out);
  error_code flag_of(Value value, bool& out);
  error_code number_of(Value value, const char* name, double& out);
  error_code integer_of(Value value, const char* name, std::int64_t& out);
  std::string_view decoded(const JsonValue& value) { return unescape_json(value, *arena); }
  void wrong_type(const char* name, const JsonValue& value);
  void add_header(const HarHeader& header, std::vector<HarHeader>& headers);
  error_code run(std::string_view text, std::size_t readable, std::size_t& at);

  const Limits& limits;
  ondemand::parser parser;
  TimeReader reader;
  model::AnomalyLog& anomalies;
  std::string repaired;
  Arena* arena = nullptr;
  HarEntry* entry = nullptr;
  HarTimings timings;
  double time_ms = -1;
  const std::vector<HarHeader>* last_list = nullptr;  // the list being read, and how long it would be on the wire
  std::size_t list_bytes = 0;
};

// --- values ---

void EntryParser::State::wrong_type(const char* name, const JsonValue& value) {
  constexpr std::size_t kShown = 40;
  anomalies.add({"har-wrong-type", fmt::format("{} is {}", name, value.text.substr(0, kShown)), entry->source, 1});
}

template <typename Each>
error_code EntryParser::State::object_of(Value value, const char* name, Each each) {
  Type type;
  if (const error_code error = value.type().get(type)) return error;
  if (type == Type::object) {
    ondemand::object object;
    if (const error_code error = value.get_object().get(object)) return error;
    return for_each_member(object, each);
  }
  if (type == Type::null) return simdjson::SUCCESS;
  JsonValue other;
  const error_code error = take(value, other);
  wrong_type(name, other);
  return error;
}

error_code EntryParser::State::text_of(Value value, const char* name, std::string_view& out) {
  JsonValue taken;
  if (const error_code error = take(value, taken)) return error;
  if (taken.present() && !taken.is_text()) wrong_type(name, taken);
  if (taken.present()) out = decoded(taken);
  return simdjson::SUCCESS;
}

// True, or a name of something.
error_code EntryParser::State::flag_of(Value value, bool& out) {
  JsonValue taken;
  if (const error_code error = take(value, taken)) return error;
  out = taken.text == "true" || (taken.is_text() && !taken.text.empty());
  return simdjson::SUCCESS;
}

error_code EntryParser::State::number_of(Value value, const char* name, double& out) {
  JsonValue taken;
  if (const error_code error = take(value, taken)) return error;
  if (!taken.present()) return simdjson::SUCCESS;
  const auto number = har_number(taken);
  if (!number || taken.is_text()) wrong_type(name, taken);
  if (number) out = *number;
  return simdjson::SUCCESS;
}

error_code EntryParser::State::integer_of(Value value, const char* name, std::int64_t& out) {
  JsonValue taken;
  if (const error_code error = take(value, taken)) return error;
  if (!taken.present()) return simdjson::SUCCESS;
  const auto number = har_integer(taken);
  if (!number || taken.is_text()) wrong_type(name, taken);
  if (number) out = *number;
  return simdjson::SUCCESS;
}

// --- the entry ---

error_code EntryParser::State::read_entry(ondemand::object object) {
  JsonValue start;
  const error_code error = for_each_member(object, [&](std::string_view key, Value value) -> error_code {
    if (key == "startedDateTime") return take(value, start);
    if (key == "time") return number_of(value, "time", time_ms);
    if (key == "request") return object_of(value, "request", [&](std::string_view name, Value of) { return read_request(name, of); });
    if (key == "response") return object_of(value, "response", [&](std::string_view name, Value of) { return read_response(name, of); });
    if (key == "timings") return object_of(value, "timings", [&](std::string_view name, Value of) { return read_timing(name, of); });
    if (key == "_connectionId") return text_of(value, "_connectionId", entry->connection_id);
    if (key == "connection") return text_of(value, "connection", entry->connection);
    if (key == "_error") return text_of(value, "_error", entry->error);
    if (key == "_serviceWorkerRef") return flag_of(value, entry->by_worker);
    if (key == "_eventSourceMessages") return read_events(value);
    return simdjson::SUCCESS;
  });
  if (error != simdjson::SUCCESS) return error;
  take_durations(timings, time_ms, *entry);
  if (!take_start(start, reader, *entry) && start.present()) wrong_type("startedDateTime", start);
  return simdjson::SUCCESS;
}

error_code EntryParser::State::read_request(std::string_view key, Value value) {
  entry->has_request = true;
  if (key == "method") return text_of(value, "request.method", entry->method);
  if (key == "url") return text_of(value, "request.url", entry->url);
  if (key == "headers") return read_headers(value, "request.headers", entry->request_headers);
  if (key == "bodySize") return integer_of(value, "request.bodySize", entry->request.size);
  if (key != "postData") return simdjson::SUCCESS;
  return object_of(value, "request.postData", [&](std::string_view name, Value of) { return read_body(name, of, entry->request); });
}

error_code EntryParser::State::read_response(std::string_view key, Value value) {
  entry->has_response = true;
  if (key == "status") return integer_of(value, "response.status", entry->status);
  if (key == "redirectURL") return text_of(value, "response.redirectURL", entry->redirect_url);
  if (key == "headers") return read_headers(value, "response.headers", entry->response_headers);
  if (key == "_error" || key == "_failureText") return text_of(value, "response._error", entry->error);
  if (key == "_fetchedViaServiceWorker") return flag_of(value, entry->for_page);
  if (key == "bodySize") return integer_of(value, "response.bodySize", entry->response.sent);
  if (key == "headersSize") return integer_of(value, "response.headersSize", entry->response.head);
  if (key != "content") return simdjson::SUCCESS;
  return object_of(value, "response.content", [&](std::string_view name, Value of) { return read_body(name, of, entry->response); });
}

error_code EntryParser::State::read_body(std::string_view key, Value value, HarBody& body) {
  if (key == "text") return take(value, body.text);
  if (key == "encoding") return text_of(value, "encoding", body.encoding);
  if (key == "mimeType") return text_of(value, "mimeType", body.mime_type);
  if (key == "_file") return text_of(value, "_file", body.file);
  if (key == "size") return integer_of(value, "content.size", body.size);
  if (key == "params") return read_params(value, body.params);
  return simdjson::SUCCESS;
}

error_code EntryParser::State::read_timing(std::string_view key, Value value) {
  if (key == "blocked") return number_of(value, "timings.blocked", timings.blocked);
  if (key == "dns") return number_of(value, "timings.dns", timings.dns);
  if (key == "connect") return number_of(value, "timings.connect", timings.connect);
  if (key == "send") return number_of(value, "timings.send", timings.send);
  if (key == "wait") return number_of(value, "timings.wait", timings.wait);
  if (key == "receive") return number_of(value, "timings.receive", timings.receive);
  return simdjson::SUCCESS;
}

// --- lists ---

// An array of objects with name and value; some write one object with the names as its keys.
error_code EntryParser::State::read_headers(Value value, const char* name, std::vector<HarHeader>& headers) {
  Type type;
  if (const error_code error = value.type().get(type)) return error;
  if (type == Type::array) return for_each_element(value, [&](Value item) { return read_header(item, name, headers); });
  return object_of(value, name, [&](std::string_view key, Value of) {
    HarHeader header{arena->copy(key), {}};
    const error_code error = text_of(of, name, header.value);
    add_header(header, headers);
    return error;
  });
}

error_code EntryParser::State::read_header(Value value, const char* name, std::vector<HarHeader>& headers) {
  HarHeader header;
  const error_code error = object_of(value, name, [&](std::string_view key, Value of) -> error_code {
    if (key == "name") return text_of(of, name, header.name);
    if (key == "value") return text_of(of, name, header.value);
    return simdjson::SUCCESS;
  });
  add_header(header, headers);
  return error;
}

error_code EntryParser::State::read_params(Value value, std::vector<HarParam>& params) {
  Type type;
  if (const error_code error = value.type().get(type)) return error;
  const auto add = [&](const HarParam& param) {
    if (!param.name.empty()) params.push_back(param);
  };
  if (type != Type::array) {
    return object_of(value, "postData.params", [&](std::string_view key, Value of) {
      HarParam param{arena->copy(key), {}};
      const error_code error = take(of, param.value);
      add(param);
      return error;
    });
  }
  return for_each_element(value, [&](Value item) {
    HarParam param;
    const error_code error = object_of(item, "postData.params", [&](std::string_view key, Value of) -> error_code {
      if (key == "name") return text_of(of, "postData.params", param.name);
      return key == "value" ? take(of, param.value) : simdjson::SUCCESS;
    });
    add(param);
    return error;
  });
}

void EntryParser::State::add_header(const HarHeader& header, std::vector<HarHeader>& headers) {
  if (header.name.empty()) return;
  constexpr std::size_t kMarks = 4;  // colon, blank and line end, as on the wire
  if (&headers != last_list) last_list = &headers, list_bytes = 0;
  list_bytes += header.name.size() + header.value.size() + kMarks;
  if (list_bytes <= limits.header_bytes) return headers.push_back(header);
  anomalies.add({"har-headers-bound", "the entry has more headers than header_bytes; the others are not read", entry->source, 1});
}

error_code EntryParser::State::read_events(Value value) {
  Type type;
  if (const error_code error = value.type().get(type)) return error;
  if (type != Type::array) return simdjson::SUCCESS;
  const error_code error = for_each_element(value, [&](Value item) { return read_event(item); });
  if (entry->events_left_out) {
    anomalies.add({"har-events-bound", "the entry has more timed events than har_pending_entries; its body is read as one", entry->source, 1});
    entry->events.clear();
  }
  return error;
}

error_code EntryParser::State::read_event(Value value) {
  HarStreamEvent event;
  double seconds = -1;
  const error_code error = object_of(value, "_eventSourceMessages", [&](std::string_view key, Value of) -> error_code {
    if (key == "time") return number_of(of, "_eventSourceMessages.time", seconds);
    if (key == "eventName") return text_of(of, "_eventSourceMessages.eventName", event.type);
    if (key == "eventId") return text_of(of, "_eventSourceMessages.eventId", event.id);
    if (key == "data") return take(of, event.data);
    return simdjson::SUCCESS;
  });
  constexpr double kLatest = 4e9;  // the year 2096
  if (seconds > 0 && seconds < kLatest) event.at = {static_cast<std::int64_t>(seconds * kSecond)};
  if (entry->events.size() < limits.har_pending_entries) entry->events.push_back(event);
  else entry->events_left_out = true;
  return error;
}

// --- the text ---

error_code EntryParser::State::run(std::string_view text, std::size_t readable, std::size_t& at) {
  entry->clear();
  timings = {};
  time_ms = -1;
  last_list = nullptr;
  ondemand::document document;
  error_code error = parser.iterate(simdjson::padded_string_view(text.data(), text.size(), readable)).get(document);
  if (error != simdjson::SUCCESS) return at = error == simdjson::UNCLOSED_STRING ? text.size() : 0, error;
  ondemand::object object;
  error = document.get_object().get(object);
  if (error == simdjson::SUCCESS) error = read_entry(object);
  if (error == simdjson::SUCCESS) return error;
  const char* place = nullptr;
  if (document.current_location().get(place) == simdjson::SUCCESS && place >= text.data()) {
    at = std::min(static_cast<std::size_t>(place - text.data()), text.size());
  } else {
    at = text.size();
  }
  return error;
}

EntryParser::EntryParser(const TimeContext& times, const Limits& limits, model::AnomalyLog& anomalies)
    : state_(std::make_unique<State>(times, limits, anomalies)) {}
EntryParser::~EntryParser() = default;

std::optional<EntryFault> EntryParser::parse(std::string_view text, Arena& arena, HarEntry& entry) {
  State& state = *state_;
  state.arena = &arena;
  state.entry = &entry;
  std::size_t at = 0;
  error_code error = state.run(text, text.size() + EntrySplitter::kPadding, at);
  if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
    state.anomalies.add({"har-unsound-text", "the entry is not UTF-8 or holds raw control bytes; it is read with them replaced", entry.source, 1});
    make_sound(text, EntrySplitter::kPadding, state.repaired);
    error = state.run({state.repaired.data(), text.size()}, state.repaired.size(), at);
  }
  if (error != simdjson::SUCCESS) return EntryFault{simdjson::error_message(error), at, false};
  if (!entry.has_request) return EntryFault{"the entry has no request", 0, true};
  return std::nullopt;
}

}  // namespace mcpscan::ingest
