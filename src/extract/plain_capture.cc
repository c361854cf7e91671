#include "extract/plain_capture.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "extract/packet_writer.h"

namespace mcpscan::extract {
namespace {

using app::HttpHead;
using model::EndReason;
using model::Endpoint;
using model::Side;

constexpr std::uint32_t kGapBytes = 1024;
constexpr std::uint16_t kFirstFreePort = 49152;

enum class Act : std::uint8_t { open, send, gap, close, reset };

struct Action {
  Time at;
  std::size_t lane = 0;
  Act act = Act::send;
  Side from = Side::client;
  std::string bytes;
};

// One connection of the new capture.
struct Lane {
  Endpoint client, server;
  Time free_at;        // the last exchange on it is over
  bool usable = true;
};

std::string_view media_type(std::string_view content_type) { return content_type.substr(0, content_type.find(';')); }
bool is_event_stream(std::string_view content_type) { return app::iequals(app::trim_space(media_type(content_type)), "text/event-stream"); }

// Behind the last empty line, where an event ends; 0 when there is none.
std::size_t end_of_events(std::string_view text) {
  for (std::size_t at = text.size(); at-- > 1;) {
    if (text[at] != '\n') continue;
    if (text[at - 1] == '\n' || (at >= 3 && text[at - 1] == '\r' && text[at - 2] == '\n')) return at + 1;
  }
  return 0;
}

std::string chunk(std::string_view bytes) { return bytes.empty() ? std::string() : fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes); }

class PlainCapture {
 public:
  PlainCapture(ShareText* text, PartSink& sink) : text_(text), sink_(sink) {}

