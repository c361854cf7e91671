// A report, or a summary, as it may be handed on (--share): session ids, addresses and hosts are replaced by pseudonyms in every text of it,
// the ids of findings and incidents too, since they are digests of what may be an address; of the inputs' paths the file's
// name is left. Tools, methods, JSON-RPC ids, times and places stay: they are what the report is about.
// Formats know nothing of it: they write the report they are given. Threads: pure, but for the pseudonyms given.
#pragma once

#include "model/finding.h"
#include "model/summary.h"
#include "report/pseudonyms.h"

namespace mcpscan::report {

void pseudonymise(model::Report& report, Pseudonyms& names);
void pseudonymise(model::Summary& summary, Pseudonyms& names);

}  // namespace mcpscan::report
