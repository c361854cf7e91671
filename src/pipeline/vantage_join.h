// Lays the findings of several vantage points of the same traffic beside each other and names the hop of the first divergence: what is
// wrong at the client's wire and right behind the gateway, the gateway did. Needs whole evidence behind the gateway.
// Source: protocol notes C.2; docs/architecture.md "Name the first divergence".
#pragma once

#include <memory>
#include <vector>

#include "pipeline/report_assembly.h"

namespace mcpscan::pipeline {

// Changes the fault of findings in the sources' books; to be called before the books are merged.
void name_first_divergence(const std::vector<std::unique_ptr<Source>>& sources);

}  // namespace mcpscan::pipeline
