// HarCopies: a request that a service worker fetched for its page stands twice in what a browser exports, as the page made it and as the
// worker sent it. It was made once: the one that starts first is told, and the other one only lends it the response's body where it has
// the better one. Who answers without the network, or fetches for itself, has one record, which stays.
// Ownership: refers to exchanges until forget(). Threads: one. Bounds: those of HarWindow, whose exchanges these are.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pipeline/har_exchange.h"

namespace mcpscan::pipeline {

class HarCopies {
 public:
  // `exchange` starts: true when it is the other record of one whose response has not begun.
  bool take(HarExchange& exchange);
  // Its response begins, or it ends without.
  void forget(const HarExchange& exchange);

 private:
  HarExchange* original_of(const HarExchange& exchange) const;

  std::unordered_map<std::uint64_t, std::vector<HarExchange*>> open_;
};

}  // namespace mcpscan::pipeline
