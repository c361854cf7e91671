#include "app/http_state.h"

#include <algorithm>
#include <utility>

#include "app/exchange.h"

namespace mcpscan::app {
namespace {

constexpr std::size_t kSpareExchanges = 256;

model::Direction direction_of(model::Side from) {
  return from == model::Side::client ? model::Direction::client_to_server : model::Direction::server_to_client;
}

}  // namespace

HttpState::HttpState(HttpShared& of) : shared(of), limits(of.limits), reader(of.limits), endpoints(of.limits) {}
HttpState::~HttpState() = default;

void HttpState::odd(std::string_view kind, std::string_view text, const model::SourceRef& source) {
  shared.anomalies.add({std::string(kind), std::string(text), source, 1});
}

HttpConnection::HttpConnection(HttpState& state, const model::FlowInfo& flow)
    : state_(state), flow_(flow), client_(flow.key.client.address_text()), server_(flow.key.server.text()) {}

HttpConnection::HttpConnection(HttpState& state, std::uint64_t number, std::string client, std::string server, model::Scheme scheme)
    : state_(state), client_(std::move(client)), server_(std::move(server)) {
  flow_.connection = number;
  flow_.scheme = scheme;
}

std::unique_ptr<Exchange> HttpConnection::open_exchange() {
  std::unique_ptr<Exchange> exchange;
  if (state_.spare.empty()) {
    exchange = std::make_unique<Exchange>(state_);
  } else {
    exchange = std::move(state_.spare.back());
    state_.spare.pop_back();
  }
  ++state_.open_exchanges;
  exchange->begin(*this, state_.shared.next_exchange++);
  return exchange;
}

void HttpConnection::close_exchange(std::unique_ptr<Exchange> exchange, model::EndReason reason, const model::Stamp& stamp) {
  exchange->end(reason, stamp);
  --state_.open_exchanges;
  if (state_.spare.size() < kSpareExchanges) state_.spare.push_back(std::move(exchange));
}

void HttpConnection::report_gap(model::Side from, std::uint64_t length, const Exchange* exchange, std::string_view reason,
                                const model::Stamp& stamp) {
  const PendingGap gap{length, direction_of(from), reason, stamp};
  if (length > 0 && !(exchange && exchange->is_foreign())) state_.shared.lost_bytes_may_be_mcp = true;
  if (mcp_seen_) return emit_gap(gap, exchange, Place::in_exchange);
  for (PendingGap& earlier : pending_gaps_) {
    if (earlier.direction != gap.direction) continue;
    earlier.bytes += length;
    return;
  }
  pending_gaps_.push_back(gap);
}

void HttpConnection::note_unasked(const model::Stamp& stamp) {
  if (!mcp_seen_ && !unasked_) unasked_ = PendingGap{0, model::Direction::client_to_server, {}, stamp};
}

void HttpConnection::tell_unseen() {
  const auto is_request = [](const PendingGap& gap) { return gap.direction == model::Direction::client_to_server && gap.bytes > 0; };
  const auto missing = std::find_if(pending_gaps_.begin(), pending_gaps_.end(), is_request);
  if (missing == pending_gaps_.end() && !unasked_) return;
  const PendingGap& gap = missing != pending_gaps_.end() ? *missing : *unasked_;
  const model::GapFacts facts{gap.bytes, "a request is missing, and nothing shows what it was", false};
  model::HttpFacts http;
  http.peer = client_;
  model::Observation observation;
  observation.kind = model::ObservationKind::gap;
  observation.direction = gap.direction;
  observation.at = gap.stamp.at;
  observation.source = gap.stamp.source;
  observation.connection = flow_.connection;
  observation.server = server_;
  observation.http = &http;
  observation.gap = &facts;
  state_.shared.sink.observe(observation);
}

void HttpConnection::show_mcp(std::string_view target, const Exchange& exchange) {
  if (!target.empty() && path_of(target) != last_path_) {
    last_path_ = path_of(target);
    if (!state_.endpoints.learn(server_, target)) {
      state_.odd("mcp-endpoints-bound", "more URLs than mcp_endpoints speak MCP; a further one is recognised by its content only", {});
    }
  }
  if (mcp_seen_) return;
  mcp_seen_ = true;
  for (const PendingGap& gap : pending_gaps_) emit_gap(gap, gap.bytes > 0 ? &exchange : nullptr, Place::before);
  pending_gaps_.clear();
  unasked_.reset();
}

void HttpConnection::emit_gap(const PendingGap& gap, const Exchange* exchange, Place place) {
  const model::GapFacts facts{gap.bytes, gap.reason, false};
  model::Observation observation;
  observation.kind = model::ObservationKind::gap;
  observation.direction = gap.direction;
  observation.at = gap.stamp.at;
  observation.source = gap.stamp.source;
  observation.connection = flow_.connection;
  observation.gap = &facts;
  if (exchange != nullptr) exchange->address(observation);
  if (place == Place::before) {
    observation.exchange = 0;
    observation.stream = model::StreamKind::unknown;
    if (observation.session.empty()) observation.server = {};  // nor of any other session of the server
  }
  state_.shared.sink.observe(observation);
}

}  // namespace mcpscan::app
