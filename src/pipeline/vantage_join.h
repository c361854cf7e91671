// Finds which sources saw the same traffic, puts each group in order from the client to the server, has the hop of the first divergence
// named (engine/first_divergence.h), and tells the report where each source stood and how far its clock was off. What no other source
// confirms is judged alone, and that is said. Two wires that watch the same server endpoint are one hop, whatever their files are.
// Source: protocol notes C.2; docs/architecture.md "Name the first divergence". Bound: 64 sources; what is beyond is judged alone, and told.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/report_assembly.h"

namespace mcpscan::pipeline {

// A session of one source, by its label.
struct SeenSession {
  const Source* source = nullptr;
  std::string label;
  auto operator<=>(const SeenSession&) const = default;
};

// Sessions that a gateway keeps behind it under names of its own, and what they are called nearer to the client; and those of a client's own log of
// its messages, and what they are called on its wire.
using SessionAliases = std::map<SeenSession, SeenSession>;

// What one capture shows before a proxy, and behind it: the calls at each hop, the client's side first.
using Hops = std::vector<session::CallLedger>;

struct JoinedVantages {
  SessionAliases aliases;
  std::map<const Source*, std::vector<Hops>> hops;  // of captures that hold both sides of a proxy: each chain of hops, and what is at none of several alone
  std::vector<std::vector<const Source*>> groups;   // that saw the same traffic, the client's side first; one alone where nothing confirms it
};

// Changes the fault of findings in the sources' books, so it comes before the books are merged; tells in the report's notes what was joined.
JoinedVantages join_vantages(const std::vector<std::unique_ptr<Source>>& sources, const engine::RuleSet& rules, model::Report& report);

}  // namespace mcpscan::pipeline
