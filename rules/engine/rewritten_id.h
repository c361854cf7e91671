// Ids as gateways make them: the client's id, a separator and 6 to 32 hexadecimal digits ("1" becomes "1_a3b2c1d0").
// One such id proves nothing; several of a session do. Source: protocol notes ID12. Threads: pure functions.
#pragma once

#include <string>

#include "model/rpc_message.h"

namespace mcpscan::engine {

bool has_rewritten_form(model::IdType type, const std::string& value);

}  // namespace mcpscan::engine
