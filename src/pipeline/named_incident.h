// The incident that a person names: by its id, by the beginning of it, or by its root finding.
#pragma once

#include <string>

#include "base/result.h"
#include "model/finding.h"

namespace mcpscan::pipeline {

// Of `report`, which outlives what is given. `where` names the option or argument in an error, which lists the incidents there are.
Result<const model::Incident*> named_incident(const std::string& wanted, const std::string& where, const model::Report& report);

}  // namespace mcpscan::pipeline
