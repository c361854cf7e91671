// Writes the proof that one hop is innocent on the evidence at hand, or refuses and says why. It rests on what the rules found: a finding
// that names the hop, or that leaves open whether it was the hop, is a refusal. What it adds is the counting: how many calls were checked,
// that each reply had the id and the stream of its own request, what its payload repeats, batch by batch, and what the evidence hides.
// A hop is judged where its work comes out: the server at its wire (else farther out: what is right there was right behind), the gateway at
// the client's wire, the client in its own record. Judges nothing twice; attribution is done before.
// Source: protocol notes C.2 (conditions), C.3. Threads: one. Bound: that of the ledgers; kBatches batches are listed, the rest counted.
#pragma once

#include <string>
#include <vector>

#include "model/exoneration.h"
#include "session/call_ledger.h"

namespace mcpscan::engine {

// One source that saw a group's traffic.
struct Exhibit {
  model::Vantage vantage = model::Vantage::unknown;
  const session::CallLedger* ledger = nullptr;
  std::string name;                  // its file
};

// Exhibits that saw the same traffic, the client's side first. A source that nothing confirms is a group of its own.
using ExhibitGroup = std::vector<Exhibit>;

model::Exoneration exonerate(model::Party party, const std::vector<ExhibitGroup>& groups, const model::Report& report);

}  // namespace mcpscan::engine
