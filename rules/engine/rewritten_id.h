// Ids as gateways make them: the id that was asked with, a separator and 6 to 32 hexadecimal digits ("1" becomes "1_a3b2c1d0"), or the forms
// of agentgateway ("agw_7_n_1") and Envoy AI Gateway ("1__i__backend").
// One such id proves nothing; several of a session do. Source: protocol notes ID12. Threads: pure functions.
#pragma once

#include <string>

#include "model/rpc_message.h"
#include "model/timeline.h"

namespace mcpscan::engine {

bool has_rewritten_form(model::IdType type, const std::string& value);

// A reply that came under the id of a waiting call as a gateway rewrites it: the gateway did not take off what it had put on.
bool is_unrestored(const model::TimelineEvent& reply);

}  // namespace mcpscan::engine
