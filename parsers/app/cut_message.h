// Whether a text holds the beginning of a JSON-RPC message and breaks off in it, where what is left names neither the protocol nor an id: the SDKs
// for TypeScript write {"result":{...},"jsonrpc":"2.0","id":1}, so that of a long reply that a logger cuts nothing else is left.
// Pure function: one look at each of the first braces.
#pragma once

#include <cstddef>
#include <string_view>

namespace mcpscan::app {

bool holds_cut_message(std::string_view text, std::size_t depth_limit);

}  // namespace mcpscan::app
