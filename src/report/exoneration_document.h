// The exoneration as a document of its own, to be forwarded: text, Markdown, or JSON of the schema mcpscan-exoneration/1. It cites the
// report's inputs with their digests, and incidents by id. Threads: pure. Bound: that of the proof; lists are capped on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "model/exoneration.h"
#include "model/report_format.h"
#include "report/pseudonyms.h"

namespace mcpscan::report {

// "text", "md" and "json" can carry one.
bool carries_exoneration(std::string_view format);
std::string write_exoneration(std::string_view format, const model::Report& report, const model::Exoneration& proof, const model::ReportOptions& options);

// With the names that pseudonymise() of the report has learned.
void pseudonymise(model::Exoneration& proof, Pseudonyms& names);

}  // namespace mcpscan::report
