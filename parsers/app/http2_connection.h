// Http2Connection: the streams of one cleartext or decrypted HTTP/2 connection, each an Exchange. Follows both HPACK states,
// SETTINGS_HEADER_TABLE_SIZE, CONTINUATION, trailers, RST_STREAM and GOAWAY. Where a header block was missed the compression
// state is unknown: the connection is given up, said as an anomaly, and its open exchanges end as evidence_gap.
// Streams open at a time are bounded by Limits::http2_streams. Not thread-safe.
// Source: RFC 9113 sections 5 to 8; RFC 7540 section 3.2 for the upgrade from HTTP/1.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "app/exchange.h"
#include "app/http2_frames.h"
#include "app/http_state.h"

namespace mcpscan::app {

class Http2Connection final : public HttpProtocol {
 public:
  // `upgraded`: the exchange that an upgrade from HTTP/1 turned into stream 1; may be null.
  Http2Connection(HttpConnection& connection, std::unique_ptr<Exchange> upgraded);
  ~Http2Connection() override;

  std::size_t feed(model::Side from, std::string_view bytes, const model::Stamp& stamp, bool forced) override;
  void gap(model::Side from, std::uint64_t length, const model::Stamp& stamp) override;
  void half_close(model::Side from, const model::Stamp& stamp) override;
  void finish(model::EndReason reason, const model::Stamp& stamp) override;
  bool interested() const override { return !given_up_; }

 private:
  class SideEvents final : public Http2FrameReader::Events {
   public:
    SideEvents(Http2Connection& of, model::Side from) : of_(of), from_(from) {}
    bool may_begin(const FrameHead& head) override { return of_.may_begin(from_, head); }
    void data(std::uint32_t stream, std::string_view bytes, const model::Stamp& stamp) override { of_.data(from_, stream, bytes, stamp); }
    void data_missing(std::uint32_t stream, const model::Stamp& stamp) override;
    void data_end(std::uint32_t stream, bool end_stream, const model::Stamp& stamp) override;
    bool frame(const FrameHead& head, std::string_view payload, const model::Stamp& stamp) override {
      return of_.frame(from_, head, payload, stamp);
    }

   private:
    Http2Connection& of_;
    model::Side from_;
  };

  // One direction.
  struct Half {
    Half(Http2Connection& of, model::Side from);
    SideEvents events;
    Http2FrameReader reader;
    HpackDecoder fields;
    std::string block;  // a field section that CONTINUATION frames go on with
    FrameHead block_head;
    bool in_block = false;
    std::size_t preface_left = 0;
    std::vector<std::uint32_t> table_sizes;  // asked for by this side, not yet acknowledged; 0xffffffff: none in that SETTINGS
    bool spoke = false, closed = false;
  };

  Half& half(model::Side from) { return from == model::Side::client ? client_ : server_; }
  bool may_begin(model::Side from, const FrameHead& head) const;
  void data(model::Side from, std::uint32_t stream, std::string_view bytes, const model::Stamp& stamp);
  bool frame(model::Side from, const FrameHead& head, std::string_view payload, const model::Stamp& stamp);
  bool take_headers(model::Side from, const FrameHead& head, std::string_view payload, const model::Stamp& stamp);
  bool take_continuation(model::Side from, const FrameHead& head, std::string_view payload, const model::Stamp& stamp);
  bool take_block(model::Side from, const FrameHead& head, std::string_view block, const model::Stamp& stamp);
  void take_request(std::uint32_t stream, const HttpHead& head, const model::Stamp& stamp);
  void take_response(std::uint32_t stream, const HttpHead& head, const model::Stamp& stamp);
  bool take_settings(model::Side from, const FrameHead& head, std::string_view payload);
  void take_reset(model::Side from, std::uint32_t stream, const model::Stamp& stamp);
  void take_goaway(model::Side from, std::string_view payload, const model::Stamp& stamp);
  void end_half(model::Side from, std::uint32_t stream, const model::Stamp& stamp);
  Exchange* exchange(std::uint32_t stream);
  void close_stream(std::uint32_t stream, model::EndReason reason, const model::Stamp& stamp);
  void close_all(model::EndReason reason, const model::Stamp& stamp);
  void give_up(std::string_view kind, std::string_view text, const model::Stamp& stamp);

  HttpConnection& connection_;
  Half client_, server_;
  std::map<std::uint32_t, std::unique_ptr<Exchange>> streams_;  // ordered: they end in the order they began
  std::uint32_t newest_stream_ = 0;
  bool given_up_ = false, forced_ = false, client_closed_first_ = false;
  model::Stamp client_closed_at_;
};

}  // namespace mcpscan::app
