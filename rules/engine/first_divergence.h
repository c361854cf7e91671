// Names the hop of the first divergence: findings of one vantage point are compared, call by call, with what the points behind it show
// of the same calls, and their fault is set anew where that tells more. Also finds what no single point can: payloads that were
// exchanged between two wires although nothing in them tells, and colliding ids that a gateway made of different ones.
// The points of one capture that holds several hops share its book; only findings that name calls tell there at which hop they were made.
// A call that is not joined, or joined with a doubt, moves no blame. Source: protocol notes C.2 C.3 ID13; docs/architecture.md.
// Ownership: changes the books it is given, which are only merged after that; ledgers and alignments are only read. Threads: one.
#pragma once

#include <vector>

#include "engine/engine.h"
#include "session/vantage_alignment.h"

namespace mcpscan::engine {

// One vantage point of a group that saw the same traffic.
struct Witness {
  model::Vantage vantage = model::Vantage::unknown;
  const session::CallLedger* ledger = nullptr;
  FindingBook* book = nullptr;
  Time first = {}, last = {};  // of its evidence, calls or not; unknown: it covers all
};

// A client's own log of its messages: which ids it gave its requests nobody knows better. `to_point[i]` aligns it with points[i].
struct ClientLog {
  const session::CallLedger* ledger = nullptr;
  std::vector<session::Alignment> to_point;
};

// From the client to the server. `to_inner[i][k]` aligns path[i] with path[i + 1 + k].
struct VantagePath {
  std::vector<Witness> points;
  std::vector<ClientLog> clients;
  std::vector<std::vector<session::Alignment>> to_inner;
  bool one_book = false;
};

void name_first_divergence(VantagePath& path, const RuleSet& rules);

}  // namespace mcpscan::engine
