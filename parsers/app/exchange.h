// Exchange: one HTTP request with its response, whatever version carried it. Decides whether it is MCP and
// emits the observations in the order that the session layer relies on: exchange_request, the texts of its body,
// exchange_response, texts as they complete, exchange_end; what messages the texts hold is BodyMessages' to read. Until the
// nature is known nothing is emitted; what turns out foreign is counted and never told. Either half may be missing (one-sided captures, gaps).
// Owns copies of the head fields it reports. Reused through begin(). Not thread-safe.
// Source: MCP 2024-11-05 to 2026-07-28, transports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/body_reader.h"
#include "app/http_head.h"
#include "app/http_state.h"
#include "model/observation.h"

namespace mcpscan::app {

// A head that outlives the bytes it was read from.
struct KeptHead {
  HttpHead head;
  std::string bytes;
  void assign(const HttpHead& from);

 private:
  bool assign_whole(const HttpHead& from, std::size_t size);
};

class Exchange final : private BodyReader::Events {
 public:
  explicit Exchange(HttpState& state);

  void begin(HttpConnection& connection, std::uint64_t number);

  void request_head(const HttpHead& head, const model::Stamp& stamp);
  void request_body(std::string_view bytes, bool last, const model::Stamp& stamp);
  void request_end(const model::Stamp& stamp);
  void response_head(const HttpHead& head, const model::Stamp& stamp);
  // The capture begins inside the response, a stream of events: of the 2024-11-05 transport, or one whose request is as old.
  void join_events(const model::Stamp& stamp);
  void response_body(std::string_view bytes, bool last, const model::Stamp& stamp);
  void response_end(const model::Stamp& stamp);
  // Bytes of a body are missing.
  void missing(model::Side from, const model::Stamp& stamp);
  // The rest of the request cannot be read; its response may still come.
  void request_lost(const model::Stamp& stamp);
  // The client sent FIN before the response was complete.
  void client_closed(const model::Stamp& stamp);
  void end(model::EndReason reason, const model::Stamp& stamp);

  bool request_begun() const { return has_request_; }
  bool request_done() const { return request_done_; }
  bool response_begun() const { return has_response_; }
  bool response_done() const { return response_done_; }
  bool is_head_request() const { return request_.head.method == "HEAD"; }
  bool is_foreign() const { return nature_ == Nature::foreign; }
  bool is_connect() const { return request_.head.method == "CONNECT"; }
  bool asks_h2c() const { return request_.head.upgrade_h2c; }
  // The response will belong to some other request: it is never paired.
  void set_unpaired() { unpaired_ = true; }
  bool unpaired() const { return unpaired_; }

  // Session, stream and numbers into an observation about this exchange.
  void address(model::Observation& observation) const;

 private:
  enum class Nature : std::uint8_t { undecided, mcp, foreign };

  void json_text(model::Side from, std::string_view text, bool truncated, const model::Stamp& stamp) override;
  void sse_event(const SseEvent& event, const model::Stamp& stamp) override;
  void other_text(model::Side from, std::string_view head) override { keep_refusal(from, head); }

  void keep_refusal(model::Side from, std::string_view text);
  ExchangeRecorder* recorder() const { return joined_ ? nullptr : state_.shared.recorder; }
  Nature nature_of_request() const;
  void take_request_session();
  bool judge(model::Side from, std::string_view text);
  void become_mcp();
  void become_foreign() { nature_ = Nature::foreign; }
  void take_endpoint_event(const SseEvent& event);
  void emit_body(model::Side from, std::string_view text, std::string_view event_id, const model::Stamp& stamp);
  bool listens(std::string_view text);
  void emit_stream_event(std::string_view event_id, const model::Stamp& stamp);
  void emit_request();
  void emit_response();
  void emit_end(model::EndReason reason, const model::Stamp& stamp);
  void emit(model::ObservationKind kind, model::Direction direction, const model::HttpFacts& facts, const model::Stamp& stamp);
  model::HttpFacts request_facts() const;
  BodyReader::Use response_use() const;
  bool is_post() const { return request_.head.method == "POST"; }
  bool is_get() const { return request_.head.method == "GET"; }

  HttpState& state_;
  HttpConnection* connection_ = nullptr;
  std::uint64_t number_ = 0;
  Nature nature_ = Nature::undecided;
  model::StreamKind stream_ = model::StreamKind::unknown;
  model::SessionKeying keying_ = model::SessionKeying::none;
  std::string session_;
  std::string last_event_id_;  // last one sent on the response stream
  std::string refusal_;        // what a refusal says
  KeptHead request_, response_;
  model::Stamp request_at_, response_at_;
  Time client_closed_at_, last_byte_at_;
  BodyReader request_body_, response_body_;
  std::uint32_t events_seen_ = 0;
  bool has_request_ = false, has_response_ = false, request_done_ = false, response_done_ = false;
  bool request_told_ = false, response_told_ = false, ended_ = true;
  bool known_endpoint_ = false, is_sse_ = false, unpaired_ = false;
  bool joined_ = false;  // neither head was captured
  bool untold_ = false;  // a stream of the 2024-11-05 transport whose session is not known: only its messages are told
  bool request_hole_ = false, response_hole_ = false;
  bool evidence_over_ = false;  // what comes yet is a message that the evidence ends in
};

}  // namespace mcpscan::app
