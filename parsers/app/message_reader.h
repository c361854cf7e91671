// MessageReader: JSON-RPC messages out of a body, whatever it was wrapped in. Every carrier is first turned into the JSON it
// stands for (in the arena, unless it is plain JSON), then one skipper looks at the members that matter. What it finds odd goes
// to simdjson, which decides whether this is JSON; lone surrogates and invalid UTF-8 are read again from a repaired copy and
// marked kRepairedText. Broken and cut texts still give what could be seen before (and, for cut ones, after) the damage.
// Not thread-safe: one reader a worker (it owns scratch memory). Views point into `body` or `arena`. Bounds: Limits::json_depth,
// batch_messages, id_bytes (a longer id or name is told as its head and a digest of it). Source: JSON-RPC 2.0; RFC 8259; WHATWG HTML 9.2.6; MCP revisions 2024-11-05 to 2026-07-28.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/arena.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "model/anomaly.h"
#include "model/rpc_message.h"

namespace mcpscan::app {

// How a body stands in its carrier. A dialect names these words: auto, json, json-string, python-repr, python-bytes,
// python-bytes-sse, sse, js-inspect, java-record.
enum class Codec : std::uint8_t {
  automatic,         // told by the first bytes
  json,              // JSON text; what follows the value is ignored
  json_string,       // the inside of a JSON string literal, still escaped (once or more): {\"jsonrpc\":...
  python_repr,       // pydantic or dict repr: root=JSONRPCRequest(method='tools/call', params={...}, jsonrpc='2.0', id=8)
  python_bytes,      // b'...' whose content is JSON
  python_bytes_sse,  // b'event: message\r\ndata: {...}\r\n\r\n' or b'{...}' (sse_starlette chunk)
  sse,               // event stream text, real line ends
  js_inspect,        // Node's util.inspect: { jsonrpc: '2.0', id: 1, result: { content: [ [Object] ] } }
  java_record,       // a record's toString: JSONRPCRequest[jsonrpc=2.0, method=tools/call, id=1, params=...]
};

// The codec of a dialect's word; the empty word is automatic. Nothing for an unknown word.
std::optional<Codec> codec_named(std::string_view word);

struct ReadOutcome {
  std::uint32_t messages = 0;      // delivered, kind invalid included
  std::uint32_t other_events = 0;  // SSE comments, pings, events that carry no message
  std::uint32_t over_limit = 0;    // batch members beyond Limits::batch_messages: not delivered
  std::uint32_t too_deep = 0;      // messages nested deeper than Limits::json_depth
  std::uint32_t shortened = 0;     // messages with an id or name over Limits::id_bytes
  bool is_batch = false;
  bool not_rpc = false;         // well-formed, but no JSON-RPC (or nothing at all)
  bool truncated = false;       // ends before the value does, or was cut by a logger
  bool cut_lines = false;       // of several messages in one text a later one breaks off: what followed is not known
  bool malformed = false;       // neither: broken text
  std::size_t consumed = 0;     // bytes of `body` up to the end of the value, for what follows it; codecs json, python_repr,
                                // python_bytes*, js_inspect and java_record, else the whole body
};

// An anomaly for each bound that the reading reached.
void note_bounds(const ReadOutcome& outcome, const model::SourceRef& source, model::AnomalyLog& anomalies);

class MessageReader {
 public:
  using Yield = FunctionRef<void(const model::RpcMessage&)>;

  explicit MessageReader(const Limits& limits);
  ~MessageReader();
  MessageReader(MessageReader&&) noexcept;
  MessageReader& operator=(MessageReader&&) noexcept;

  // Delivers each message of `body` in order. A batch (array) delivers its members with batch_index.
  // An object counts as JSON-RPC when it has a "jsonrpc" member or the method is one of MCP's; with `lenient` (carriers that are
  // known to hold messages) also when it has a method with id or params, or an id with result or error. With `lenient`,
  // an empty array, a member that is no object, and text that is no JSON each give one message of kind invalid.
  // A message's text is its JSON, unwrapped from the carrier. Text that is not sound JSON (NaN, raw control bytes, a missing bracket) has
  // the kind that its members tell and the defect kNotJson.
  ReadOutcome read(std::string_view body, Codec codec, bool lenient, Arena& arena, Yield yield);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Where in a log line a JSON-RPC message begins: looks for "jsonrpc" in its plain, escaped, Python, JavaScript and Java forms
// and finds the object, array, bytes literal or repr that holds it. Linear. npos when there is none.
struct FoundBody {
  std::size_t position = std::string_view::npos;
  Codec codec = Codec::json;
};
FoundBody find_body(std::string_view line);

}  // namespace mcpscan::app
