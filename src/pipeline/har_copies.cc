#include "pipeline/har_copies.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/hash.h"

namespace mcpscan::pipeline {
namespace {

auto key_of(const HarExchange& exchange) {
  const app::HttpHead& head = exchange.request.head;
  return std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, std::string_view>(exchange.server, head.target, head.method, head.session_id,
                                                                                                            exchange.request_body);
}

std::uint64_t hash_of(const HarExchange& exchange) {
  return std::apply([](auto... parts) {
    std::uint64_t sum = 0;
    ((sum = hash_combine(sum, hash_bytes(parts))), ...);
    return sum;
  }, key_of(exchange));
}

// One of the two says what it is: Playwright marks the worker's, DevTools the page's.
bool are_page_and_worker(const HarExchange& page, const HarExchange& worker) {
  return page.fetch != HarFetch::by_worker && worker.fetch != HarFetch::for_page && page.fetch != worker.fetch;
}

bool lacks_body(const HarExchange& exchange) { return exchange.response_state == HarBodyState::absent || exchange.body_cut; }

// Playwright keeps the bodies of the page's responses only.
void lend_body(HarExchange& from, HarExchange& to) {
  if (!to.has_response || !from.has_response || !lacks_body(to) || lacks_body(from)) return;
  to.response_state = from.response_state;
  to.response_body = std::move(from.response_body);
  to.response.head.codings = from.response.head.codings;
  to.events = std::move(from.events);
  to.told_size = from.told_size;
  to.body_cut = false;
}

}  // namespace

bool HarCopies::take(HarExchange& exchange) {
  if (HarExchange* const original = original_of(exchange)) {
    original->has_copy = exchange.left_out = true;
    lend_body(exchange, *original);
    return true;
  }
  open_[hash_of(exchange)].push_back(&exchange);
  return false;
}

// A worker may fetch again what failed, a page's request that was told has one record only: the same once more is another one.
HarExchange* HarCopies::original_of(const HarExchange& exchange) const {
  const auto found = open_.find(hash_of(exchange));
  if (found == open_.end()) return nullptr;
  HarExchange* again = nullptr;
  for (HarExchange* const each : found->second) {
    if (each->fetch == exchange.fetch || key_of(*each) != key_of(exchange)) continue;
    const bool of_page = are_page_and_worker(*each, exchange);
    if (!each->has_copy && (of_page || are_page_and_worker(exchange, *each))) return each;
    if (of_page && !again) again = each;
  }
  return again;
}

void HarCopies::forget(const HarExchange& exchange) {
  const auto found = open_.find(hash_of(exchange));
  if (found == open_.end()) return;
  std::erase(found->second, &exchange);
  if (found->second.empty()) open_.erase(found);
}

}  // namespace mcpscan::pipeline
