#include "app/exchange.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "app/exchange_recorder.h"
#include "base/find_text.h"
#include "base/ignoring_case.h"
#include "base/text_head.h"
#include "model/lost_session.h"

namespace mcpscan::app {
namespace {

using model::Direction;
using model::EndReason;
using model::ObservationKind;
using model::SessionKeying;
using model::Side;
using model::Stamp;
using model::StreamKind;

constexpr std::array kKeptFields = {
    &HttpHead::method,     &HttpHead::target,        &HttpHead::host,       &HttpHead::user_agent,       &HttpHead::content_type,
    &HttpHead::accept,     &HttpHead::origin,        &HttpHead::session_id, &HttpHead::protocol_version, &HttpHead::last_event_id,
    &HttpHead::mcp_method, &HttpHead::forwarded_for, &HttpHead::mcp_name,
};

constexpr std::string_view kListen = "subscriptions/listen";
constexpr std::string_view kNamelessEnds = "a stream of events ended whose beginning is not in the capture";
constexpr std::string_view kEndsInside = "the evidence ends inside a message";

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Writes what `text` stands for to `out`, which has room for as many bytes as `text`; nullptr when it is no base64.
char* decode_base64(std::string_view text, char* out) {
  unsigned bits = 0, held = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const int value = base64_value(c);
    if (value < 0) return nullptr;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffffu;
    if ((held += 6) < 8) continue;
    held -= 8;
    *out++ = static_cast<char>(bits >> held & 0xffu);
  }
  return out;
}

char* copy_to(std::string_view text, char* out) {
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// MCP 2026-07-28: a header value that is not plain ASCII is sent as =?base64?...?=. Room as for decode_base64().
constexpr std::string_view kEncodedHead = "=?base64?", kEncodedTail = "?=";

bool is_encoded(std::string_view value) {
  return value.size() >= kEncodedHead.size() + kEncodedTail.size() && value.starts_with(kEncodedHead) && value.ends_with(kEncodedTail);
}

char* copy_decoded(std::string_view value, char* out) {
  char* const end = is_encoded(value) ? decode_base64(value.substr(kEncodedHead.size(), value.size() - kEncodedHead.size() - kEncodedTail.size()), out) : nullptr;
  return end != nullptr ? end : copy_to(value, out);
}

bool is_event_stream(std::string_view content_type) {
  constexpr std::string_view kType = "text/event-stream";
  return content_type == kType || iequals(trim_space(content_type.substr(0, content_type.find(';'))), kType);
}

bool is_json(std::string_view content_type) { return content_type.starts_with("application/json") || contains_ignoring_case(content_type, "json"); }

Direction direction_of(Side from) { return from == Side::client ? Direction::client_to_server : Direction::server_to_client; }

bool is_evidence_end(EndReason reason) { return reason == EndReason::evidence_ends || reason == EndReason::evidence_gap; }

}  // namespace

// In one piece where the texts are, unless most of it is not theirs.
bool KeptHead::assign_whole(const HttpHead& from, std::size_t size) {
  constexpr std::size_t kOthers = 1024;
  if (from.section.size() > size + kOthers || is_encoded(from.mcp_name) || is_encoded(from.mcp_method)) return false;
  bytes.assign(from.section);
  for (const auto field : kKeptFields) {
    if ((from.*field).data() != nullptr) head.*field = {bytes.data() + ((from.*field).data() - from.section.data()), (from.*field).size()};
  }
  return true;
}

void KeptHead::assign(const HttpHead& from) {
  head = from;
  head.section = {};
  std::size_t size = 0;
  for (const auto field : kKeptFields) size += (from.*field).size();
  if (!from.section.empty() && assign_whole(from, size)) return;
  bytes.resize(size);
  char* to = bytes.data();
  for (const auto field : kKeptFields) {
    const char* const begin = to;
    to = field == &HttpHead::mcp_name || field == &HttpHead::mcp_method ? copy_decoded(from.*field, to) : copy_to(from.*field, to);
    head.*field = {begin, static_cast<std::size_t>(to - begin)};
  }
}

Exchange::Exchange(HttpState& state)
    : state_(state), request_body_(state, Side::client, *this), response_body_(state, Side::server, *this) {}

void Exchange::begin(HttpConnection& connection, std::uint64_t number) {
  connection_ = &connection;
  number_ = number;
  nature_ = Nature::undecided;
  stream_ = StreamKind::unknown;
  keying_ = SessionKeying::none;
  session_.clear();
  last_event_id_.clear();
  refusal_.clear();
  client_closed_at_ = last_byte_at_ = {};
  request_.head = response_.head = HttpHead{};
  request_at_ = response_at_ = Stamp{};
  events_seen_ = 0;
  has_request_ = has_response_ = request_done_ = response_done_ = false;
  request_told_ = response_told_ = ended_ = false;
  known_endpoint_ = is_sse_ = unpaired_ = joined_ = untold_ = request_hole_ = response_hole_ = evidence_over_ = false;
}

// --- the request ---

void Exchange::request_head(const HttpHead& head, const Stamp& stamp) {
  if (recorder()) recorder()->head(number_, connection_->flow(), Side::client, head, stamp);
  has_request_ = true;
  request_.assign(head);
  request_at_ = stamp;
  if (is_post())
    stream_ = head.mcp_method == kListen ? StreamKind::listen : StreamKind::post;
  else if (is_get())
    stream_ = head.has_last_event_id ? StreamKind::get_resume : StreamKind::get_standalone;
  take_request_session();
  nature_ = nature_of_request();
  if (nature_ == Nature::mcp) become_mcp();
  const bool json = is_json(head.content_type);
  const bool readable = nature_ == Nature::mcp || (nature_ == Nature::undecided && is_post());
  request_body_.open(!readable ? BodyReader::Use::ignore : json ? BodyReader::Use::json : BodyReader::Use::sniff, head.codings, stamp);
}

void Exchange::take_request_session() {
  const HttpHead& head = request_.head;
  if (!head.session_id.empty()) {
    session_ = head.session_id;
    keying_ = SessionKeying::mcp_session_id;
    return;
  }
  known_endpoint_ = !head.speaks_mcp() && state_.endpoints.knows(connection_->server(), head.target);
  if (!is_post()) return;
  std::string_view legacy = state_.endpoints.legacy_session(connection_->server(), head.target);
  known_endpoint_ |= !legacy.empty();
  if (legacy.empty()) legacy = session_in_query(head.target);
  if (legacy.empty()) return;
  session_ = legacy;
  keying_ = SessionKeying::legacy_session_id;
}

Exchange::Nature Exchange::nature_of_request() const {
  const HttpHead& head = request_.head;
  if (head.speaks_mcp()) return Nature::mcp;
  if (is_get() && known_endpoint_ && head.accepts_event_stream) return Nature::mcp;
  if (is_get()) return Nature::undecided;  // the stream of the 2024-11-05 transport looks like any other until it speaks
  const bool may_be_json = head.content_type.empty() || is_json(head.content_type);
  return is_post() && may_be_json ? Nature::undecided : Nature::foreign;
}

void Exchange::request_body(std::string_view bytes, bool last, const Stamp& stamp) {
  if (recorder()) recorder()->body(number_, Side::client, bytes, stamp);
  request_body_.feed(bytes, last, stamp);
}

void Exchange::request_end(const Stamp& stamp) {
  if (recorder()) recorder()->complete(number_, Side::client, stamp);
  request_body_.end(stamp);
  request_done_ = true;
  if (nature_ == Nature::undecided && is_post() && !request_hole_ && !has_response_) become_foreign();
  if (nature_ == Nature::mcp) emit_request();
}

void Exchange::request_lost(const Stamp& stamp) {
  request_hole_ = true;
  request_body_.cut(stamp);
  request_done_ = true;
  if (nature_ == Nature::undecided && known_endpoint_) become_mcp();
  if (nature_ == Nature::mcp) emit_request();
}

// --- the response ---

void Exchange::response_head(const HttpHead& head, const Stamp& stamp) {
  if (recorder()) recorder()->head(number_, connection_->flow(), Side::server, head, stamp);
  has_response_ = true;
  response_.assign(head);
  response_at_ = stamp;
  last_byte_at_ = stamp.at;
  is_sse_ = is_event_stream(head.content_type);
  if (session_.empty() && !head.session_id.empty()) {
    session_ = head.session_id;
    keying_ = SessionKeying::mcp_session_id;
  }
  if (nature_ == Nature::undecided && !head.session_id.empty())
    become_mcp();
  else if (nature_ == Nature::undecided && !is_post() && !is_sse_ && (has_request_ || !is_json(head.content_type)))
    become_foreign();
  response_body_.open(response_use(), head.codings, stamp);
  if (nature_ != Nature::mcp) return;
  emit_request();
  emit_response();
}

BodyReader::Use Exchange::response_use() const {
  if (nature_ == Nature::foreign) return BodyReader::Use::ignore;
  if (is_sse_) return BodyReader::Use::events;
  if (is_json(response_.head.content_type)) return BodyReader::Use::json;
  // Proxies and hand-made servers send JSON-RPC errors without saying that they are JSON.
  return nature_ == Nature::mcp ? BodyReader::Use::sniff : BodyReader::Use::ignore;
}

void Exchange::join_events(const Stamp& stamp) {
  joined_ = untold_ = is_sse_ = true;
  stream_ = StreamKind::legacy_sse;
  last_byte_at_ = stamp.at;
  response_body_.open(BodyReader::Use::events, {}, stamp);
}

void Exchange::response_body(std::string_view bytes, bool last, const Stamp& stamp) {
  last_byte_at_ = stamp.at;
  if (recorder()) recorder()->body(number_, Side::server, bytes, stamp);
  response_body_.feed(bytes, last, stamp);
  if (nature_ == Nature::foreign && !response_body_.ignored()) response_body_.close();
}

void Exchange::response_end(const Stamp& stamp) {
  if (recorder()) recorder()->complete(number_, Side::server, stamp);
  response_body_.end(stamp);
  response_done_ = true;
}

void Exchange::missing(Side from, const Stamp& stamp) {
  if (recorder()) recorder()->missing(number_, from, stamp);
  (from == Side::client ? request_hole_ : response_hole_) = true;
  (from == Side::client ? request_body_ : response_body_).missing(stamp);
}

void Exchange::client_closed(const Stamp& stamp) {
  if (recorder()) recorder()->client_closed(number_, stamp);
  client_closed_at_ = stamp.at;
}

void Exchange::end(EndReason reason, const Stamp& stamp) {
  if (ended_) return;
  ended_ = true;
  if (recorder()) recorder()->end(number_, nature_ == Nature::mcp, reason, stamp);
  if (is_evidence_end(reason)) {
    evidence_over_ = reason == EndReason::evidence_ends;
    request_body_.cut(stamp);
    response_body_.cut(stamp);
  }
  request_body_.close();
  response_body_.close();
  if (nature_ != Nature::mcp) {
    ++state_.shared.exchanges_not_mcp;
    return;
  }
  emit_request();
  emit_response();
  // What nobody was told of cannot end, but nothing more comes on it.
  if (untold_) return is_evidence_end(reason) ? void() : connection_->report_gap(Side::server, 0, this, kNamelessEnds, stamp);
  emit_end(reason == EndReason::complete && response_hole_ ? EndReason::evidence_gap : reason, stamp);
}

// --- what it is ---

void Exchange::become_mcp() {
  nature_ = Nature::mcp;
  // The URL of a legacy stream stays unknown: what a GET of it opens shows with its first event only.
  const bool tells_url = has_request_ && stream_ != StreamKind::legacy_sse;
  connection_->show_mcp(tells_url ? request_.head.target : std::string_view{}, *this);
  if (has_response_) {
    emit_request();
    emit_response();
  } else if (!is_post()) {
    emit_request();
  }
}

// Whether the text shows that the exchange is MCP.
bool Exchange::judge(Side from, std::string_view text) {
  bool shown = false;
  const bool legacy_post = from == Side::client && keying_ == SessionKeying::legacy_session_id;
  state_.reader.read(text, Codec::json, false, state_.arena, [&](const model::RpcMessage& message) {
    if (message.kind == model::MessageKind::invalid) return;
    shown |= known_endpoint_ || legacy_post || (from == Side::client ? proves_mcp(message) : resembles_mcp_reply(message));
  });
  state_.arena.reset();
  return shown;
}

// Some servers refuse with 200 and words that are no JSON-RPC: {"error": "Session not found"}.
void Exchange::keep_refusal(Side from, std::string_view text) {
  constexpr unsigned kFirstRefusal = 400;
  constexpr std::size_t kWordsBytes = 256;
  if (from != Side::server) return;
  const bool may_be_words = text.size() <= kWordsBytes && is_post() && find_text(text, "\"jsonrpc\"") == std::string_view::npos;
  if (response_.head.status >= kFirstRefusal || (may_be_words && model::tells_lost_transport_session(text))) refusal_ = text_head(text, state_.limits.evidence_text_bytes);
}

void Exchange::json_text(Side from, std::string_view text, bool truncated, const Stamp& stamp) {
  keep_refusal(from, text);
  if (nature_ == Nature::undecided) {
    if (judge(from, text))
      become_mcp();
    else if (!truncated)
      become_foreign();
  }
  if (nature_ == Nature::mcp) emit_body(from, text, {}, stamp);
}

void Exchange::sse_event(const SseEvent& event, const Stamp& stamp) {
  if (nature_ == Nature::foreign) return;
  if (!event.id.empty()) last_event_id_ = event.id;
  if (event.data.empty()) return emit_stream_event(event.id, stamp);
  const bool first = events_seen_++ == 0;
  if (event.type == "endpoint" && first && !is_post()) return take_endpoint_event(event);
  // Only the type "message" carries messages; SDKs ignore what other names hold, even when it looks like JSON-RPC.
  if (event.type.empty() || event.type == "message") {
    if (nature_ == Nature::undecided && judge(Side::server, event.data)) become_mcp();
    if (nature_ == Nature::mcp) emit_body(Side::server, event.data, event.id, stamp);
  }
  if (nature_ == Nature::undecided && events_seen_ >= state_.limits.foreign_events) become_foreign();
}

// Half an address would be another session's, and the same one for many: its stream is one that names no session.
void Exchange::take_endpoint_event(const SseEvent& event) {
  stream_ = StreamKind::legacy_sse;
  if (event.truncated) {
    untold_ = true;
    if (nature_ == Nature::undecided) become_mcp();
    return;
  }
  const std::string session = state_.endpoints.learn_legacy(connection_->server(), request_.head.target, trim_space(event.data));
  if (keying_ != SessionKeying::mcp_session_id) {
    session_ = session;
    keying_ = SessionKeying::legacy_session_id;
  }
  if (nature_ == Nature::undecided) become_mcp();
}

// --- observations ---

void Exchange::emit_body(Side from, std::string_view text, std::string_view event_id, const Stamp& stamp) {
  if (from == Side::client && listens(text)) stream_ = StreamKind::listen;
  emit_request();
  if (evidence_over_) connection_->report_gap(from, 0, this, kEndsInside, stamp);
  model::Observation observation;
  observation.kind = ObservationKind::body;
  observation.direction = direction_of(from);
  observation.at = stamp.at;
  observation.source = stamp.source;
  observation.event_id = event_id;
  observation.text = text;
  address(observation);
  state_.shared.sink.observe(observation);
}

bool Exchange::listens(std::string_view text) {
  if (find_text(text, "subscriptions") == std::string_view::npos) return false;
  bool listens = false;
  state_.reader.read(text, Codec::json, true, state_.arena, [&](const model::RpcMessage& message) { listens |= message.method == kListen; });
  state_.arena.reset();
  return listens;
}

// A priming event: an id and nothing else, so that the client can resume the stream (MCP 2025-11-25, transports, Resumability).
void Exchange::emit_stream_event(std::string_view event_id, const Stamp& stamp) {
  if (event_id.empty() || nature_ != Nature::mcp) return;
  emit_request();
  model::Observation observation;
  observation.kind = ObservationKind::stream_event;
  observation.direction = model::Direction::server_to_client;
  observation.at = stamp.at;
  observation.source = stamp.source;
  observation.event_id = event_id;
  address(observation);
  state_.shared.sink.observe(observation);
}

void Exchange::address(model::Observation& observation) const {
  observation.stream = stream_;
  observation.keying = keying_;
  observation.session = session_;
  if (!request_told_) observation.server = connection_->server();
  observation.exchange = number_;
  observation.connection = connection_->flow().connection;
}

model::HttpFacts Exchange::request_facts() const {
  const HttpHead& head = request_.head;
  model::HttpFacts facts;
  facts.method = head.method;
  facts.path = head.target;
  facts.host = head.host;
  facts.user_agent = head.user_agent;
  facts.content_type = head.content_type;
  facts.accept = head.accept;
  facts.origin = head.origin;
  facts.session_id = head.session_id;
  facts.protocol_version = head.protocol_version;
  facts.last_event_id = head.last_event_id;
  facts.mcp_method = head.mcp_method;
  facts.mcp_name = head.mcp_name;
  facts.forwarded_for = head.forwarded_for;
  facts.principal = head.principal;
  facts.body_unknown = request_hole_ || response_hole_;
  facts.peer = connection_->client();
  facts.peer_port = connection_->flow().key.client.port;
  facts.server = connection_->server();
  facts.scheme = connection_->flow().scheme;
  if (head.has_length && !head.chunked) facts.request_bytes = static_cast<std::int64_t>(head.content_length);
  return facts;
}

void Exchange::emit_request() {
  if (request_told_ || untold_ || !has_request_) return;
  request_told_ = true;
  emit(ObservationKind::exchange_request, Direction::client_to_server, request_facts(), request_at_);
}

void Exchange::emit_response() {
  if (response_told_ || untold_ || !has_response_) return;
  response_told_ = true;
  const HttpHead& head = response_.head;
  model::HttpFacts facts = request_facts();
  facts.status = head.status;
  facts.content_type = head.content_type;
  facts.session_id = facts.response_session_id = head.session_id;
  if (!head.protocol_version.empty()) facts.protocol_version = head.protocol_version;
  if (head.has_length && !head.chunked) facts.response_bytes = static_cast<std::int64_t>(head.content_length);
  facts.is_sse = is_sse_;
  facts.of_proxy = head.of_proxy;
  emit(ObservationKind::exchange_response, Direction::server_to_client, facts, response_at_);
}

void Exchange::emit_end(EndReason reason, const Stamp& stamp) {
  model::HttpFacts facts = request_facts();
  facts.status = response_.head.status;
  facts.content_type = response_.head.content_type;
  facts.response_session_id = response_.head.session_id;
  facts.is_sse = is_sse_;
  facts.end = reason;
  facts.client_closed_at = client_closed_at_;
  facts.refusal = refusal_;
  facts.last_byte_at = last_byte_at_;
  if (response_.head.has_length && !response_.head.chunked) facts.declared_bytes = static_cast<std::int64_t>(response_.head.content_length);
  facts.request_bytes = has_request_ && !request_hole_ ? static_cast<std::int64_t>(request_body_.wire_bytes()) : -1;
  facts.response_bytes = has_response_ && !response_hole_ ? static_cast<std::int64_t>(response_body_.wire_bytes()) : -1;
  if (has_request_ && request_at_.at.known() && stamp.at.known()) facts.duration_us = stamp.at.us - request_at_.at.us;
  facts.started = request_at_.at;
  facts.saw_server = connection_->flow().saw_server;
  emit(ObservationKind::exchange_end, Direction::unknown, facts, stamp);
}

void Exchange::emit(ObservationKind kind, Direction direction, const model::HttpFacts& facts, const Stamp& stamp) {
  model::Observation observation;
  observation.kind = kind;
  observation.direction = direction;
  observation.at = stamp.at;
  observation.source = stamp.source;
  observation.http = &facts;
  if (kind == ObservationKind::exchange_end) observation.event_id = last_event_id_;
  address(observation);
  state_.shared.sink.observe(observation);
}

}  // namespace mcpscan::app
