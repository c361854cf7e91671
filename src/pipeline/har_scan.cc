#include "pipeline/har_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "ingest/har/attached_bodies.h"
#include "ingest/har/body_text.h"
#include "ingest/har/har_reader.h"
#include "pipeline/har_window.h"

namespace mcpscan::pipeline {
namespace {

using ingest::HarEntry;
using model::Direction;
using model::EndReason;
using model::MessageKind;
using model::Observation;
using model::Side;
using model::Stamp;

constexpr std::uint64_t kProgressEvery = 1024;  // entries
constexpr std::string_view kNoBody = "the HAR holds no body of this response";
constexpr std::string_view kPartOfBody = "the HAR holds a part of this response's body only";
constexpr std::string_view kNoRequestBody = "the HAR holds no body of this request";

// What an exchange turns out to be shows in what is told of it.
class Tally : public model::ObservationSink {
 public:
  explicit Tally(model::ObservationSink& next) : next_(next) {}
  void begin(HarExchange& exchange) { exchange_ = &exchange; }
  void observe(const Observation& seen) override {
    exchange_->told = true;
    if (seen.message != nullptr) {
      const MessageKind kind = seen.message->kind;
      if (seen.direction == Direction::client_to_server) exchange_->requests += kind == MessageKind::request;
      else exchange_->replies += kind == MessageKind::result || kind == MessageKind::error;
    }
    next_.observe(seen);
  }

 private:
  model::ObservationSink& next_;
  HarExchange* exchange_ = nullptr;
};

// Producers trim the blank line that ends the last event; one whose JSON is whole is taken for sent.
void complete_last_event(std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last != std::string::npos && (text[last] == '}' || text[last] == ']') && !text.ends_with("\n\n")) text += "\n\n";
}

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

class HarScan final : private HarStepTaker {
 public:
  HarScan(const HarScanOptions& options, std::uint32_t input, const Limits& limits, CaptureNumbers& numbers, model::ObservationSink& sink, model::InputRow& row)
      : options_(options),
        input_(input),
        limits_(limits),
        numbers_(numbers),
        sink_(sink),
        row_(row),
        tally_(sink),
        shared_{limits, tally_, row.anomalies, numbers.next_exchange, 0, {}},
        state_(shared_),
        files_(options.path, limits),
        window_(limits, *this) {}

  void add(const HarEntry& entry, Arena& arena) {
    if (entry.started.known() && is_outside(entry.started)) return row_.books.ignore("out-of-window");
    const HarUrl url = split_url(entry.url);
    const app::HttpHead request = har_request_head(entry, url), response = har_response_head(entry);
    note_times(entry);
    if (!may_be_mcp(request, response)) return row_.books.ignore("not-mcp");
    auto exchange = std::make_unique<HarExchange>();
    exchange->source = entry.source;
    exchange->request.assign(request);
    exchange->response.assign(response);
    exchange->connection = connection_of(entry, url.server);
    fill_times(entry, *exchange);
    fill_request(entry, request, arena, *exchange);
    fill_response(entry, response, arena, *exchange);
    window_.add(std::move(exchange));
  }

  void finish(bool entries_cut, bool cut) {
    window_.finish();
    if (entries_cut) tell_cut();
    if (cut) odd("cut-file", "the file ends before its JSON does", {input_, model::PlaceKind::entry, 0, 0});
    if (window_.out_of_order() > 0) {
      row_.anomalies.add({"har-out-of-order", "entries stand further from their place in time than har_reorder_entries; they are read late",
                          {input_, model::PlaceKind::entry, 0, 0}, window_.out_of_order()});
    }
    if (window_.taken_early() > 0) {
      row_.anomalies.add({"har-pending-bound", "more exchanges or bodies were open at a time than har_pending_entries and har_pending_bytes; ends are told too early",
                          {input_, model::PlaceKind::entry, 0, 0}, window_.taken_early()});
    }
    numbers_.next_exchange = shared_.next_exchange;
  }

 private:
  bool is_outside(Time at) const { return (options_.since.known() && at < options_.since) || (options_.until.known() && at > options_.until); }
  void odd(std::string_view kind, std::string_view text, const model::SourceRef& source) { row_.anomalies.add({std::string(kind), std::string(text), source, 1}); }

