// The sentences and table cells of an exoneration that text and Markdown share. Evidence text goes through the wording's `safe`; the words
// around it are plain ASCII. Claims no more than engine/exoneration.h counted.
// Threads: pure. Ownership: none kept.
#pragma once

#include <string>
#include <vector>

#include "model/exoneration.h"
#include "report/wording.h"

namespace mcpscan::report {

// "The server is cleared" or "The server is not cleared", and the sentence that says on what.
Labelled exoneration_verdict(const model::Exoneration& proof, const Wording& wording);
// "1,208 of 1,208", and what that is.
std::string check_share(const model::Exoneration::Check& check);
std::string check_words(const model::Exoneration::Check& check, const Wording& wording);
// With the incident that the finding stands in.
std::string exoneration_refusal(const model::Exoneration::Refusal& refusal, const ReportIndex& index, const Wording& wording);

// Time, size, slow call, connections, reported timed out, payload landed in, evidence of the hop.
std::vector<std::string> batch_cells(const model::Exoneration::Batch& batch, const Wording& wording);
// Those with something to tell first, then in order of time.
std::vector<const model::Exoneration::Batch*> batches_to_show(const model::Exoneration& proof);
// Size, slow call, connections, batches, calls, right, own payload, left, wrong.
std::vector<std::string> sweep_cells(const model::Exoneration::SweepRow& row);
// What the tables leave out; empty: nothing.
std::string batches_heading(const model::Exoneration& proof);
std::vector<std::string> how_to_read(const model::Exoneration& proof);

}  // namespace mcpscan::report
