// An observation: one fact read from evidence, in the order it was read. Every reader (logs, captures, HAR, transcripts)
// yields the same kinds, so that sessions, rules and reports know nothing of formats.
// Ownership: an observation and everything it points to belong to the reader and are valid during observe() only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "model/rpc_message.h"
#include "model/source_ref.h"

namespace mcpscan::model {

enum class ObservationKind : std::uint8_t {
  message,            // a JSON-RPC message: `message`
  body,               // JSON that came whole over HTTP, its messages not read yet: `text`. A reader's own; becomes messages before it is judged
  exchange_request,   // an HTTP request's head was read: `http`
  exchange_response,  // an HTTP response's head was read: `http`
  exchange_end,       // an HTTP exchange is over: `http` (end reason, sizes)
  exchange_summary,   // a whole exchange told by one access-log line: `http`
  notice,             // a recognised log statement: `notice`
  outcome,            // a client's own record of what it showed for a call: `outcome`
  gap,                // bytes of this flow, or records of this input, are missing: `gap`
  context,            // a log line that names the session of the messages after it: `session`
  stream_event,       // an SSE event with an id and no message (priming): `event_id`
};

enum class Direction : std::uint8_t { unknown, client_to_server, server_to_client };

enum class StreamKind : std::uint8_t {
  unknown,
  post,            // the response of a POST, JSON or SSE
  get_standalone,  // GET without Last-Event-ID
  get_resume,      // GET with Last-Event-ID
  legacy_sse,      // GET of the 2024-11-05 transport
  listen,          // subscriptions/listen (2026-07-28)
  stdio,
};

enum class EndReason : std::uint8_t { unknown, complete, closed_by_client, closed_by_server, reset_by_client, reset_by_server, evidence_ends, evidence_gap };

// The enumerators' names, as rules and dialects write them; none for another word.
std::string_view to_string(StreamKind stream);
std::string_view to_string(EndReason end);
std::optional<StreamKind> parse_stream(std::string_view word);
std::optional<EndReason> parse_end(std::string_view word);

enum class Scheme : std::uint8_t { unknown, http, https };

// Who spoke HTTP with whom and what the heads said. One struct for the four exchange kinds; absent facts are empty or 0.
struct HttpFacts {
  std::string_view method, path;               // path with query, as it stood
  std::string_view host, user_agent, content_type, accept, origin;
  std::string_view session_id;                 // Mcp-Session-Id of this head; for a summary the request's
  std::string_view response_session_id;        // for a summary: the response's
  std::string_view protocol_version;           // MCP-Protocol-Version
  std::string_view last_event_id;
  std::string_view mcp_method, mcp_name;       // 2026-07-28 mirror headers, decoded
  std::string_view peer;                       // client address as printed, without port; brackets of IPv6 removed
  std::string_view server;                     // server endpoint (address:port, or upstream) as printed
  std::string_view forwarded_for;
  std::string_view refusal;                    // for an end: head of the body of a response of 400 or more
  std::uint16_t peer_port = 0;
  std::uint16_t status = 0;                    // 0: no response
  std::uint64_t principal = 0;                 // digest of the Authorization value, 0: none; the value itself is never kept
  std::int64_t request_bytes = -1, response_bytes = -1;  // body bytes, -1: not told
  std::int64_t duration_us = -1;               // for a summary, -1: not told
  Time client_closed_at;                       // for an end: when the client had sent FIN, unknown: not before the end
  std::int64_t declared_bytes = -1;            // for an end: what the response's Content-Length said
  Time last_byte_at;                           // for an end: when the last bytes of the response came
  Scheme scheme = Scheme::unknown;             // of this hop; https: TLS was undone before it was read
  Time started;                                // for a summary: when the request came; `at` is when the line was written
  EndReason end = EndReason::unknown;
  bool is_sse = false;                         // the response is an event stream (or the request asked for one and got 200)
  bool of_proxy = false;                       // a proxy has written in this response's head
  bool saw_server = false;                     // for an end: what the server sends is in the evidence, and so its silence
  bool body_unknown = false;                   // the evidence does not hold the bodies at all
};

// Its texts.
inline constexpr std::array<std::string_view HttpFacts::*, 17> kHttpTexts{
    &HttpFacts::method,         &HttpFacts::path,       &HttpFacts::host,     &HttpFacts::user_agent, &HttpFacts::content_type, &HttpFacts::accept,
    &HttpFacts::origin,         &HttpFacts::session_id, &HttpFacts::response_session_id,              &HttpFacts::protocol_version,
    &HttpFacts::last_event_id,  &HttpFacts::mcp_method, &HttpFacts::mcp_name, &HttpFacts::peer,       &HttpFacts::server,       &HttpFacts::forwarded_for,
    &HttpFacts::refusal};

// A log statement with a known meaning. The YAML of a dialect names these words.
enum class NoticeKind : std::uint8_t {
  stream_not_found,        // key: stream id; the reply had no stream to go to
  reply_undeliverable,     // key: id; other SDKs' wording of the same fact
  unknown_reply_id,        // key: id; a client got a reply it was not waiting for
  session_not_found,       // session
  session_created,         // session
  session_ended,           // session; terminated, deleted
  session_crashed,         // session
  session_expired,         // session; idle timeout
  request_timed_out,       // a client or gateway gave a request up; key: id where told; wait_us
  request_cancelled,       // key: id; the server obeyed a cancel
  client_disconnected,     // an SSE response was given up by the client
  server_started, server_stopped,
  transport_closed,        // a client closed, or lost, its transport
  message_dropped,         // key: id; other reasons
  id_remapped,             // key: original id, text2: new id
  call_serialized,         // key: id; a gateway holds a call back because its id is in flight
  second_get_stream,       // a second standalone stream was refused
  backend_exited,          // key: exit code, second_key: signal, as printed; of an exception that nobody caught: reason, and the bridge it ended as second_key
  upstream_session_lost,
  client_dead,             // the client's receive loop or session died; later calls cannot be answered
  request_before_initialize,  // a server refused a request, or died of it, because no handshake had come before
  initialize_pending,      // a client still waits for the answer to its initialize
  sse_misframed,           // a client could not make sense of an event of the stream; key: what it got
  stdout_noise,            // a client got a line on the server's stdout that is no message; key: what it got
};
inline constexpr std::size_t kNoticeKinds = 25;

std::string_view to_string(NoticeKind kind);
std::optional<NoticeKind> parse_notice(std::string_view word);

struct Notice {
  NoticeKind kind = NoticeKind::message_dropped;
  std::string_view key;
  std::string_view second_key;
  std::string_view tool;
  std::int64_t wait_us = -1;
  std::string_view method = {};  // of the request it is about
  std::string_view reason = {};  // what the error said that it quotes
};

// What a client's own record says of one tool call: it was made (is_start), or this is what the model was shown for it. The
// client's word, not the wire's: a server may write any text, so a digest that equals the wire's outweighs timed_out and no_answer.
struct OutcomeFacts {
  std::string_view call;          // the client's own call id (toolu_...)
  std::string_view tool;          // without the client's prefix; empty: the call's start is not in the evidence
  std::string_view server;        // the client's own name for the server
  bool is_start = false, is_error = false, timed_out = false;
  bool no_answer = false;         // the client says that no answer came: stream ended, connection closed, interrupted
  bool stopped = false;           // no_answer, because the person interrupted the call
  bool not_sent = false;          // refused before it was sent: permission, unknown tool, bad input
  bool replaced = false;          // the text shown stands for the payload (saved to a file, too large): no digest
  std::uint64_t digest = 0;       // comparable with RpcMessage::content_digest, or ::structured_digest where that was shown; 0: no text
  std::string_view text;          // head of the text shown; Limits::transcript_text_bytes
  std::string_view arguments;     // head of the arguments' JSON as it stood, on start and end
  std::uint64_t arguments_digest = 0;  // comparable with RpcMessage::arguments_digest; 0: none
  std::string_view conversation;  // the client's own session; says nothing about MCP sessions
  std::string_view agent;         // the sub-agent that made the call, where named
  bool sidechain = false;         // made by a sub-agent
  Time started;                   // when the call was made; on its start and end
  SourceRef started_at;           // where its start stands; number 0: not in the evidence
};

struct GapFacts {
  std::uint64_t bytes = 0;      // 0: not known
  std::string_view reason;      // lost segment, cut file, bodies not logged, ...
  bool whole_input = false;     // covers everything that follows or the whole input, not one place
};

enum class SessionKeying : std::uint8_t { none, mcp_session_id, legacy_session_id, process, principal, connection, source };
std::string_view to_string(SessionKeying keying);

struct Observation {
  ObservationKind kind = ObservationKind::message;
  Direction direction = Direction::unknown;
  StreamKind stream = StreamKind::unknown;
  SessionKeying keying = SessionKeying::none;  // how `session` is meant
  Vantage vantage = Vantage::unknown; // who speaks, where the record's form tells; the input's own may differ
  Time at;                            // unknown: order only
  bool untimed = false;               // where `at` is unknown: it may have come at any time after what stands before it
  Time not_before;                    // where `at` is unknown: of the record before it in its log
  SourceRef source;
  std::string_view session;           // as printed; empty: the evidence names none here
  std::string_view server;            // the endpoint, where no exchange_request of this exchange has told it; of a gap: a connection to it is unread
  std::uint64_t exchange = 0;         // HTTP exchange, unique within the input set; 0: not told
  bool tells_all = false;             // a message of a log line such as its process writes of every message
  bool of_access_line = false;        // a message, or its exchange's end, told by one access line: `exchange` is its number
  std::uint64_t connection = 0;       // TCP connection or process; 0: not told
  std::uint64_t channel = 0;          // digest of who wrote the record (logger), so that one event written twice is told; 0: not told
  std::string_view event_id;          // SSE event id the message came with
  std::string_view text;              // head of the record, for quoting; of a body all of it
  const RpcMessage* message = nullptr;
  const HttpFacts* http = nullptr;    // also with a message whose log line names its peer
  const Notice* notice = nullptr;
  const OutcomeFacts* outcome = nullptr;
  const GapFacts* gap = nullptr;
};

class ObservationSink {
 public:
  virtual ~ObservationSink() = default;
  virtual void observe(const Observation& observation) = 0;
};

}  // namespace mcpscan::model
