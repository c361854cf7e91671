// The swim lanes of one incident as SVG: client, gateway and server from left to right, time downwards in the evidence's own
// clock, a bar on the client's lane while a call waits. What went wrong is red: the reply that landed in another call's
// slot, the reply that found no stream, the call that got none. Each step can be reached by keyboard and tells its text,
// place and the quoted record. Not a page: format_html.cc puts it into one; looks are in report.css.
// Threads: pure. Bound: kMostSteps steps; the page lists the rest.
#pragma once

#include <string>

#include "report/wording.h"

namespace mcpscan::report {

constexpr std::size_t kMostSteps = 12;

// Empty where the incident has no picture. `number` tells apart the ids of several drawings of a page.
std::string draw_incident(const ReportIndex& index, const Wording& wording, const model::ReportOptions& options, const model::Incident& incident, std::size_t number);

}  // namespace mcpscan::report
