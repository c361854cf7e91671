// ExchangeTable: the HTTP exchanges open at a time, by number and by connection. What concerns one connection looks at that connection's
// exchanges alone, whatever else is open. Owns them; an exchange stays where it is until it is erased. Not thread-safe.
// Bound: the caller's, Limits::exchanges: it closes oldest() while size() is too large.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "model/timeline.h"

namespace mcpscan::session {

class ExchangeTable {
 public:
  explicit ExchangeTable(const Limits& limits) : limits_(limits) {}

  // The exchange of that number (never 0), with its number and connection set.
  model::Exchange& open(std::uint64_t id, std::uint64_t connection);
  // Null when it is not open.
  model::Exchange* find(std::uint64_t id);
  void erase(std::uint64_t id);
  std::size_t size() const { return exchanges_.size(); }
  // The one opened first; null when none is known.
  model::Exchange* oldest();

  using Visit = FunctionRef<void(model::Exchange&)>;
  void each(Visit visit);
  // Bytes of the connection are missing: marks each of its exchanges, and shows the newest Limits::same_id_calls of them to `visit`. Those
  // marked before are passed over, so that holes one after the other cost no more than the exchanges between them.
  void mark_gap_on(std::uint64_t connection, Visit visit);

 private:
  // Exchanges of one connection are a chain, newest first.
  struct Open {
    model::Exchange exchange;
    Open* older = nullptr;
    Open* newer = nullptr;
    bool in_gap = false;   // marked by a hole of its connection, and so is all that is older
  };
  using Exchanges = std::unordered_map<std::uint64_t, Open>;
  using Newest = std::unordered_map<std::uint64_t, Open*>;
  static constexpr std::size_t kSpare = 256;

  Open& place_for(std::uint64_t id);
  void link(Open& open);
  void unlink(Open& open);

  const Limits& limits_;
  Exchanges exchanges_;
  Newest newest_;   // by connection
  // Ended ones, kept for their memory: most exchanges end before the next begins.
  std::vector<Exchanges::node_type> spare_exchanges_;
  std::vector<Newest::node_type> spare_newest_;
  std::deque<std::uint64_t> order_;
};

}  // namespace mcpscan::session
