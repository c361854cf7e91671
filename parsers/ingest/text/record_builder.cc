#include "ingest/text/record_builder.h"

#include <algorithm>
#include <array>

#include "ingest/har/body_text.h"
#include "ingest/text/char_class.h"
#include "ingest/text/surroundings.h"
#include "ingest/text/termination_flags.h"
#include "ingest/transcript/client_words.h"
#include "model/lost_session.h"

namespace mcpscan::ingest {
namespace {

using model::HttpFacts;

std::string_view or_nothing(std::string_view text) { return text == "-" ? std::string_view{} : text; }

// The text members of HttpFacts by field.
std::string_view* text_member(HttpFacts& http, Field field) {
  switch (field) {
    case Field::method: return &http.method;
    case Field::path: return &http.path;
    case Field::server: return &http.server;
    case Field::user_agent: return &http.user_agent;
    case Field::content_type: return &http.content_type;
    case Field::host: return &http.host;
    case Field::origin: return &http.origin;
    case Field::accept: return &http.accept;
    case Field::session: return &http.session_id;
    case Field::response_session: return &http.response_session_id;
    case Field::protocol_version: return &http.protocol_version;
    case Field::last_event_id: return &http.last_event_id;
    case Field::mcp_method: return &http.mcp_method;
    case Field::mcp_name: return &http.mcp_name;
    case Field::forwarded_for: return &http.forwarded_for;
    default: return nullptr;
  }
}

std::uint16_t small_number(std::int64_t value) { return value > 0 && value < 65536 ? static_cast<std::uint16_t>(value) : 0; }

// METHOD path [HTTP/1.1]
void take_request_line(std::string_view line, HttpFacts& http) {
  const std::size_t blank = line.find(' ');
  http.method = line.substr(0, blank);
  if (blank == std::string_view::npos) return;
  const std::string_view behind = line.substr(blank + 1);
  http.path = behind.substr(0, behind.find(' '));
}

void take_http_field(const Capture& capture, HttpFacts& http) {
  if (std::string_view* member = text_member(http, capture.field)) {
    *member = or_nothing(capture.text);
    return;
  }
  switch (capture.field) {
    case Field::status: http.status = small_number(capture.number); break;
    case Field::response_bytes: http.response_bytes = capture.number; break;
    case Field::request_bytes: http.request_bytes = capture.number; break;
    case Field::duration: http.duration_us = capture.number; break;
    case Field::peer:
      http.peer = or_nothing(capture.text);
      if (capture.number != 0) http.peer_port = small_number(capture.number);
      break;
    case Field::request: take_request_line(capture.text, http); break;
    case Field::port: http.peer_port = small_number(capture.number); break;
    default: break;
  }
}

bool is_event_stream(std::string_view content_type) {
  constexpr std::string_view kType = "text/event-stream";
  return equal_ignoring_case(content_type.substr(0, kType.size()), kType);
}

// The exchange's session: the request's, else the one the response brought, else the legacy URL's.
void key_exchange(HttpFacts& http, LogRecord& record) {
  http.session_id = session_or_nothing(http.session_id);
  http.response_session_id = session_or_nothing(http.response_session_id);
  record.session = http.session_id.empty() ? http.response_session_id : http.session_id;
  if (!record.session.empty()) {
    record.keying = model::SessionKeying::mcp_session_id;
    return;
  }
  record.session = session_in_path(http.path);
  if (!record.session.empty()) record.keying = model::SessionKeying::legacy_session_id;
}

// Users' logins stand under the same names, so the path has to be MCP's alone and the value an id.
void key_by_any_session(std::string_view session, HttpFacts& http, LogRecord& record) {
  if (!record.session.empty() || !is_opaque(session) || http.path.find("mcp") == std::string_view::npos) return;
  record.session = http.session_id = session;
  record.keying = model::SessionKeying::mcp_session_id;
}

// How the exchange ended, by the proxy's own word. That the proxy gave up is a statement of its own. What it did to a client that took no data
// says nothing of a call; on a GET it ended a stream that was silent.
void end_exchange(std::string_view flags, HttpFacts& http, Arena& arena, LogRecord& record) {
  const Termination end = read_termination(flags);
  if (end == Termination::complete) http.end = model::EndReason::complete;
  const bool told_by_status = http.status == 499 || http.status == 460;  // nginx and others; an Application Load Balancer
  if (end == Termination::by_client || told_by_status) http.end = model::EndReason::closed_by_client;
  if (end == Termination::by_server) http.end = model::EndReason::reset_by_server;
  if (end != Termination::upstream_timer && (end != Termination::downstream_timer || http.method != "GET")) return;
  auto* notice = arena.make<model::Notice>();
  notice->kind = model::NoticeKind::request_timed_out;
  notice->wait_us = http.duration_us;
  notice->reason = flags;
  record.notice = notice;
}

// When the request came and when the response was over, of which the line gives one and the time between them.
void time_exchange(bool told_the_end, HttpFacts& http, LogRecord& record) {
  if (!record.at.known() || http.duration_us < 0) return;
  http.started = record.at;
  if (told_the_end) http.started.us -= http.duration_us;
  else record.at.us += http.duration_us;
}

void apply_exchange(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record) {
  auto* http = arena.make<HttpFacts>();
  for (std::size_t i = 0; i < captures.count; ++i) take_http_field(captures.items[i], *http);
  key_exchange(*http, record);
  record.peer = http->peer;
  record.peer_port = http->peer_port;
  if (record.session.empty() && !is_mcp_path(http->path)) {
    record.kind = RecordKind::noise;
    record.reason = "other-traffic";
    return;
  }
  key_by_any_session(captures.text(Field::any_session), *http, record);
  http->is_sse = is_event_stream(http->content_type);
  time_exchange(meaning.ends_exchange, *http, record);
  http->body_unknown = true;
  end_exchange(captures.text(Field::termination), *http, arena, record);
  record.http = http;
}

// mcp-go prints the type that the id has in Go before it.
std::string_view without_go_type(std::string_view token) {
  for (const std::string_view type : {std::string_view("int64:"), std::string_view("float64:"), std::string_view("string:")}) {
    if (token.starts_with(type)) return token.substr(type.size());
  }
  return token;
}

// The id as the line has it: a number is a number, whether it was printed as a text or not, since loggers print all ids in one way.
model::RpcId told_id(std::string_view token) {
  token = without_go_type(token);
  if (token.empty() || token == "undefined") return {};
  if (token == "null") return {model::IdType::null, {}, token};
  const std::size_t sign = token[0] == '-';
  const Decimal digits = read_decimal(token, sign);
  const bool integer = digits.digits != 0 && sign + digits.digits == token.size();
  return {integer ? model::IdType::integer : model::IdType::string, token, token};
}

void tell_error(const Capture& error, model::RpcMessage& reply) {
  reply.kind = model::MessageKind::error;
  const std::size_t sign = !error.text.empty() && error.text[0] == '-';
  const Decimal code = read_decimal(error.text, sign);
  reply.error_code = code.digits == 0 ? 0 : sign != 0 ? -code.value : code.value;
  reply.reason = error.text;
}

// A message told by its method and id, without its members.
const model::RpcMessage* told_message(const Meaning& meaning, const Captures& captures, Arena& arena) {
  model::RpcMessage message;
  message.id = told_id(captures.text(Field::key));
  message.method = captures.text(Field::mcp_method);
  const bool answers = !meaning.rpc_method.empty() && meaning.direction == model::Direction::server_to_client;
  if (message.method.empty() && !answers) message.method = meaning.rpc_method;
  message.target = captures.text(Field::mcp_name).empty() ? captures.text(Field::tool) : captures.text(Field::mcp_name);
  const Capture* error = captures.find(Field::error);
  if (!message.method.empty()) {
    const bool notification = message.method.substr(0, 14) == "notifications/";
    message.kind = notification ? model::MessageKind::notification : model::MessageKind::request;
    if (message.method == model::kInitialize) message.protocol_version = captures.text(Field::protocol_version);
  } else if (message.id.present() || answers) {
    message.kind = model::MessageKind::result;
    message.result_keys = model::kUntoldResult;
    if (error != nullptr && !error->text.empty()) tell_error(*error, message);
  } else {
    return nullptr;
  }
  return arena.make<model::RpcMessage>(message);
}

void tell_messages(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record) {
  if (record.body.empty()) record.told = told_message(meaning, captures, arena);
  const Capture* error = captures.find(Field::error);
  const bool answered = record.kind == RecordKind::exchange && record.told != nullptr && error != nullptr && !error->text.empty();
  if (!answered || record.told->kind != model::MessageKind::request) return;
  model::RpcMessage reply;
  reply.id = record.told->id;
  tell_error(*error, reply);
  record.told_reply = arena.make<model::RpcMessage>(reply);
}

bool is_about_session(model::NoticeKind kind) { return kind == model::NoticeKind::session_not_found || kind == model::NoticeKind::upstream_session_lost; }

// What a client got as the answer to its POST: a proxy gave up on the server (RFC 9110 section 15.6.5, and Cloudflare's own status for it). Some
// tell no status, but the page that came with it.
bool is_given_up(std::string_view status, std::string_view answer) {
  constexpr std::size_t kHead = 512;
  return status == "504" || status == "524" || (answer.starts_with('<') && answer.substr(0, kHead).find("504 Gateway Time") != std::string_view::npos);
}

// A statement that quotes an error says what that error says. Where it does not speak of the session or of a proxy, nothing is known but that
// something failed; and in a line of any program's the error may be a message that is worth reading.
void apply_notice(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record) {
  const std::string_view error = captures.text(Field::error);
  const bool quotes = captures.find(Field::error) != nullptr && is_about_session(meaning.notice);
  const bool given_up = quotes && is_given_up(captures.text(Field::second_key), error);
  if (quotes && !given_up && !model::tells_lost_session(error)) {
    record.kind = meaning.anywhere ? RecordKind::unknown : RecordKind::context;
    return;
  }
  if (!error.empty() && error.front() == '{') record.body = error;
  auto* notice = arena.make<model::Notice>();
  notice->reason = error;
  notice->kind = given_up ? model::NoticeKind::request_timed_out : meaning.notice;
  notice->key = without_go_type(captures.text(Field::key));
  notice->second_key = captures.text(Field::second_key);
  notice->method = given_up ? std::string_view("POST") : captures.text(Field::method);
  notice->tool = captures.text(Field::tool);
  if (const Capture* wait = captures.find(Field::wait)) notice->wait_us = wait->number;
  record.notice = notice;
}

void apply_outcome(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record) {
  auto* outcome = arena.make<model::OutcomeFacts>();
  outcome->call = captures.text(Field::key);
  outcome->tool = captures.text(Field::tool);
  outcome->is_start = meaning.outcome == OutcomeWord::started;
  outcome->text = captures.text(Field::error);
  const ClientWord word = meaning.outcome == OutcomeWord::failed ? client_word(outcome->text, true) : ClientWord::none;
  outcome->timed_out = meaning.outcome == OutcomeWord::timed_out || word == ClientWord::timed_out;
  outcome->stopped = word == ClientWord::stopped;
  outcome->no_answer = meaning.outcome == OutcomeWord::no_answer || outcome->stopped || word == ClientWord::no_answer;
  outcome->not_sent = meaning.outcome == OutcomeWord::not_sent || word == ClientWord::not_sent;
  outcome->is_error = !outcome->is_start && meaning.outcome != OutcomeWord::shown;
  if (outcome->is_start) outcome->started = record.at;
  record.outcome = outcome;
}

// A body in base64 is what it stands for, in whatever codec; one that is none is left as it stands.
void take_body(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record) {
  record.body = captures.text(Field::body);
  if (record.body.empty()) return;
  const bool base64 = meaning.codec == "base64";
  record.codec = meaning.codec == "auto" || base64 ? std::string_view{} : std::string_view(meaning.codec);
  std::string_view decoded;
  if (base64 && decode_base64(record.body, arena, decoded)) record.body = decoded;
}

void apply_common(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record) {
  if (const Capture* time = captures.find(Field::time)) record.at.us = time->number;
  take_body(meaning, captures, arena, record);
  record.codec_lenient = meaning.lenient;
  record.tells_all = meaning.tells_all;
  const std::string_view session = session_or_nothing(captures.text(Field::session));
  if (!session.empty()) {
    record.session = session;
    record.keying = meaning.keying == model::SessionKeying::none ? model::SessionKeying::mcp_session_id : meaning.keying;
  }
  if (const Capture* peer = captures.find(Field::peer)) {
    record.peer = peer->text;
    record.peer_port = small_number(peer->number);
  }
}

}  // namespace

std::string_view session_or_nothing(std::string_view word) {
  static constexpr std::array<std::string_view, 9> kNothing{"-", "None", "null", "undefined", "not-provided", "none", "nil", "\"\"", "''"};
  return std::find(kNothing.begin(), kNothing.end(), word) != kNothing.end() ? std::string_view{} : word;
}

// /v1/messages and /api/messages are those of language models and of chats: the 2024-11-05 transport's names its session, or stands at the root.
bool is_mcp_path(std::string_view path) {
  path = path.substr(0, path.find('?'));
  const std::size_t scheme = path.find("://");
  if (scheme != std::string_view::npos) path = path.substr(std::min(path.find('/', scheme + 3), path.size()));
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part == "mcp" || part == "sse" || (at <= 1 && (part == "messages" || part == "message"))) return true;
    at = end + 1;
  }
  return false;
}

