#include "pipeline/otlp_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/json_digest.h"
#include "ingest/text/block_reader.h"
#include "model/opposite.h"

namespace mcpscan::pipeline {
namespace {

using ingest::SpanFacts;
using ingest::SpanReading;
using ingest::SpanSide;
using model::Direction;
using model::MessageKind;
using model::Observation;
using model::ObservationKind;

// A span that waits for its turn, with copies of its texts.
struct HeldSpan {
  SpanFacts facts;
  std::string texts, quote;
  std::string alone;     // the session of a span that names none
  std::string made_id;   // the id of a span that names none: pairs its beginning and end, and no other
  model::SourceRef source;
  model::ObservationSink* sink = nullptr;
};

constexpr std::array kTexts{&SpanFacts::service,    &SpanFacts::name,          &SpanFacts::span,           &SpanFacts::trace,        &SpanFacts::method,
                            &SpanFacts::tool,       &SpanFacts::session,       &SpanFacts::id,             &SpanFacts::protocol_version,
                            &SpanFacts::error_type, &SpanFacts::error_code,    &SpanFacts::error_message,  &SpanFacts::arguments,
                            &SpanFacts::client_address, &SpanFacts::server_address, &SpanFacts::transport};

std::unique_ptr<HeldSpan> hold(const SpanFacts& facts) {
  auto held = std::make_unique<HeldSpan>();
  held->facts = facts;
  std::size_t bytes = 0;
  for (const auto member : kTexts) bytes += (facts.*member).size();
  held->texts.reserve(bytes);  // the views below stay valid
  for (const auto member : kTexts) {
    const std::size_t from = held->texts.size();
    held->texts += facts.*member;
    held->facts.*member = std::string_view(held->texts).substr(from);
  }
  return held;
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool timed_out(const SpanFacts& span) {
  return span.side == SpanSide::client && span.failed && (holds_any(span.error_type, {"imeout", "imed out", "eadline"}) || span.error_code == "-32001" || span.error_type == "-32001");
}

bool cancelled(const SpanFacts& span) { return span.failed && holds_any(span.error_type, {"ancelled", "ancelError", "AbortError"}); }

// The conventions make a text of the id; whole numbers were numbers, as nearly all clients count.
model::RpcId id_of(std::string_view text) {
  const bool number = !text.empty() && text.size() < 20 && (text == "0" || text[0] != '0') && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (text.empty()) return {};
  return {number ? model::IdType::integer : model::IdType::string, text, text};
}

model::RpcMessage request_of(const SpanFacts& span, Arena& arena) {
  model::RpcMessage message;
  message.id = id_of(span.id);
  message.kind = span.method.starts_with("notifications/") ? MessageKind::notification : MessageKind::request;
  message.method = span.method;
  message.target = span.tool;
  message.protocol_version = span.protocol_version;
  message.defects = model::kTruncated;
  if (span.arguments.starts_with('{')) message.arguments_digest = json_digest(span.arguments, arena);
  return message;
}

model::RpcMessage reply_of(const SpanFacts& span) {
  model::RpcMessage message;
  message.id = id_of(span.id);
  message.kind = MessageKind::result;
  message.defects = model::kTruncated;
  if (!span.failed) return message;
  if (span.error_type == "tool_error") return message.result_keys = model::kIsErrorTrue, message;
  message.kind = MessageKind::error;
  message.reason = span.error_message.empty() ? span.error_type : span.error_message;
  const std::string_view code = span.error_code.empty() ? span.error_type : span.error_code;
  std::from_chars(code.data(), code.data() + code.size(), message.error_code);
  return message;
}

Direction direction_of(const SpanFacts& span) { return model::is_server_method(span.method) ? Direction::server_to_client : Direction::client_to_server; }


class SpanScan {
 public:
  SpanScan(std::uint32_t input, const OtlpScanOptions& options, const Limits& limits, SpanSink sink_of, model::InputRow& row)
      : input_(input), options_(options), limits_(limits), sink_of_(sink_of), row_(row) {}

  void read(const ingest::TextBlock& block) {
    const std::string_view text = block.bytes;
    std::uint64_t number = block.first_line;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const bool cut = block.skipped_bytes > 0 && end + 1 >= text.size();
      if (cut) row_.books.malform("line-too-long");
      else read_line(text.substr(at, end - at), {input_, model::PlaceKind::entry, number, block.offset + at});
      arena_.reset();
      at = end + 1;
    }
  }

  void finish() {
    while (!heap_.empty()) take_earliest();
    if (out_of_order_ > 0) {
      row_.anomalies.add({"otlp-out-of-order", fmt::format("{} spans began or ended more than {} events (otlp_spans) before what was read already", out_of_order_, limits_.otlp_spans), {input_, model::PlaceKind::entry, 0, 0}, out_of_order_});
    }
    if (alone_ > 0) {
      row_.anomalies.add({"otlp-without-session", fmt::format("{} MCP spans name no session (mcp.session.id): each stands alone, and ids are not compared", alone_), {input_, model::PlaceKind::entry, 0, 0}, alone_});
    }
    if (servers_ + clients_ > 0) row_.vantage = clients_ > servers_ ? model::Vantage::client : model::Vantage::server;
  }

 private:
  struct Slot {
    std::int64_t due;
    std::uint64_t order;
    bool is_end;
    std::shared_ptr<const HeldSpan> span;
    bool operator<(const Slot& other) const { return other.due != due ? other.due < due : other.order < order; }  // the heap's top is the earliest
  };

  void read_line(std::string_view line, const model::SourceRef& place) {
    SpanFacts span;
    std::size_t column = 0;
    switch (ingest::read_span_line(line, arena_, span, column)) {
      case SpanReading::broken: return break_off("broken-json", fmt::format("span {}: no JSON object from column {}", place.number, column + 1), place);
      case SpanReading::no_span: return break_off("otlp-no-span", fmt::format("entry {} is no span", place.number), place);
      case SpanReading::no_time:
        if (!span.is_mcp()) return row_.books.ignore("other-span");
        return break_off("otlp-span-without-times", fmt::format("span {}: startTimeUnixNano or endTimeUnixNano is missing, or no time", place.number), place);
      case SpanReading::span: break;
    }
    if (!span.is_mcp()) return row_.books.ignore("other-span");
    if (is_repeated(span)) return row_.books.ignore("repeated-span");
    row_.books.use();
    stamp(span);
    add(span, line, place);
  }

  // An exporter that got no answer sends its spans again; told twice, one call would be a second use of its id.
  bool is_repeated(const SpanFacts& span) {
    if (span.span.empty()) return false;
    const std::uint64_t key = hash_bytes(span.span, hash_bytes(span.trace));
    if (known_[0].count(key) + known_[1].count(key) > 0) return true;
    if (known_[0].size() >= limits_.otlp_spans) known_[1] = std::move(known_[0]), known_[0].clear();
    known_[0].insert(key);
    return false;
  }

  void break_off(const char* kind, std::string text, const model::SourceRef& place) {
    row_.books.malform(kind);
    row_.anomalies.add({kind, std::move(text), place});
  }

  void stamp(const SpanFacts& span) {
    if (!row_.first.known() || span.start < row_.first) row_.first = span.start;
    if (!row_.last.known() || row_.last < span.end) row_.last = span.end;
    servers_ += span.side == SpanSide::server;
    clients_ += span.side == SpanSide::client;
  }

  void add(const SpanFacts& span, std::string_view line, const model::SourceRef& place) {
    auto held = hold(span);
    held->source = place;
    const std::size_t inner = line.find("\"span\":");
    held->quote = line.substr(inner == std::string_view::npos ? 0 : inner + 7, limits_.evidence_text_bytes);
    held->sink = &sink_of_(span.service, span.side);
    if (span.session.empty()) held->alone = fmt::format("span {}", span.span), ++alone_;
    if (span.id.empty()) held->made_id = fmt::format("span {}", span.span), held->facts.id = held->made_id;
    const std::shared_ptr<const HeldSpan> shared = std::move(held);
    push({span.start.us, ++order_, false, shared});
    push({std::max(span.start.us, span.end.us), ++order_, true, shared});
    while (heap_.size() > limits_.otlp_spans) take_earliest();
  }

  void push(Slot slot) {
    heap_.push_back(std::move(slot));
    std::push_heap(heap_.begin(), heap_.end());
  }

  void take_earliest() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Slot slot = std::move(heap_.back());
    heap_.pop_back();
    out_of_order_ += slot.due < last_taken_;
    last_taken_ = std::max(last_taken_, slot.due);
    const Time at{slot.due};
    if (options_.since.known() && at < options_.since) return;
    if (options_.until.known() && at > options_.until) return;
    slot.is_end ? tell_end(*slot.span, at) : tell_start(*slot.span, at);
  }

