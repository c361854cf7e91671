#include "extract/exchange_book.h"

namespace mcpscan::extract {

using model::Side;
using model::Stamp;

void ExchangeBook::head(std::uint64_t number, const model::FlowInfo& flow, Side from, const app::HttpHead& head, const Stamp& stamp) {
  RecordedExchange& exchange = exchanges_[number];
  exchange.number = number;
  exchange.flow = flow;
  look(exchange, stamp);
  RecordedHalf& of = half(exchange, from);
  of.head.assign(head);
  of.seen = true;
  of.head_at = stamp.at;
  bytes_ += of.head.bytes.size();
  auto& decoder = from == Side::client ? decoders_[number].request : decoders_[number].response;
  decoder.reset();
  if (head.codings.count > 0) decoder = std::make_unique<app::ContentDecoder>(limits_, head.codings);
}

void ExchangeBook::body(std::uint64_t number, Side from, std::string_view bytes, const Stamp& stamp) {
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end() || full_ || bytes.empty()) return;
  look(found->second, stamp);
  RecordedHalf& of = half(found->second, from);
  const auto take = [&](std::string_view decoded) {
    if (decoded.empty()) return;
    bytes_ += decoded.size();
    if (!of.body.empty() && of.body.back().at == stamp.at && !of.body.back().is_gap) of.body.back().bytes += decoded;
    else of.body.push_back({stamp.at, std::string(decoded), false});
  };
  app::ContentDecoder* decoder = (from == Side::client ? decoders_[number].request : decoders_[number].response).get();
  if (!decoder) take(bytes);
  else if (decoder->feed(bytes, take) != app::ContentDecoder::State::good) of.missing = true;
  full_ = bytes_ > limits_.http_buffer_bytes;
}

void ExchangeBook::complete(std::uint64_t number, Side from, const Stamp& stamp) {
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end()) return;
  look(found->second, stamp);
  RecordedHalf& of = half(found->second, from);
  of.complete = true;
  of.complete_at = stamp.at;
}

void ExchangeBook::missing(std::uint64_t number, Side from, const Stamp& stamp) {
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end()) return;
  RecordedHalf& of = half(found->second, from);
  of.missing = true;
  of.body.push_back({stamp.at, {}, true});
}

void ExchangeBook::client_closed(std::uint64_t number, const Stamp& stamp) {
  if (const auto found = exchanges_.find(number); found != exchanges_.end()) found->second.client_closed_at = stamp.at;
}

void ExchangeBook::end(std::uint64_t number, bool is_mcp, model::EndReason reason, const Stamp& stamp) {
  decoders_.erase(number);
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end()) return;
  look(found->second, stamp);
  if (!is_mcp || !found->second.is_wanted) return let_go(found);
  found->second.is_mcp = true;
  found->second.end = reason;
  found->second.ended_at = stamp.at;
}

void ExchangeBook::let_go(std::map<std::uint64_t, RecordedExchange>::iterator exchange) {
  for (const RecordedHalf* of : {&exchange->second.request, &exchange->second.response}) {
    bytes_ -= of->head.bytes.size();
    for (const BodyPiece& piece : of->body) bytes_ -= piece.bytes.size();
  }
  exchanges_.erase(exchange);
}

}  // namespace mcpscan::extract