  void run(const ExchangeBook& book) {
    for (const auto& [number, exchange] : book.exchanges()) {
      used_ports_.insert(exchange.flow.key.client.port);
    }
    for (const auto& [number, exchange] : book.exchanges()) {
      if (exchange.is_mcp) add(exchange);
    }
    std::stable_sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) { return a.at < b.at; });
    PacketWriter writer(sink_);
    std::vector<std::size_t> connection_of(lanes_.size());
    for (const Action& action : actions_) {
      if (action.act == Act::open) connection_of[action.lane] = writer.open(lanes_[action.lane].client, lanes_[action.lane].server, action.at);
      const std::size_t connection = connection_of[action.lane];
      if (action.act == Act::send) writer.send(connection, action.from, action.bytes, action.at);
      if (action.act == Act::gap) writer.skip(connection, action.from, kGapBytes);
      if (action.act == Act::close) writer.close(connection, action.from, action.at);
      if (action.act == Act::reset) writer.reset(connection, action.from, action.at);
    }
  }

 private:
  std::string name(std::string_view value) { return text_ ? text_->name(value) : std::string(value); }
  std::string prose(std::string_view value) { return text_ ? text_->prose(value) : std::string(value); }
  std::string payload(std::string_view value) { return text_ ? text_->payload(value) : std::string(value); }
  std::string record(std::string_view value) { return text_ ? text_->record(value) : std::string(value); }

  void add(const RecordedExchange& exchange) {
    now_ = exchange.begins();
    lane_ = lane_for(exchange);
    if (exchange.request.seen) write_request(exchange.request);
    // The client may have hung up long before the response came.
    if (exchange.client_closed_at.known()) actions_.push_back({std::max(now_, exchange.client_closed_at), lane_, Act::close, Side::client, {}});
    if (exchange.response.seen) write_response(exchange);
    end(exchange);
    lanes_[lane_].free_at = std::max(now_, exchange.ended_at);
    lanes_[lane_].usable = exchange.end == EndReason::complete && exchange.request.complete && !exchange.client_closed_at.known();
  }

  // An exchange that began before the last one on its connection was over gets a connection of its own.
  std::size_t lane_for(const RecordedExchange& exchange) {
    const auto found = lane_of_.find(exchange.flow.connection);
    if (found != lane_of_.end() && lanes_[found->second].usable && lanes_[found->second].free_at <= now_) return found->second;
    Lane lane{shared(exchange.flow.key.client), shared(exchange.flow.key.server), {}, true};
    if (found != lane_of_.end()) lane.client.port = free_port();
    lanes_.push_back(lane);
    lane_of_[exchange.flow.connection] = lanes_.size() - 1;
    actions_.push_back({now_, lanes_.size() - 1, Act::open, Side::client, {}});
    return lanes_.size() - 1;
  }

  std::uint16_t free_port() {
    std::uint16_t port = kFirstFreePort;
    while (port < UINT16_MAX && used_ports_.contains(port)) ++port;
    used_ports_.insert(port);
    return port;
  }

  Endpoint shared(Endpoint end) {
    if (!text_) return end;
    const std::string stand_in = name(end.address_text());
    std::array<std::uint8_t, 16> address{};
    if (inet_pton(end.ipv6 ? AF_INET6 : AF_INET, stand_in.c_str(), address.data()) == 1) end.address = address;
    else end.address.fill(0);
    return end;
  }

  // Times within an exchange never go back.
  void act(Act act, Side from, std::string bytes, Time at) {
    if (at.known() && at > now_) now_ = at;
    actions_.push_back({now_, lane_, act, from, std::move(bytes)});
  }

  void field(std::string& head, std::string_view title, std::string_view value) {
    if (!value.empty()) head += fmt::format("{}: {}\r\n", title, value);
  }

  void shared_fields(std::string& head, const HttpHead& of) {
    field(head, "Content-Type", media_type(of.content_type));
    if (!of.session_id.empty()) field(head, "Mcp-Session-Id", name(of.session_id));
    field(head, "MCP-Protocol-Version", of.protocol_version);
  }

  void write_request(const RecordedHalf& request) {
    const HttpHead& of = request.head.head;
    std::string head = fmt::format("{} {} HTTP/1.1\r\n", of.method, prose(of.target));
    field(head, "Host", prose(of.host));
    if (of.accepts_event_stream) field(head, "Accept", "application/json, text/event-stream");
    shared_fields(head, of);
    field(head, "Mcp-Method", of.mcp_method);
    field(head, "Mcp-Name", payload(of.mcp_name));
    field(head, "Origin", prose(of.origin));
    field(head, "X-Forwarded-For", prose(of.forwarded_for));
    if (of.has_last_event_id) head += fmt::format("Last-Event-ID: {}\r\n", prose(of.last_event_id));
    // Which principals were the same, never who.
    if (of.principal != 0) field(head, "Authorization", "Bearer " + name(fmt::format("principal-{:016x}", of.principal)));
    write_whole(request, std::move(head), Side::client);
  }

  // A head and a body that means something only when it is whole.
  void write_whole(const RecordedHalf& half, std::string head, Side from) {
    std::string body;
    for (const BodyPiece& piece : half.body) body += piece.bytes;
    body = payload(body);
    const bool whole = half.complete && !half.missing;
    const bool may_have_body = from == Side::client ? half.head.head.method == "POST" || !body.empty() : half.head.head.status != 204 && half.head.head.status != 304;
    if (whole && may_have_body) head += fmt::format("Content-Length: {}\r\n", body.size());
    if (!whole) head += "Transfer-Encoding: chunked\r\n";
    act(Act::send, from, head + "\r\n", half.head_at);
    if (!body.empty()) act(Act::send, from, whole ? body : chunk(body), half.body.back().at);
    if (half.missing) write_gap(from);
    if (half.missing && half.complete) act(Act::send, from, "0\r\n\r\n", half.complete_at);
  }

  // A chunk that was announced, and of which nothing is there.
  void write_gap(Side from) {
    act(Act::send, from, fmt::format("{:x}\r\n", kGapBytes - 2), now_);
    act(Act::gap, from, {}, now_);
  }

  void write_response(const RecordedExchange& exchange) {
    const RecordedHalf& response = exchange.response;
    const HttpHead& of = response.head.head;
    std::string head = fmt::format("HTTP/1.1 {} \r\n", of.status);
    shared_fields(head, of);
    if (!is_event_stream(of.content_type)) return write_whole(response, std::move(head), Side::server);
    act(Act::send, Side::server, head + "Transfer-Encoding: chunked\r\n\r\n", response.head_at);
    write_events(response);
    if (response.complete) act(Act::send, Side::server, "0\r\n\r\n", response.complete_at);
  }

  // Each event goes out when its last byte came.
  void write_events(const RecordedHalf& response) {
    std::string waiting;
    for (const BodyPiece& piece : response.body) {
      if (piece.is_gap) {
        act(Act::send, Side::server, chunk(record(waiting)), piece.at);
        waiting.clear();
        write_gap(Side::server);
        continue;
      }
      waiting += piece.bytes;
      const std::size_t end = end_of_events(waiting);
      if (end > 0) act(Act::send, Side::server, chunk(record(std::string_view(waiting).substr(0, end))), piece.at);
      waiting.erase(0, end);
    }
    if (!waiting.empty()) act(Act::send, Side::server, chunk(record(waiting)), response.body.back().at);
  }

  // Who closed first is what counts; the other side follows.
  void close_both(Side first, bool client_has, Time at) {
    if (first == Side::server || !client_has) act(Act::close, first, {}, at);
    if (first == Side::client || !client_has) act(Act::close, first == Side::client ? Side::server : Side::client, {}, at);
  }

  void end(const RecordedExchange& exchange) {
    switch (exchange.end) {
      case EndReason::closed_by_client: return close_both(Side::client, exchange.client_closed_at.known(), exchange.ended_at);
      case EndReason::closed_by_server: return close_both(Side::server, exchange.client_closed_at.known(), exchange.ended_at);
      case EndReason::reset_by_client: return act(Act::reset, Side::client, {}, exchange.ended_at);
      case EndReason::reset_by_server: return act(Act::reset, Side::server, {}, exchange.ended_at);
      case EndReason::unknown:
      case EndReason::complete:
      case EndReason::evidence_ends:
      case EndReason::evidence_gap: return;
    }
  }

  ShareText* text_;  // null: all stays as it stood
  PartSink& sink_;
  std::vector<Lane> lanes_;
  std::map<std::uint64_t, std::size_t> lane_of_;  // by connection of the evidence
  std::set<std::uint16_t> used_ports_;
  std::vector<Action> actions_;
  std::size_t lane_ = 0;
  Time now_;
};

}  // namespace

void write_plain_capture(const ExchangeBook& book, ShareText* text, PartSink& sink) { PlainCapture(text, sink).run(book); }

}  // namespace mcpscan::extract
