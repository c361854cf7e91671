// The exoneration as a document of its own, to be forwarded: text, Markdown, HTML, CSV, or JSON of the schema mcpscan-exoneration/1.
// Not SARIF, JUnit or JSON lines: those are read as lists of faults, and an empty list would be taken for the proof. It cites the
// report's inputs with their digests, and incidents by id. Threads: pure. Bound: that of the proof; lists are capped on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "model/exoneration.h"
#include "model/report_format.h"
#include "report/pseudonyms.h"

namespace mcpscan::report {

// Not every report format can carry one.
bool carries_exoneration(std::string_view format);
std::string write_exoneration(std::string_view format, const model::Report& report, const model::Exoneration& proof, const model::ReportOptions& options);

// With the names that pseudonymise() of the report has learned.
void pseudonymise(model::Exoneration& proof, Pseudonyms& names);

}  // namespace mcpscan::report
