// Whose a reply is under an id that its client gave up and used again: the server may still answer the call that was given up, and nothing but
// what the reply says, or that there is one too many, tells it from the answer to the new call.
// Source: protocol notes TM04 and part C, H4. Threads: none; the call belongs to the table.
#pragma once

#include "model/observation.h"
#include "session/call_table.h"

namespace mcpscan::session {

// The call under the id of `later` whose late reply this is: given up before `later` was asked, without a reply so far, and all that it was asked
// is repeated where nothing of `later` is; where `later` has its reply already, the newest that was given up. Null: none.
model::Call* given_up_before(CallTable& calls, const model::Call& later, const model::RpcMessage& reply);

}  // namespace mcpscan::session
