// Lays two sources of evidence beside each other: which of their calls are the same call, how far their clocks are apart, and how the hop
// between them rewrites ids. Calls are joined on session, id, method and arguments; where sessions or ids differ, on the arguments and
// then the nearest time on the common clock. It judges nothing; whoever accuses by a pair looks at `sure`.
// Two sources that share too little, or whose clocks cannot be brought together, are no witnesses of the same traffic: `state` says so.
// Source: protocol notes B.0 (join several vantage points), ID12. Threads: pure functions. Bound: that of the ledgers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/call_ledger.h"

namespace mcpscan::session {

enum class AlignmentState : std::uint8_t { joined, nothing_in_common, clocks_apart };

struct Alignment {
  static constexpr std::uint32_t kAlone = UINT32_MAX;

  AlignmentState state = AlignmentState::nothing_in_common;
  std::vector<std::uint32_t> partner;     // by record of the first: the record of the second, or kAlone
  std::vector<bool> sure;                 // no other record could have been the partner
  std::size_t joined = 0;
  bool clock_known = false;
  std::int64_t offset_us = 0;             // what to add to a time of the first to get the second's
  std::int64_t spread_us = 0;             // median distance of the single calls' offsets from it
  std::size_t clock_calls = 0;            // calls the offset was taken from, 64 at most
  std::uint64_t rewritten = 0;            // joined calls whose id is another one in the second
  std::string id_before, id_after;        // of the first such call, as JSON has them
};

Alignment align(const CallLedger& first, const CallLedger& second);

// True when `after` is `before` with something put before or behind it, as gateways do: 1_a3b2c1d0, agw_7_n_1, 1__i__backend.
bool is_rewriting_of(const CallRecord& before, const CallRecord& after);

}  // namespace mcpscan::session
