// MessageTail: what a text that a logger cut in the middle still shows after the cut. The SDKs of the TypeScript family write
// "jsonrpc" and "id" last: {"result":{"content":[...[18778 chars truncated]...}],"jsonrpc":"2.0","id":4}. Looks at a bounded
// number of bytes from the end.
#pragma once

#include <string_view>

#include "base/arena.h"
#include "model/rpc_message.h"

namespace mcpscan::app {

// True when `text` holds one of the marks that loggers leave where they cut: "chars truncated]", "[truncated]", an ellipsis.
bool has_cut_marker(std::string_view text);

// Adds the id, and the kind where it is not known, from the last top-level members of `text`. False when they are not there.
bool recover_tail(std::string_view text, Arena& arena, model::RpcMessage& message);

}  // namespace mcpscan::app
