#include "pipeline/har_replay.h"

#include <algorithm>
#include <utility>

#include "pipeline/har_heads.h"

namespace mcpscan::pipeline {
namespace {

using model::Direction;
using model::MessageKind;
using model::Observation;
using model::Side;
using model::Stamp;

constexpr std::string_view kNoBody = "the HAR holds no body of this response";
constexpr std::string_view kPartOfBody = "the HAR holds a part of this response's body only";
constexpr std::string_view kNoDuration = "the entry tells no duration: when its response came is not known";
constexpr std::string_view kNoRequestBody = "the HAR holds no body of this request";

}  // namespace

void HarTally::observe(const Observation& seen) {
  exchange_->told = true;
  if (seen.message != nullptr) {
    const MessageKind kind = seen.message->kind;
    if (seen.direction == Direction::client_to_server) exchange_->requests += kind == MessageKind::request;
    else exchange_->replies += kind == MessageKind::result || kind == MessageKind::error;
  }
  if (!untimed_ || seen.at.known()) return next_.observe(seen);
  Observation untimed = seen;
  untimed.untimed = true;
  next_.observe(untimed);
}

HarReplay::HarReplay(std::uint32_t input, const Limits& limits, CaptureNumbers& numbers, model::ObservationSink& sink, model::InputRow& row)
    : input_(input),
      limits_(limits),
      numbers_(numbers),
      sink_(sink),
      row_(row),
      tally_(sink),
      messages_(limits, row.anomalies, tally_),
      shared_{limits, messages_, row.anomalies, numbers.next_exchange, 0, {}},
      state_(shared_),
      window_(limits, *this) {}

void HarReplay::add(std::unique_ptr<HarExchange> exchange) {
  durations_told_ = durations_told_ || exchange->end_at > exchange->started;
  window_.add(std::move(exchange));
}

void HarReplay::finish(bool cut, Time last) {
  window_.finish();
  if (cut) tell_cut(last);
  tell_bounds();
  numbers_.next_exchange = shared_.next_exchange;
}

// --- the steps of an exchange ---

// Some producers write 0 for what they do not measure: where no entry of the file took any time, none was measured. A response whose time is not told
// may have come at any time after its request.
model::Stamp HarReplay::stamp_of(const HarExchange& exchange, Time at) const {
  const bool measured = exchange.end_at > exchange.started || (exchange.tells_duration && durations_told_) || exchange.end == model::EndReason::evidence_ends;
  return {measured ? at : Time{}, exchange.source};
}

void HarReplay::take(HarExchange& exchange) {
  tally_.begin(exchange, exchange.step != HarStep::start && exchange.started.known());
  switch (exchange.step) {
    case HarStep::start: return start(exchange);
    case HarStep::head: return head(exchange);
    case HarStep::events: {
      const HarChunk& chunk = exchange.events[exchange.next_event];
      return exchange.exchange->response_body(chunk.text, false, stamp_of(exchange, chunk.at));
    }
    case HarStep::end: return end(exchange);
  }
}

void HarReplay::start(HarExchange& exchange) {
  if (is_followed(exchange)) row_.books.ignore("redirected");
  else if (copies_.take(exchange)) row_.books.ignore("service-worker-copy");
  else begin(exchange);
}

// A redirect says to ask elsewhere, and the same request that does is the one that counts (RFC 9110 section 15.4).
bool HarReplay::is_followed(HarExchange& exchange) const {
  if (exchange.redirect.empty()) return false;
  const app::HttpHead& head = exchange.request.head;
  HarExchange* const next = window_.find_waiting([&](const HarExchange& other) {
    if (other.follows || other.started.us + other.precision_us <= exchange.end_at.us) return false;
    const app::HttpHead& again = other.request.head;
    return again.method == head.method && again.session_id == head.session_id && place_of(other.server, again.target) == exchange.redirect && other.request_body == exchange.request_body;
  });
  if (next) next->follows = exchange.left_out = true;
  return next != nullptr;
}

void HarReplay::begin(HarExchange& exchange) {
  const Stamp stamp{exchange.started, exchange.source};
  exchange.connection = connection_of(exchange);
  exchange.exchange = exchange.connection->open_exchange();
  app::Exchange& http = *exchange.exchange;
  http.request_head(exchange.request.head, stamp);
  if (!exchange.request_body.empty()) http.request_body(exchange.request_body, true, stamp);
  const bool absent = exchange.request_state == HarBodyState::absent;
  if (absent) http.missing(Side::client, stamp);
  http.request_end(stamp);
  if (absent && exchange.told) exchange.connection->report_gap(Side::client, 0, &http, kNoRequestBody, stamp);
}

void HarReplay::head(HarExchange& exchange) {
  answered(exchange);
  exchange.exchange->response_head(exchange.response.head, stamp_of(exchange, exchange.head_at));
}

// From here on it has no other record.
void HarReplay::answered(HarExchange& exchange) {
  copies_.forget(exchange);
  std::string().swap(exchange.request_body);
}

void HarReplay::end(HarExchange& exchange) {
  const Stamp stamp = stamp_of(exchange, exchange.end_at);
  app::Exchange& http = *exchange.exchange;
  if (!exchange.has_response) answered(exchange);
  if (exchange.has_response) {
    if (!exchange.response_body.empty()) http.response_body(exchange.response_body, !exchange.body_cut, stamp);
    tell_missing(exchange, http, stamp);
    http.response_end(stamp);
  }
  // A whole response and one that was broken off look the same in an export: who ended a stream before its reply is not told.
  const bool broken_off = exchange.end == model::EndReason::complete && exchange.response_state != HarBodyState::absent &&
                          is_event_stream(exchange.response.head.content_type) && exchange.replies < exchange.requests;
  exchange.connection->close_exchange(std::move(exchange.exchange), broken_off ? model::EndReason::unknown : exchange.end, stamp);
  if (exchange.told && exchange.started.known() && !stamp.at.known()) row_.anomalies.add({"har-no-durations", std::string(kNoDuration), exchange.source, 1});
  if (exchange.told) row_.books.use();
  else row_.books.ignore("not-mcp");
}

// An absent body is never an absent reply: where one may have been, that is a hole in the evidence. A refusal is an answer without it, and so is a redirect.
void HarReplay::tell_missing(HarExchange& exchange, app::Exchange& http, const Stamp& stamp) {
  const bool waits = exchange.replies < exchange.requests;
  const bool partial = (waits || exchange.body_cut) && exchange.told_size > static_cast<std::int64_t>(exchange.response_body.size()) && exchange.events.empty();
  const bool absent = exchange.response_state == HarBodyState::absent;
  if (!exchange.told || exchange.response.head.status >= 300 || (!absent && !partial)) return;
  if (waits || exchange.body_cut || exchange.request.head.has_last_event_id) {
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(exchange.told_size, 0));
    exchange.connection->report_gap(Side::server, size, &http, absent ? kNoBody : kPartOfBody, stamp);
  }
  http.missing(Side::server, stamp);
}

