#include "pipeline/har_intake.h"

#include <algorithm>
#include <utility>

#include "base/ignoring_case.h"
#include "ingest/har/body_text.h"
#include "model/book_reasons.h"

namespace mcpscan::pipeline {
namespace {

using ingest::HarEntry;

// Producers trim the blank line that ends the last event; one whose JSON is whole is taken for sent.
void complete_last_event(std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last != std::string::npos && (text[last] == '}' || text[last] == ']') && !text.ends_with("\n\n")) text += "\n\n";
}

// An event as it stood in the stream.
std::string event_text(const ingest::HarStreamEvent& event, Arena& arena) {
  std::string text;
  if (!event.id.empty()) text.append("id: ").append(event.id).append("\n");
  if (!event.type.empty()) text.append("event: ").append(event.type).append("\n");
  std::string_view data = ingest::unescape_json(event.data, arena);
  for (bool more = event.data.present(); more;) {
    const std::size_t end = data.find('\n');
    more = end != std::string_view::npos;
    text.append("data: ").append(data.substr(0, end)).append("\n");
    if (more) data.remove_prefix(end + 1);
  }
  return text + "\n";
}

// Chrome's _connectionId, else `connection`, unless that is only the server's port.
std::string_view connection_name(const HarEntry& entry, std::string_view server) {
  if (!entry.connection_id.empty()) return entry.connection_id;
  const std::size_t colon = server.rfind(':');
  const bool server_port = colon != std::string_view::npos && server.substr(colon + 1) == entry.connection;
  return server_port ? std::string_view() : entry.connection;
}

}  // namespace

HarIntake::HarIntake(ByteReader& bytes, std::string head, std::uint32_t input, const HarScanOptions& options, const Zone& zone, const Limits& limits)
    : reader_(bytes, std::move(head), input, zone, limits, books_, anomalies_), files_(options.path, limits), since_(options.since), until_(options.until) {}

std::unique_ptr<HarExchange> HarIntake::next() {
  while (reader_.next(entry_)) {
    if (auto exchange = take(entry_)) return exchange;
  }
  return nullptr;
}

std::unique_ptr<HarExchange> HarIntake::take(const HarEntry& entry) {
  if (is_outside(entry.started)) return books_.ignore(model::kOutOfWindow), nullptr;
  note_times(entry);
  HarUrl url = split_url(entry.url);
  const app::HttpHead request = har_request_head(entry, url), response = har_response_head(entry);
  if (!may_be_mcp(request, response)) return books_.ignore("not-mcp"), nullptr;
  auto exchange = std::make_unique<HarExchange>();
  exchange->source = entry.source;
  exchange->connection_id = connection_name(entry, url.server);
  exchange->request.assign(request);
  exchange->response.assign(response);
  exchange->redirect = redirect_of(entry, url);
  exchange->server = std::move(url.server);
  exchange->scheme = url.scheme;
  exchange->request_state = request_state(entry, request);
  exchange->request_body = body_of(entry.request, exchange->request_state);
  exchange->request.head.codings = har_codings(exchange->request_body);
  if (entry.by_worker) exchange->fetch = HarFetch::by_worker;
  else if (entry.for_page) exchange->fetch = HarFetch::for_page;
  fill_times(*exchange);
  fill_response(response, *exchange);
  return exchange;
}

bool HarIntake::is_outside(Time at) const { return at.known() && ((since_.known() && at < since_) || (until_.known() && at > until_)); }

void HarIntake::note_times(const HarEntry& entry) {
  if (!entry.started.known()) return;
  const Time end{entry.started.us + std::max<std::int64_t>(entry.total_us, 0)};
  if (!first_.known() || entry.started < first_) first_ = entry.started;
  if (!last_.known() || end > last_) last_ = end;
}

void HarIntake::fill_times(HarExchange& exchange) {
  exchange.started = exchange.head_at = exchange.end_at = entry_.started;
  exchange.precision_us = entry_.precision_us;
  if (!entry_.started.known()) return;
  exchange.tells_duration = entry_.total_us >= 0;
  exchange.end_at.us += std::max<std::int64_t>(0, entry_.total_us);
  exchange.head_at = exchange.end_at;
  if (entry_.until_head_us >= 0) exchange.head_at.us = std::min(exchange.end_at.us, entry_.started.us + entry_.until_head_us);
}

void HarIntake::fill_response(const app::HttpHead& head, HarExchange& exchange) {
  exchange.response_state = response_state(entry_, head);
  exchange.told_size = entry_.response.told_size();
  if (entry_.events.empty()) exchange.response_body = body_of(entry_.response, exchange.response_state);
  else fill_events(exchange);
  exchange.has_response = head.status != 0 || !exchange.response_body.empty() || !exchange.events.empty();
  exchange.end = har_end(entry_, head.status != 0);
  if (!exchange.has_response) exchange.response_state = HarBodyState::nothing_sent;
  exchange.response.head.codings = har_codings(exchange.response_body);
  if (!is_shorter(entry_, exchange.response_body)) exchange.told_size = static_cast<std::int64_t>(exchange.response_body.size());
  exchange.body_cut = is_cut(entry_, head, exchange.response_body);
  if (!exchange.body_cut && contains_ignoring_case(head.content_type, "event-stream")) complete_last_event(exchange.response_body);
}

// Events keep their order, and stay between head and end.
void HarIntake::fill_events(HarExchange& exchange) {
  Time last = exchange.head_at;
  for (const ingest::HarStreamEvent& event : entry_.events) {
    if (event.at.known() && last.known()) last = std::clamp(event.at, last, std::max(last, exchange.end_at));
    exchange.events.push_back({last, event_text(event, reader_.arena())});
  }
}

std::string HarIntake::body_of(const ingest::HarBody& body, HarBodyState& state) {
  if (body.file.empty() || body.has_text()) {
    const ingest::BodyText text = ingest::body_text(body, reader_.arena());
    if (text.odd == ingest::BodyOddity::flag_without_base64) odd("har-wrong-base64", "a body flagged as base64 is none; it is read as it stands");
    if (text.odd == ingest::BodyOddity::base64_without_flag) odd("har-wrong-base64", "a body is base64 without saying so");
    return std::string(text.text);
  }
  std::string bytes;
  const Status read = files_.read(body.file, bytes);
  if (read.ok()) return bytes;
  odd("har-attached-body", read.error().to_string());
  state = HarBodyState::absent;
  return {};
}

void HarIntake::odd(const char* kind, std::string_view text) {
  anomalies_.add({kind, std::string(text), entry_.source, 1});
}

}  // namespace mcpscan::pipeline
