// Http1Connection: both directions of an HTTP/1 connection, responses paired with requests in order (RFC 9112 9.3.2).
// Where a gap makes the pairing doubtful, exchanges end as evidence_gap and what comes is told unpaired: a wrong pairing would
// blame the wrong side. A response that comes before its request (packets out of order) is left unread until the request is.
// Open exchanges are bounded by Limits::pipelined_requests.
#pragma once

#include <deque>
#include <memory>

#include "app/exchange.h"
#include "app/http1_reader.h"
#include "app/http_state.h"

namespace mcpscan::app {

class Http1Connection final : public HttpProtocol {
 public:
  explicit Http1Connection(HttpConnection& connection);
  ~Http1Connection() override;

  std::size_t feed(model::Side from, std::string_view bytes, const model::Stamp& stamp, bool forced) override;
  void gap(model::Side from, std::uint64_t length, const model::Stamp& stamp) override;
  void half_close(model::Side from, const model::Stamp& stamp) override;
  void finish(model::EndReason reason, const model::Stamp& stamp) override;
  bool interested() const override { return !tunnel_ && !(client_reader_.opaque() && server_reader_.opaque()); }
  bool switched() const override { return upgraded_h2c_ != nullptr; }

  // The first bytes of this side are not the beginning of a message.
  void start_in_the_middle(model::Side from);
  // After an upgrade to h2c: the exchange that goes on as stream 1.
  std::unique_ptr<Exchange> take_upgraded() { return std::move(upgraded_h2c_); }

 private:
  class ClientEvents final : public Http1Reader::Events {
   public:
    explicit ClientEvents(Http1Connection& of) : of_(of) {}
    bool may_begin() override { return true; }
    Http1Reader::BodyPlan head(const HttpHead& head, const model::Stamp& stamp) override { return of_.request_head(head, stamp); }
    void partial_head(const HttpHead& head, const model::Stamp& stamp) override { of_.request_head(head, stamp); }
    void body(std::string_view bytes, bool last, const model::Stamp& stamp) override;
    void body_missing(std::uint64_t, const model::Stamp& stamp) override;
    void end(const model::Stamp& stamp) override { of_.request_end(stamp); }
    void lost(const model::Stamp& stamp) override { of_.request_lost(stamp); }
    void odd(std::string_view kind, std::string_view text, const model::Stamp& stamp) override { of_.odd(kind, text, stamp); }

   private:
    Http1Connection& of_;
  };

  class ServerEvents final : public Http1Reader::Events {
   public:
    explicit ServerEvents(Http1Connection& of) : of_(of) {}
    bool may_begin() override { return of_.response_may_begin(); }
    bool joined(const model::Stamp& stamp) override { return of_.response_joined(stamp); }
    Http1Reader::BodyPlan head(const HttpHead& head, const model::Stamp& stamp) override { return of_.response_head(head, stamp); }
    void partial_head(const HttpHead& head, const model::Stamp& stamp) override { of_.response_head(head, stamp); }
    void body(std::string_view bytes, bool last, const model::Stamp& stamp) override;
    void body_missing(std::uint64_t, const model::Stamp& stamp) override;
    void end(const model::Stamp& stamp) override { of_.response_end(stamp); }
    void lost(const model::Stamp& stamp) override { of_.response_lost(stamp); }
    void odd(std::string_view kind, std::string_view text, const model::Stamp& stamp) override { of_.odd(kind, text, stamp); }

   private:
    Http1Connection& of_;
  };

  Http1Reader::BodyPlan request_head(const HttpHead& head, const model::Stamp& stamp);
  void request_end(const model::Stamp& stamp);
  void request_lost(const model::Stamp& stamp);
  void request_over(const model::Stamp& stamp);
  bool response_may_begin() const;
  bool response_joined(const model::Stamp& stamp);
  Http1Reader::BodyPlan response_head(const HttpHead& head, const model::Stamp& stamp);
  Http1Reader::BodyPlan response_plan(const HttpHead& head) const;
  void choose_exchange(const model::Stamp& stamp);
  void response_end(const model::Stamp& stamp);
  void response_lost(const model::Stamp& stamp);
  void leave_http1(const HttpHead& head, const model::Stamp& stamp);
  void close_download(model::EndReason reason, const model::Stamp& stamp);
  void close_oldest(model::EndReason reason, const model::Stamp& stamp);
  void close_all(model::EndReason reason, const model::Stamp& stamp);
  void bound_waiting(const model::Stamp& stamp);
  void end_download_before_lost_request(const model::Stamp& stamp);
  void report_oddities(const HttpHead& head, const model::Stamp& stamp);
  void odd(std::string_view kind, std::string_view text, const model::Stamp& stamp);
  const Exchange* exchange_of(model::Side from) const;
  // Why an exchange that is still open at the end of the connection ended.
  model::EndReason final_reason(model::EndReason reason) const;

  HttpConnection& connection_;
  ClientEvents client_events_;
  ServerEvents server_events_;
  Http1Reader client_reader_, server_reader_;

  // Requests without a whole response, oldest first; the last one may still be uploading.
  std::deque<std::unique_ptr<Exchange>> waiting_;
  std::unique_ptr<Exchange> after_close_;  // answered after the client had closed its side; told when the connection ends
  model::Stamp after_close_at_;
  std::unique_ptr<Exchange> answered_early_;  // its response is over, its request (uploading_) is not
  model::EndReason answered_early_as_ = model::EndReason::complete;
  std::unique_ptr<Exchange> unpaired_;  // a response whose request is not known, or that is older than the capture
  Exchange* uploading_ = nullptr;
  Exchange* downloading_ = nullptr;  // nullptr between responses and during interim ones
  std::unique_ptr<Exchange> upgraded_h2c_;
  std::uint32_t orphans_ = 0;  // responses taken before their request was seen, with no gap to explain it
  bool interim_ = false, forced_ = false, tunnel_ = false;
  bool client_spoke_ = false, server_spoke_ = false, pipelined_ = false;
  bool request_gap_ = false;   // requests may be missing before the next one
  bool newest_missing_ = false;  // and the newest that was sent is one of them
  bool response_gap_ = false;  // responses may be missing before the next one
  bool pairing_lost_ = false;
  bool client_closed_ = false, server_closed_ = false, client_closed_first_ = false;
  bool cut_by_client_ = false;  // and the server has sent nothing since
  model::Stamp client_closed_at_;
};

}  // namespace mcpscan::app