  Observation base_of(const HeldSpan& held, Time at) const {
    Observation seen;
    seen.at = at;
    seen.source = held.source;
    seen.text = held.quote;
    seen.session = held.alone.empty() ? held.facts.session : std::string_view(held.alone);
    seen.keying = held.alone.empty() ? model::SessionKeying::mcp_session_id : model::SessionKeying::source;
    if (held.facts.transport == "pipe" || held.facts.transport == "stdio") seen.stream = model::StreamKind::stdio;
    return seen;
  }

  void tell_start(const HeldSpan& held, Time at) {
    const model::RpcMessage message = request_of(held.facts, arena_);
    model::HttpFacts http;
    http.peer = held.facts.client_address;
    Observation seen = base_of(held, at);
    seen.kind = ObservationKind::message;
    seen.direction = direction_of(held.facts);
    seen.message = &message;
    if (!http.peer.empty()) seen.http = &http;
    held.sink->observe(seen);
  }

  void tell_end(const HeldSpan& held, Time at) const {
    const SpanFacts& span = held.facts;
    if (span.method.starts_with("notifications/")) return;
    Observation seen = base_of(held, at);
    if (timed_out(span) || cancelled(span)) {
      const model::Notice notice{timed_out(span) ? model::NoticeKind::request_timed_out : model::NoticeKind::request_cancelled, span.id, {}, span.tool, span.end.us - span.start.us};
      seen.kind = ObservationKind::notice;
      seen.notice = &notice;
      return held.sink->observe(seen);
    }
    const model::RpcMessage message = reply_of(span);
    seen.kind = ObservationKind::message;
    seen.direction = opposite(direction_of(span));
    seen.message = &message;
    held.sink->observe(seen);
  }

  std::uint32_t input_;
  const OtlpScanOptions& options_;
  const Limits& limits_;
  SpanSink sink_of_;
  model::InputRow& row_;
  Arena arena_;
  std::vector<Slot> heap_;
  std::array<std::unordered_set<std::uint64_t>, 2> known_;  // spans told, by digest of their ids; the later and the earlier ones
  std::int64_t last_taken_ = INT64_MIN;
  std::uint64_t order_ = 0, out_of_order_ = 0, alone_ = 0, servers_ = 0, clients_ = 0;
};

}  // namespace

void scan_spans(ByteReader& lines, std::uint32_t input, const OtlpScanOptions& options, const Limits& limits, SpanSink sink_of, model::InputRow& row,
                FunctionRef<void(std::uint64_t)> progress) {
  ingest::BlockReader blocks(lines, {}, input, ingest::RecordBorder([](std::string_view, std::string_view) { return true; }), limits);
  SpanScan scan(input, options, limits, sink_of, row);
  for (ingest::TextBlock block; blocks.next(block);) {
    scan.read(block);
    progress(blocks.decoded_bytes());
  }
  scan.finish();
  row.reader = "otlp/traces";
  row.anomalies.merge(blocks.anomalies());
}

}  // namespace mcpscan::pipeline
