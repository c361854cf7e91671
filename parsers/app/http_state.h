// HttpState: what the connections of one input set share beside the sink: the message reader and its arena, the budget of kept
// bytes, the URLs known to be MCP's, spare exchanges. HttpConnection: what holds for one connection, whatever HTTP it speaks.
// Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/http_analyzer.h"
#include "app/mcp_endpoints.h"
#include "app/message_reader.h"
#include "base/arena.h"

namespace mcpscan::app {

class Exchange;

struct HttpState {
  explicit HttpState(HttpShared& of);
  ~HttpState();

  HttpShared& shared;
  const Limits& limits;
  MessageReader reader;
  Arena arena;
  McpEndpoints endpoints;
  std::size_t kept_bytes = 0;      // against Limits::http_buffer_bytes
  std::size_t decoders = 0;        // against Limits::content_decoders
  std::size_t open_exchanges = 0;  // against Limits::exchanges
  std::vector<std::unique_ptr<Exchange>> spare;

  bool over_budget() const { return kept_bytes > limits.http_buffer_bytes; }
  void odd(std::string_view kind, std::string_view text, const model::SourceRef& source);
};

class HttpConnection {
 public:
  HttpConnection(HttpState& state, const model::FlowInfo& flow);
  // A connection that a recording tells of without addresses: `client` and `server` as printed, `number` as FlowInfo::connection.
  HttpConnection(HttpState& state, std::uint64_t number, std::string client, std::string server, model::Scheme scheme = model::Scheme::unknown);

  HttpState& state() { return state_; }
  const model::FlowInfo& flow() const { return flow_; }
  const std::string& client() const { return client_; }
  const std::string& server() const { return server_; }

  // A fresh exchange with the next number.
  std::unique_ptr<Exchange> open_exchange();
  // Ends it (when it has not ended by itself) and keeps it for reuse.
  void close_exchange(std::unique_ptr<Exchange> exchange, model::EndReason reason, const model::Stamp& stamp);

  // Bytes are missing. Told at once when the connection is known to speak MCP, else when it turns out to.
  void report_gap(model::Side from, std::uint64_t length, const Exchange* exchange, std::string_view reason, const model::Stamp& stamp);
  // A response came whose request is older than the capture, or missing with the beginning of the connection.
  void note_unasked(const model::Stamp& stamp);
  // The connection is over. Where requests are missing and nothing else shows what it spoke, they may have been of any session of its client.
  void tell_unseen();
  // MCP was seen at `target`. Bytes that were missing before are a gap of the exchange's session.
  void show_mcp(std::string_view target, const Exchange& exchange);

 private:
  struct PendingGap {
    std::uint64_t bytes = 0;
    model::Direction direction = model::Direction::unknown;
    std::string_view reason;
    model::Stamp stamp;
  };
  enum class Place : bool { in_exchange, before };
  void emit_gap(const PendingGap& gap, const Exchange* exchange, Place place);

  HttpState& state_;
  model::FlowInfo flow_;
  std::string client_, server_, last_path_;
  std::vector<PendingGap> pending_gaps_;  // at most one a direction; later ones add to it
  std::optional<PendingGap> unasked_;     // the request of the first response that came without one
  bool mcp_seen_ = false;
};

// One version of HTTP on one connection. feed() returns the bytes taken: less than given means that the rest must wait for the
// other side, or, with switched(), belongs to another protocol. `forced`: nothing more will come from the other side in time.
class HttpProtocol {
 public:
  virtual ~HttpProtocol() = default;
  virtual std::size_t feed(model::Side from, std::string_view bytes, const model::Stamp& stamp, bool forced) = 0;
  virtual void gap(model::Side from, std::uint64_t length, const model::Stamp& stamp) = 0;
  virtual void half_close(model::Side from, const model::Stamp& stamp) = 0;
  virtual void finish(model::EndReason reason, const model::Stamp& stamp) = 0;
  virtual bool interested() const = 0;
  virtual bool switched() const { return false; }
};

}  // namespace mcpscan::app
