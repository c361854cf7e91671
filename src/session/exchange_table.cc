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

// A new entry of that key, in the memory of an ended one where there is one.
template <typename Map>
typename Map::mapped_type& add(Map& map, std::vector<typename Map::node_type>& spare, std::uint64_t key) {
  if (spare.empty()) return map.try_emplace(key).first->second;
  auto node = std::move(spare.back());
  spare.pop_back();
  node.key() = key;
  return map.insert(std::move(node)).position->second;
}

}  // namespace

ExchangeTable::Open& ExchangeTable::place_for(std::uint64_t id) {
  if (const auto found = exchanges_.find(id); found != exchanges_.end()) {
    unlink(found->second);
    return found->second;
  }
  return add(exchanges_, spare_exchanges_, id);
}

Exchange& ExchangeTable::open(std::uint64_t id, std::uint64_t connection) {
  Open& open = place_for(id);
  open.exchange.id = id;
  open.exchange.connection = connection;
  link(open);
  order_.push_back(id);
  if (order_.size() > 4 * limits_.exchanges) order_.pop_front();
  return open.exchange;
}

Exchange* ExchangeTable::find(std::uint64_t id) {
  const auto found = exchanges_.find(id);
  return found == exchanges_.end() ? nullptr : &found->second.exchange;
}

void ExchangeTable::erase(std::uint64_t id) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  unlink(found->second);
  if (spare_exchanges_.size() >= kSpare) return void(exchanges_.erase(found));
  renew(found->second.exchange);
  spare_exchanges_.push_back(exchanges_.extract(found));
}

Exchange* ExchangeTable::oldest() {
  for (; !order_.empty(); order_.pop_front()) {
    if (Exchange* exchange = find(order_.front())) return exchange;
  }
  return nullptr;
}

void ExchangeTable::each(Visit visit) {
  for (auto& [id, open] : exchanges_) visit(open.exchange);
}

void ExchangeTable::mark_gap_on(std::uint64_t connection, Visit visit) {
  const auto newest = newest_.find(connection);
  std::size_t seen = 0;
  for (Open* open = newest == newest_.end() ? nullptr : newest->second; open; open = open->older, ++seen) {
    if (seen >= limits_.same_id_calls && open->in_gap) return;
    open->in_gap = open->exchange.gap = true;
    if (seen < limits_.same_id_calls) visit(open->exchange);
  }
}

void ExchangeTable::link(Open& open) {
  const auto found = newest_.find(open.exchange.connection);
  const bool first = found == newest_.end();
  Open*& newest = first ? add(newest_, spare_newest_, open.exchange.connection) : found->second;
  if (first) newest = nullptr;
  open.older = newest;
  open.newer = nullptr;
  open.in_gap = false;
  if (newest) newest->newer = &open;
  newest = &open;
}

void ExchangeTable::unlink(Open& open) {
  if (open.older) open.older->newer = open.newer;
  if (open.newer) open.newer->older = open.older;
  else if (open.older) newest_[open.exchange.connection] = open.older;
  else if (spare_newest_.size() >= kSpare) newest_.erase(open.exchange.connection);
  else spare_newest_.push_back(newest_.extract(open.exchange.connection));
}

}  // namespace mcpscan::session
