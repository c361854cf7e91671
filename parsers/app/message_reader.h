// MessageReader: JSON-RPC messages out of a body, whatever it was wrapped in. The fast path is a skipper that looks at
// the top-level members only; anything odd goes to simdjson, which decides; a text that simdjson refuses for a lone
// surrogate or invalid UTF-8 is read again from a repaired copy and marked kRepairedText.
// Not thread-safe: one reader a worker (it owns scratch memory). Views point into `body` or `arena`.
// Source: JSON-RPC 2.0; RFC 8259; MCP revisions 2024-11-05 to 2026-07-28.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/arena.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "model/rpc_message.h"

namespace mcpscan::app {

// How a body stands in its carrier. A dialect names these words: json, json-string, python-repr, python-bytes, sse,
// python-bytes-sse, auto.
enum class Codec : std::uint8_t {
  automatic,         // told by the first bytes
  json,              // JSON text; what follows the value is ignored
  json_string,       // the inside of a JSON string literal, still escaped: {\"jsonrpc\":...
  python_repr,       // pydantic or dict repr: root=JSONRPCRequest(method='tools/call', params={...}, jsonrpc='2.0', id=8)
  python_bytes,      // b'...' whose content is JSON
  python_bytes_sse,  // b'event: message\r\ndata: {...}\r\n\r\n' or b'{...}' (sse_starlette chunk)
  sse,               // event stream text, real line ends
};

struct ReadOutcome {
  std::uint32_t messages = 0;   // delivered, kind invalid included
  std::uint32_t other_events = 0;  // SSE comments, pings, events that carry no message
  bool is_batch = false;
  bool not_rpc = false;         // well-formed, but no JSON-RPC (or nothing at all)
  bool truncated = false;       // ends before the value does
  bool malformed = false;       // neither: broken text
  std::size_t consumed = 0;     // bytes of `body` up to the end of the value (codec json and python_repr), for what follows it
};

class MessageReader {
 public:
  using Yield = FunctionRef<void(const model::RpcMessage&)>;

  explicit MessageReader(const Limits& limits);
  ~MessageReader();
  MessageReader(MessageReader&&) noexcept;
  MessageReader& operator=(MessageReader&&) noexcept;

  // Delivers each message of `body` in order. A batch (array) delivers its members with batch_index.
  // An object counts as JSON-RPC when it has a "jsonrpc" member, or an id/method/result/error combination that can be
  // nothing else and `lenient` is set (carriers that are known to hold messages).
  ReadOutcome read(std::string_view body, Codec codec, bool lenient, Arena& arena, Yield yield);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Where in a log line a JSON-RPC message begins: looks for "jsonrpc" in its plain, escaped and Python forms and walks back
// to the object or repr that holds it. Never quadratic. npos when there is none.
struct FoundBody {
  std::size_t position = std::string_view::npos;
  Codec codec = Codec::json;
};
FoundBody find_body(std::string_view line);

}  // namespace mcpscan::app
