#include "session/exchange_table.h"

#include <utility>

namespace mcpscan::session {

using model::Exchange;

namespace {

// As a new one, but for the room that its texts and its list have.
void renew(Exchange& exchange) {
  Exchange fresh;
  for (const auto text : {&Exchange::method, &Exchange::path, &Exchange::peer, &Exchange::last_event_id, &Exchange::server, &Exchange::mcp_method, &Exchange::mcp_name,
                          &Exchange::protocol_version}) {
    (exchange.*text).clear();
    (fresh.*text).swap(exchange.*text);
  }
  exchange.calls.clear();
  fresh.calls.swap(exchange.calls);
  exchange = std::move(fresh);
}

}  // namespace

std::uint32_t ExchangeTable::place_for(std::uint64_t id) {
  if (const std::uint32_t place = by_id_.find(id); place != kNone) {
    unlink(place);
    return place;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  by_id_.exchange(id, place);
  return place;
}

Exchange& ExchangeTable::open(std::uint64_t id, std::uint64_t connection) {
  const std::uint32_t place = place_for(id);
  Exchange& exchange = places_[place].exchange;
  exchange.id = id;
  exchange.connection = connection;
  link(place);
  order_.push_back(id);
  if (order_.size() > 4 * limits_.exchanges) order_.pop_front();
  return exchange;
}

Exchange* ExchangeTable::find(std::uint64_t id) {
  const std::uint32_t place = by_id_.find(id);
  return place == kNone ? nullptr : &places_[place].exchange;
}

void ExchangeTable::erase(std::uint64_t id) {
  const std::uint32_t place = by_id_.find(id);
  if (place == kNone) return;
  unlink(place);
  by_id_.erase(id);
  renew(places_[place].exchange);
  free_.push_back(place);
}

Exchange* ExchangeTable::oldest() {
  for (; !order_.empty(); order_.pop_front()) {
    if (Exchange* exchange = find(order_.front())) return exchange;
  }
  return nullptr;
}

void ExchangeTable::each(Visit visit) {
  for (Place& place : places_) {
    if (place.exchange.id != 0) visit(place.exchange);
  }
}

void ExchangeTable::mark_gap_on(std::uint64_t connection, Visit visit) {
  std::size_t seen = 0;
  for (std::uint32_t at = newest_.find(connection); at != kNone; at = places_[at].older, ++seen) {
    Place& place = places_[at];
    if (seen >= limits_.same_id_calls && place.in_gap) return;
    place.in_gap = place.exchange.gap = true;
    if (seen < limits_.same_id_calls) visit(place.exchange);
  }
}

void ExchangeTable::link(std::uint32_t at) {
  Place& place = places_[at];
  place.older = newest_.exchange(place.exchange.connection, at);
  place.newer = kNone;
  place.in_gap = false;
  if (place.older != kNone) places_[place.older].newer = at;
}

void ExchangeTable::unlink(std::uint32_t at) {
  const Place& place = places_[at];
  if (place.older != kNone) places_[place.older].newer = place.newer;
  if (place.newer != kNone) places_[place.newer].older = place.older;
  else if (place.older != kNone) newest_.exchange(place.exchange.connection, place.older);
  else newest_.erase(place.exchange.connection);
}

}  // namespace mcpscan::session
