// ExchangeBook: the HTTP exchanges of one capture, kept whole with the time of each piece, content codings undone: what a capture is written
// anew from. Only those that turn out to be MCP stay, and of these only those that stand at a wanted place. Meant for slices, which are small: full() once Limits::http_buffer_bytes are held.
// Ownership: keeps copies. Threads: as ExchangeRecorder.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/content_decoder.h"
#include "app/exchange.h"
#include "app/exchange_recorder.h"
#include "base/limits.h"
#include "extract/place_set.h"

namespace mcpscan::extract {

struct BodyPiece {
  Time at;
  std::string bytes;
  bool is_gap = false;  // bytes are missing here
};

struct RecordedHalf {
  app::KeptHead head;
  bool seen = false, complete = false, missing = false;  // missing: not all of the body is here
  Time head_at, complete_at;
  std::vector<BodyPiece> body;
};

struct RecordedExchange {
  std::uint64_t number = 0;
  model::FlowInfo flow;
  RecordedHalf request, response;
  Time client_closed_at, ended_at;
  model::EndReason end = model::EndReason::evidence_ends;
  bool is_mcp = false;
  bool is_wanted = false;   // some piece of it stands at a wanted place

  Time begins() const { return request.seen ? request.head_at : response.head_at; }
};

class ExchangeBook : public app::ExchangeRecorder {
 public:
  // `wanted`: packets; an exchange with a piece in one of them stays. Null: all stay. It outlives the book.
  explicit ExchangeBook(const Limits& limits, const PlaceSet* wanted = nullptr) : limits_(limits), wanted_(wanted) {}

  void head(std::uint64_t exchange, const model::FlowInfo& flow, model::Side from, const app::HttpHead& head, const model::Stamp& stamp) override;
  void body(std::uint64_t exchange, model::Side from, std::string_view bytes, const model::Stamp& stamp) override;
  void complete(std::uint64_t exchange, model::Side from, const model::Stamp& stamp) override;
  void missing(std::uint64_t exchange, model::Side from, const model::Stamp& stamp) override;
  void client_closed(std::uint64_t exchange, const model::Stamp& stamp) override;
  void end(std::uint64_t exchange, bool is_mcp, model::EndReason reason, const model::Stamp& stamp) override;

  bool full() const { return full_; }
  // In the order of their numbers.
  const std::map<std::uint64_t, RecordedExchange>& exchanges() const { return exchanges_; }

 private:
  struct Decoders {
    std::unique_ptr<app::ContentDecoder> request, response;
  };
  static RecordedHalf& half(RecordedExchange& exchange, model::Side from) { return from == model::Side::client ? exchange.request : exchange.response; }

  void look(RecordedExchange& exchange, const model::Stamp& stamp) const { exchange.is_wanted = exchange.is_wanted || !wanted_ || wanted_->holds(stamp.source.number); }
  void let_go(std::map<std::uint64_t, RecordedExchange>::iterator exchange);

  const Limits& limits_;
  const PlaceSet* wanted_;
  std::map<std::uint64_t, RecordedExchange> exchanges_;
  std::map<std::uint64_t, Decoders> decoders_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace mcpscan::extract
