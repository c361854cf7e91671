// What a hop between two vantage points did to calls besides misrouting them: it kept a reply back, let calls queue, rewrote their ids; and
// what its client is not to blame for, since nobody told it. A call that is not joined moves no blame. Source: protocol notes C.2 ID12 TM02.
// Ownership: changes the books of the points. Threads: one.
#pragma once

#include <cstddef>

#include "engine/vantage_points.h"

namespace mcpscan::engine {

// Calls that wait for each other at `at` and come one at a time behind a hop: the queue is the hop's. Looks at serialized-calls only.
void trace_queue(VantagePoints& points, std::size_t at, BookedFinding& booked);

// A reply that passed `at` well before its client gave the call up, and had not reached the point outside of it by then: what stands between
// kept it, and the client is not the one who did not take it.
void tell_withheld(VantagePoints& points, std::size_t at, const RuleSet& rules);

// Calls that are lost at `at` while the server waits for an answer of its client at a point behind: where nobody was asked at `at`, what
// stands between kept the question. True when some of the finding's calls wait so.
bool trace_unasked(VantagePoints& points, std::size_t at, BookedFinding& booked);

// A request that is wrong at `at` and not at the point outside of it. Looks at what is wrong with single requests only.
void trace_asking(const VantagePoints& points, std::size_t at, BookedFinding& booked);

// What a client cancels in time at its own wire may be answered, or never have come by, behind a hop. Looks at cancel-invalid-target only.
void leave_out_cancels(const VantagePoints& points, std::size_t at, model::Finding& finding);

// Ids that are others at `at` than at the point outside of it, whatever they look like; the pairing of the calls tells.
void tell_rewritten(VantagePoints& points, std::size_t at, const RuleSet& rules);

}  // namespace mcpscan::engine
