// The Markdown of an exoneration: the document of text_exoneration.h for an issue tracker. Threads: pure. Bound: lists of 30 rows.
#pragma once

#include <string>

#include "model/exoneration.h"
#include "report/wording.h"

namespace mcpscan::report {

// `wording` escapes Markdown.
std::string markdown_exoneration(const ReportIndex& index, const model::Exoneration& proof, const Wording& wording);

}  // namespace mcpscan::report
