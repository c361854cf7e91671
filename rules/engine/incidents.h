// Findings with one root cause become one incident: the causal sentence, the picture, the blast radius, the fix. Links each finding to
// the one that caused it first. Explanation order: a crossing or colliding id explains lost replies, records without a stream and timeouts.
#pragma once

#include <vector>

#include "engine/finding_book.h"
#include "model/finding.h"

namespace mcpscan::engine {

// Sets consequence_of in the book and returns the incidents, worst first. `sessions` names the clients behind the sessions.
std::vector<model::Incident> assemble_incidents(FindingBook& book, const std::vector<model::SessionRow>& sessions);

}  // namespace mcpscan::engine
