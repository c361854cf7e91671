// ExchangeTable: the HTTP exchanges open at a time, by number and by connection. What concerns one connection looks at that connection's
// exchanges alone, whatever else is open. Owns them; an exchange stays where it is until it is erased. Not thread-safe.
// Bound: the caller's, Limits::exchanges: it closes oldest() while size() is too large.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "model/timeline.h"
#include "session/handle_index.h"

namespace mcpscan::session {

class ExchangeTable {
 public:
  explicit ExchangeTable(const Limits& limits) : limits_(limits) {}

  // The exchange of that number (never 0), with its number and connection set.
  model::Exchange& open(std::uint64_t id, std::uint64_t connection);
  // Null when it is not open.
  model::Exchange* find(std::uint64_t id);
  void erase(std::uint64_t id);
  std::size_t size() const { return by_id_.size(); }
  // The one opened first; null when none is known.
  model::Exchange* oldest();

  using Visit = FunctionRef<void(model::Exchange&)>;
  void each(Visit visit);
  // Bytes of the connection are missing: marks each of its exchanges, and shows the newest Limits::same_id_calls of them to `visit`. Those
  // marked before are passed over, so that holes one after the other cost no more than the exchanges between them.
  void mark_gap_on(std::uint64_t connection, Visit visit);

 private:
  static constexpr std::uint32_t kNone = HandleIndex::kNone;

  // A place for an exchange; free while its number is 0, and then kept for its memory: most exchanges end before the next begins.
  // Exchanges of one connection are a chain, newest first.
  struct Place {
    model::Exchange exchange;
    std::uint32_t older = kNone, newer = kNone;
    bool in_gap = false;   // marked by a hole of its connection, and so is all that is older
  };

  std::uint32_t place_for(std::uint64_t id);
  void link(std::uint32_t place);
  void unlink(std::uint32_t place);

  const Limits& limits_;
  std::deque<Place> places_;
  std::vector<std::uint32_t> free_;
  HandleIndex by_id_, newest_;   // newest: by connection
  std::deque<std::uint64_t> order_;
};

}  // namespace mcpscan::session