std::string_view session_in_path(std::string_view path) {
  const std::size_t query = path.find('?');
  if (query == std::string_view::npos) return {};
  for (const std::string_view name : {std::string_view("session_id="), std::string_view("sessionId=")}) {
    for (std::size_t at = path.find(name, query); at != std::string_view::npos; at = path.find(name, at + 1)) {
      if (path[at - 1] != '?' && path[at - 1] != '&') continue;
      const std::size_t from = at + name.size();
      return path.substr(from, std::min(path.find_first_of("&# ", from), path.size()) - from);
    }
  }
  return {};
}

void apply_meaning(const Meaning& meaning, const Captures& captures, Arena& arena, LogRecord& record) {
  record.kind = meaning.is;
  record.reason = meaning.reason;
  if (meaning.direction != model::Direction::unknown) record.direction = meaning.direction;
  record.stream = meaning.stream;
  apply_common(meaning, captures, arena, record);
  if (meaning.is == RecordKind::outcome) apply_outcome(meaning, captures, arena, record);
  if (meaning.has_notice) apply_notice(meaning, captures, arena, record);
  const Capture* path = captures.find(Field::path);
  if (meaning.is == RecordKind::notice && path != nullptr && record.session.empty() && !is_mcp_path(path->text)) {
    record.kind = RecordKind::noise;
    record.reason = "other-traffic";
  }
  if (meaning.is == RecordKind::exchange) apply_exchange(meaning, captures, arena, record);
  if (record.kind == RecordKind::exchange || record.kind == RecordKind::message) tell_messages(meaning, captures, arena, record);
}

}  // namespace mcpscan::ingest
