// A call written into one piece of memory, and read back whole: what is kept of calls that are over. Only what pack_call() wrote is read; it
// never leaves the process.
#pragma once

#include <string>
#include <string_view>

#include "model/timeline.h"

namespace mcpscan::session {

// Behind what `to` holds.
void pack_call(const model::Call& call, std::string& to);
// `packed` begins with the call.
void unpack_call(std::string_view packed, model::Call& call);

}  // namespace mcpscan::session
