// Whether a scan of an extract shows what the whole evidence showed: the same findings under the same root, with the same level, count, detail,
// party and calls, and nothing that the evidence did not show; a cut that makes a fault of its own would accuse somebody.
// Session labels and ids are not compared: where nothing names a session its label tells the file. Pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/finding.h"

namespace mcpscan::pipeline {

// How a text of the evidence reads in the extract; the identity where nothing was replaced.
using Renamed = std::function<std::string(std::string_view)>;

// The incident of `extract` that is `incident` of `whole`; null when there is none.
const model::Incident* find_same_incident(const model::Report& whole, const model::Incident& incident, const model::Report& extract, const Renamed& renamed);
// Whether every finding above informational in `extract` stands in `whole` too, with no smaller count.
bool shows_nothing_new(const model::Report& whole, const model::Report& extract, const Renamed& renamed);

}  // namespace mcpscan::pipeline