  void note_times(const HarEntry& entry) {
    if (!entry.started.known()) return;
    const Time end{entry.started.us + std::max<std::int64_t>(entry.total_us, 0)};
    if (!row_.first.known() || entry.started < row_.first) row_.first = entry.started;
    if (!row_.last.known() || end > row_.last) row_.last = end;
  }

  // --- an entry becomes an exchange ---

  // Chrome's _connectionId, else `connection`, unless that is only the server's port. Entries that name none share one a server.
  std::shared_ptr<app::HttpConnection> connection_of(const HarEntry& entry, const std::string& server) {
    std::string_view id = entry.connection_id;
    if (id.empty() && !server.ends_with(":" + std::string(entry.connection))) id = entry.connection;
    const std::string key = fmt::format("{}\n{}", server, id);
    if (const auto found = connections_.find(key); found != connections_.end()) return found->second;
    if (connections_.size() >= limits_.flows) connections_.clear();
    const std::uint64_t number = id.empty() ? 0 : numbers_.next_connection++;
    return connections_[key] = std::make_shared<app::HttpConnection>(state_, number, std::string(), server);
  }

  void fill_times(const HarEntry& entry, HarExchange& exchange) {
    exchange.started = exchange.head_at = exchange.end_at = entry.started;
    exchange.precision_us = entry.precision_us;
    if (!entry.started.known()) return;
    if (entry.total_us < 0) odd("har-no-durations", fmt::format("entry {} tells no durations; its response is taken to have come at once", entry.source.number), entry.source);
    exchange.end_at.us += std::max<std::int64_t>(0, entry.total_us);
    exchange.head_at.us = entry.until_head_us < 0 ? exchange.end_at.us : std::min(exchange.end_at.us, entry.started.us + entry.until_head_us);
  }

  void fill_request(const HarEntry& entry, const app::HttpHead& head, Arena& arena, HarExchange& exchange) {
    exchange.request_state = request_state(entry, head);
    exchange.request_body = body_of(entry, entry.request, arena, exchange.request_state);
    exchange.request.head.codings = har_codings(exchange.request_body);
  }

  void fill_response(const HarEntry& entry, const app::HttpHead& head, Arena& arena, HarExchange& exchange) {
    exchange.response_state = response_state(entry, head);
    exchange.told_size = entry.response.size;
    if (entry.events.empty()) {
      exchange.response_body = body_of(entry, entry.response, arena, exchange.response_state);
    } else {
      fill_events(entry, arena, exchange);
    }
    exchange.has_response = head.status != 0 || !exchange.response_body.empty() || !exchange.events.empty();
    exchange.end = har_end(entry, head.status != 0);
    if (!exchange.has_response) exchange.response_state = HarBodyState::nothing_sent;
    exchange.response.head.codings = har_codings(exchange.response_body);
    if (app::icontains(head.content_type, "event-stream")) complete_last_event(exchange.response_body);
  }

  // Events keep their order, and stay between head and end.
  static void fill_events(const HarEntry& entry, Arena& arena, HarExchange& exchange) {
    Time last = exchange.head_at;
    for (const ingest::HarStreamEvent& event : entry.events) {
      if (event.at.known() && last.known()) last = std::clamp(event.at, last, std::max(last, exchange.end_at));
      exchange.events.push_back({last, event_text(event, arena)});
    }
  }

  std::string body_of(const HarEntry& entry, const ingest::HarBody& body, Arena& arena, HarBodyState& state) {
    if (body.file.empty() || body.has_text()) {
      const ingest::BodyText text = ingest::body_text(body, arena);
      if (text.odd == ingest::BodyOddity::flag_without_base64) odd("har-wrong-base64", fmt::format("entry {}: a body flagged as base64 is none; it is read as it stands", entry.source.number), entry.source);
      if (text.odd == ingest::BodyOddity::base64_without_flag) odd("har-wrong-base64", fmt::format("entry {}: a body is base64 without saying so", entry.source.number), entry.source);
      return std::string(text.text);
    }
    std::string bytes;
    const Status read = files_.read(body.file, bytes);
    if (!read.ok()) {
      odd("har-attached-body", fmt::format("entry {}: {}", entry.source.number, read.error().to_string()), entry.source);
      state = HarBodyState::absent;
    }
    return bytes;
  }

  // --- an exchange becomes observations ---

