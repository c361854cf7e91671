// Whose statement a timeout is: a proxy names the HTTP request that it gave up on, a client the JSON-RPC request or none.
// Threads: pure functions.
#pragma once

#include "model/observation.h"

namespace mcpscan::engine {

inline bool is_of_proxy(const model::Notice& notice) { return notice.method == "POST" || notice.method == "GET" || notice.method == "DELETE"; }

}  // namespace mcpscan::engine
