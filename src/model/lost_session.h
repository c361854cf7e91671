// Whether an error text says that an MCP session is not known any more. SDKs, servers and gateways word it in many ways and send it under many
// statuses: "Session not found", "No valid session ID provided", "Session 0f1e... not found on the server", "Invalid or expired session ID".
// Texts that only hold the words ("Unknown tool: session_info", "Invalid params: session must be a string") are none.
#pragma once

#include <string_view>

#include "model/rpc_message.h"

namespace mcpscan::model {

// Refuses an exchange rather than a request: its id says nothing. It is null, the Python SDK's word for that, or the C# SDK's empty text.
bool is_transport_error(const RpcMessage& message);

// Looks at the head of the text only, since stacks may follow an error.
bool tells_lost_session(std::string_view text);
// As above, and no word calls the session another than the transport's: not "Browser session not found".
bool tells_lost_transport_session(std::string_view text);
// As tells_lost_session, and the session is said to be one that a gateway keeps to a backend.
bool tells_lost_upstream_session(std::string_view text);

}  // namespace mcpscan::model