  void take(HarExchange& exchange) override {
    tally_.begin(exchange);
    switch (exchange.step) {
      case HarStep::start: return start(exchange);
      case HarStep::head: return exchange.exchange->response_head(exchange.response.head, {exchange.head_at, exchange.source});
      case HarStep::events: {
        const HarChunk& chunk = exchange.events[exchange.next_event];
        return exchange.exchange->response_body(chunk.text, false, {chunk.at, exchange.source});
      }
      case HarStep::end: return end(exchange);
    }
  }

  void start(HarExchange& exchange) {
    const Stamp stamp{exchange.started, exchange.source};
    exchange.exchange = exchange.connection->open_exchange();
    app::Exchange& http = *exchange.exchange;
    http.request_head(exchange.request.head, stamp);
    if (!exchange.request_body.empty()) http.request_body(exchange.request_body, true, stamp);
    const bool absent = exchange.request_state == HarBodyState::absent;
    if (absent) http.missing(Side::client, stamp);
    http.request_end(stamp);
    if (absent && exchange.told) exchange.connection->report_gap(Side::client, 0, &http, kNoRequestBody, stamp);
    std::string().swap(exchange.request_body);
  }

  void end(HarExchange& exchange) {
    const Stamp stamp{exchange.end_at, exchange.source};
    app::Exchange& http = *exchange.exchange;
    if (exchange.has_response) {
      if (!exchange.response_body.empty()) http.response_body(exchange.response_body, true, stamp);
      tell_missing(exchange, http, stamp);
      http.response_end(stamp);
    }
    exchange.connection->close_exchange(std::move(exchange.exchange), exchange.end, stamp);
    if (exchange.told) row_.books.use();
    else row_.books.ignore("not-mcp");
  }

  // An absent body is never an absent reply: where one may have been, that is a hole in the evidence. A refusal is an answer without it.
  void tell_missing(HarExchange& exchange, app::Exchange& http, Stamp stamp) {
    const bool waits = exchange.replies < exchange.requests;
    const bool partial = waits && exchange.told_size > static_cast<std::int64_t>(exchange.response_body.size());
    const bool absent = exchange.response_state == HarBodyState::absent;
    if (!exchange.told || exchange.response.head.status >= 400 || (!absent && !partial)) return;
    http.missing(Side::server, stamp);
    if (!waits && !exchange.request.head.has_last_event_id) return;
    exchange.connection->report_gap(Side::server, static_cast<std::uint64_t>(std::max<std::int64_t>(exchange.told_size, 0)), &http, absent ? kNoBody : kPartOfBody, stamp);
  }

  // Entries that followed are missing: nothing can be said to be absent.
  void tell_cut() {
    const model::GapFacts facts{0, "the file is cut", true};
    Observation gap;
    gap.kind = model::ObservationKind::gap;
    gap.source = {input_, model::PlaceKind::entry, 0, 0};
    gap.at = row_.last;
    gap.gap = &facts;
    sink_.observe(gap);
  }

  const HarScanOptions& options_;
  std::uint32_t input_;
  const Limits& limits_;
  CaptureNumbers& numbers_;
  model::ObservationSink& sink_;
  model::InputRow& row_;
  Tally tally_;
  app::HttpShared shared_;
  app::HttpState state_;
  ingest::AttachedBodies files_;
  std::map<std::string, std::shared_ptr<app::HttpConnection>> connections_;
  HarWindow window_;
};

}  // namespace

Status scan_har(ByteReader& bytes, std::string head, std::uint32_t input, const HarScanOptions& options, const Limits& limits, CaptureNumbers& numbers,
                model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  auto zone = ingest::ZoneRules::locate(options.time_zone);
  if (!zone) return zone.error();
  ingest::HarReader reader(bytes, std::move(head), input, *zone, limits, row.books, row.anomalies);
  HarScan scan(options, input, limits, numbers, sink, row);
  for (HarEntry entry; reader.next(entry);) {
    scan.add(entry, reader.arena());
    if (reader.entries() % kProgressEvery == 0) progress(reader.offset());
  }
  scan.finish(reader.entries_cut(), reader.cut());
  progress(reader.offset());
  if (!reader.found_entries()) return Error{ErrorCode::malformed, "this HAR has no log.entries", row.path, "export it again, with content"};
  return {};
}

}  // namespace mcpscan::pipeline
