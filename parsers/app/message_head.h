// The head of a message: the members of one JSON-RPC object that a message is judged by, taken in one walk over its text. It visits the
// top level, params, params._meta, clientInfo/serverInfo and error; the rest is skipped. The first of equal keys counts.
// Knows no carriers, batches or parsers. Views point into the text or, where escapes were decoded, into the arena.
// Source: JSON-RPC 2.0; MCP revisions 2024-11-05 to 2026-07-28 (its _meta keys stand under io.modelcontextprotocol/).
#pragma once

#include "app/json_skipper.h"
#include "base/arena.h"
#include "model/rpc_message.h"

namespace mcpscan::app {

// Reads the object at the position of `in` into `message`, a fresh one; after a hard fault it holds what stood before that. Its
// text, batch fields and the defects of the text are the caller's. True when the object has a "jsonrpc" member.
bool read_head(JsonSkipper& in, Arena& arena, model::RpcMessage& message);

// True for the methods of MCP: a message with one of them is JSON-RPC even when it does not say so.
bool is_mcp_method(std::string_view method);

}  // namespace mcpscan::app
