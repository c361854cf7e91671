#include "session/exchange_table.h"

namespace mcpscan::session {

using model::Exchange;

Exchange& ExchangeTable::open(std::uint64_t id, std::uint64_t connection) {
  const auto [place, is_new] = exchanges_.try_emplace(id);
  Open& open = place->second;
  if (!is_new) unlink(open);
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
  exchanges_.erase(found);
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
  Open*& newest = newest_[open.exchange.connection];
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
  else newest_.erase(open.exchange.connection);
}

}  // namespace mcpscan::session
