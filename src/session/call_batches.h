// Batches: tool calls of one session that were in flight together, or that a client with one connection sent one right after the other (on
// the wire such calls are not concurrent, the client queues them). Which call was slow and how many connections there were tell the
// configurations of a sweep apart. Judges nothing. Threads: pure functions. Bound: that of the ledger.
#pragma once

#include <cstdint>
#include <vector>

#include "session/call_ledger.h"

namespace mcpscan::session {

enum class SlowCall : std::uint8_t { none, first, middle, last };           // none: none takes twice as long as the middle one
enum class ConnectionMode : std::uint8_t { unknown, pooled, shared, in_turn };  // shared: concurrent on one connection

struct CallBatch {
  std::vector<std::uint32_t> calls;      // records, in the order they were sent; two at least
  SlowCall slow = SlowCall::none;
  ConnectionMode mode = ConnectionMode::unknown;
};

// In order of their first calls.
std::vector<CallBatch> batches_of(const CallLedger& ledger);

// The reply repeats something that this call asked for and no other call of its batch.
bool repeats_its_own(const CallLedger& ledger, const CallBatch& batch, const CallRecord& record);
// It asked for something of that kind, so that its reply can be compared at all.
bool tells_itself_apart(const CallLedger& ledger, const CallBatch& batch, const CallRecord& record);

}  // namespace mcpscan::session