// Entries that name no connection share one a server, which has no number.
std::shared_ptr<app::HttpConnection> HarReplay::connection_of(const HarExchange& exchange) {
  const std::string key = exchange.server + '\n' + exchange.connection_id;
  if (const auto found = connections_.find(key); found != connections_.end()) return found->second;
  if (connections_.size() >= limits_.flows) connections_.clear();
  const std::uint64_t number = exchange.connection_id.empty() ? 0 : numbers_.next_connection++;
  return connections_[key] = std::make_shared<app::HttpConnection>(state_, number, std::string(), exchange.server, exchange.scheme);
}

// --- what concerns the whole input ---

// Entries that followed are missing: nothing can be said to be absent.
void HarReplay::tell_cut(Time last) {
  const model::GapFacts facts{0, "the file is cut", true};
  Observation gap;
  gap.kind = model::ObservationKind::gap;
  gap.source = {input_, model::PlaceKind::entry, 0, 0};
  gap.at = last;
  gap.gap = &facts;
  sink_.observe(gap);
}

void HarReplay::tell_bounds() {
  const model::SourceRef input{input_, model::PlaceKind::entry, 0, 0};
  if (window_.out_of_order() > 0) {
    row_.anomalies.add({"har-out-of-order", "entries stand further from their place in time than har_reorder_entries; they are read late", input, window_.out_of_order()});
  }
  if (window_.taken_early() > 0) {
    row_.anomalies.add({"har-pending-bound", "more exchanges or bodies were open at a time than har_pending_entries and har_pending_bytes; ends are told too early",
                        input, window_.taken_early()});
  }
}

}  // namespace mcpscan::pipeline
