// The rebuilt timeline: sessions, exchanges, calls, and the events that rules look at. Plain data; src/session fills it,
// rules read it. References in an event are valid during the event only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/finding.h"
#include "model/media_type.h"
#include "model/observation.h"

namespace mcpscan::model {

// Durations of answered calls: 64 buckets, two a power of two of milliseconds. Quantiles are a bucket's upper edge.
class LatencyHistogram {
 public:
  void add(std::int64_t us);
  std::uint64_t count() const { return count_; }
  std::int64_t quantile(double q) const;  // microseconds, -1 when empty
  std::int64_t longest() const { return longest_; }
  std::int64_t total() const { return total_; }

 private:
  std::array<std::uint32_t, 64> buckets_{};
  std::uint64_t count_ = 0;
  std::int64_t longest_ = -1, total_ = 0;
};

enum class CloseReason : std::uint8_t {
  open,
  answered,
  refused,           // an HTTP refusal or a session-not-found answer: a refusal is an answer
  cancelled,         // notifications/cancelled, not for a timeout
  timed_out,         // the client said that it gave up
  overwritten,       // the server had no stream for the reply, and another call with the same id had taken it over
  undeliverable,     // the server had no stream for the reply
  stream_closed,     // the response ended without the reply
  connection_reset,  // reset while waiting
  client_closed,     // the client closed the connection or stream while waiting
  accepted_only,     // 202 to a request
  client_dead,       // the client's session or receive loop had died
  restarted,         // the process or session started again
  session_ended,     // DELETE, expiry, transport closed
  evidence_ends,
  evidence_gap,      // bytes are missing where the reply would be
  aged_out,          // Limits::call_age_us or ::calls_in_flight
  no_response,       // the exchange ended without the reply, and who ended it is not told
  sent_again,        // the same message went out again: a retry of the transport, and the call lives on in it
  unseen,            // the exchange is over, and its access line does not show what was answered
  backend_gone,      // the process that was to answer ended
};

// Why a client may not have taken a reply that was sent to it.
enum class Untaken : std::uint8_t {
  no,
  wrong_channel,     // it came on a stream where the client may not look for it
  type_drift,        // its id had another JSON type
  rejected,          // the client said that it waited for no such reply
  nameless,          // an error without an id came in its place, in a response that refused nothing
};

struct Exchange {
  std::uint64_t id = 0;
  std::uint64_t connection = 0;
  std::uint32_t session = UINT32_MAX;     // index, or none yet
  StreamKind stream = StreamKind::unknown;
  Time requested_at, responded_at;
  std::uint16_t status = 0;
  std::uint16_t peer_port = 0;
  bool is_sse = false, primed = false;    // primed: an event id was sent, so the stream may be resumed
  bool carries_request = false, gap = false, is_initialize = false, named_session = false;
  std::string method, path, peer, last_event_id, server;
  std::vector<std::uint32_t> calls;       // handles of the calls that its request body opened
  EndReason end = EndReason::unknown;
  std::uint64_t principal = 0;
  std::uint32_t messages = 0, replies = 0;
  std::string mcp_method, mcp_name, protocol_version;
  SourceRef source;
  std::uint64_t resumes = 0;              // the exchange whose stream it carries on; 0: none that is known
};

// What a call is but for its texts: plain values.
struct CallFacts {
  std::uint32_t handle = 0;               // while it is open; later another call's
  std::uint32_t session = 0;
  std::uint64_t number = 0;               // from 1 on, in the order they were opened; no other call of its tracker has it
  Direction requestor = Direction::client_to_server;
  std::uint32_t replies = 0;              // that named it: more than one, and the later ones are duplicates
  std::uint32_t generation = 0;           // how often the id had been used before in this session
  Time requested_at, replied_at, closed_at;
  Time stream_ended_at;
  Time gave_up_at;                        // the client cancelled for a timeout, or said so
  Time taken_at;                          // when another call took the id over
  SourceRef source, reply_source;
  std::uint64_t exchange = 0;
  std::uint64_t params_digest = 0, arguments_digest = 0, reply_digest = 0;
  CloseReason closed = CloseReason::open;
  bool collided = false;                  // another call with the same id was open at the same time
  bool maybe_answered = false;            // a reply that names no session could be this call's
  bool batched = false;                   // a member of an array
  bool defective = false;                 // its request was no valid message
  bool foreign_reply = false;             // a reply that is not its own came on its stream
  bool of_access_line = false;            // told by the line of its exchange alone
  OtherBody came_instead = OtherBody::none;  // its response was over with it
  Untaken untaken = Untaken::no;          // whether its reply may have missed the client
  bool delivered_again = false;           // its request was, on a stream that was resumed: each delivery may have one reply
  bool resumable = false;                        // its stream gave event ids before it was over
  CloseReason stream_ended = CloseReason::open;  // its own stream is over without the reply, which may still come on another one
};

struct Call : CallFacts {
  OwnedId id;
  std::string method, target;
  OwnedId progress_token;
  std::string taken_by_method, taken_by_target;  // the call that took the id over
  std::string head;                       // bounded head of the record it was read from
};

struct IdRange {
  std::int64_t first, last;
};

struct Session {
  std::uint32_t index = 0;
  std::string key;                        // unique in its tracker
  std::string id;                         // as first seen; empty: none
  std::string label;                      // what findings call it: the id, or the key where it has none
  SessionKeying keyed_by = SessionKeying::none;
  std::string server_endpoint;
  std::string transport = "unknown";
  std::string protocol_version, client_name, client_version, server_name, server_version;
  Time first, last;
  Time client_spoke_at;                   // when its client last sent a message that the evidence shows
  SourceRef first_source;
  SessionCounts counts;
  std::uint64_t paired = 0, exchanges = 0, responses = 0;
  LatencyHistogram latency;               // answered client calls
  bool start_seen = false;                // the evidence shows how the session was created
  bool initialize_seen = false, initialize_answered = false, initialized_seen = false, was_alive = false;
  bool modern = false;                    // 2026-07-28: no session at all
  bool stateless = false;                 // one HTTP client without session ids: ids prove nothing across exchanges
  bool ended = false;
  bool asked_to_end = false;              // its client sent DELETE, which was not refused so far
  bool behind_proxy = false;              // a proxy has written in the heads of its responses
  bool on_wire = false, had_gap = false, mixed = false;  // mixed: may hold several clients' messages
  bool untimed = false;                   // when some of its replies came is not told
  bool damaged = false;                   // records of its time are damaged: what is missing may have been in them
  bool unread_connections = false;        // when it finishes: others to its server are in the capture, and TLS hides what they say
  Time ended_at;
  std::int64_t fastest_us = -1;           // quickest answer, an upper bound of the round trip
  std::vector<std::uint32_t> open;        // handles, oldest first
  std::vector<std::string> addresses;     // client addresses seen, bounded
  std::vector<std::uint64_t> principals;  // Authorization digests seen, bounded
  // When it finishes: ids that one who counts may have left out, by who asked, or all. Their requests went where the evidence does not look.
  std::array<std::vector<IdRange>, 2> unseen_ids;
  bool lacks_ids = false;                 // ... so few that it does count: requests are missing for sure

  std::span<const IdRange> unseen_of(Direction requestor) const { return unseen_ids[requestor == Direction::server_to_client]; }
  bool ids_tell() const { return !stateless && !modern; }  // else another client's call may have the same id or token
  bool lacks_requests() const { return on_wire && lacks_ids; }
};

enum class EventKind : std::uint8_t {
  session_started,
  request,           // call; other = newest open call with the same id
  reply,             // call where known; verdict
  notification,
  cancel,            // call = the target where known
  timeout,           // call given up by the client (cancel for a timeout, a notice, a transcript)
  call_closed,       // call; call->closed says why
  notice,            // observation->notice; session where it could be told; call = the call it concerns
  exchange_opened,
  exchange_closed,   // exchange
  exchange_summary,  // observation->http
  malformed,         // a message with defects or invalid
  gap,
  session_finished,
  outcome,           // what a client's own record shows for a call: observation->outcome
};
constexpr std::size_t kEventKinds = static_cast<std::size_t>(EventKind::outcome) + 1;

enum class ReplyVerdict : std::uint8_t {
  answer,
  late,             // after the client had given the call up
  duplicate,        // the call had been answered
  redelivery,       // the same reply again on a resumed stream: legal
  type_drift,       // the id's value, in another JSON type
  orphan,           // no call it could answer
  unattributed,     // several sessions fit and nothing tells which
  refusal,          // error body with a null id of a refused exchange
  head_of_evidence, // its request may have come before the evidence begins
  other_session,    // it belongs to a call of another session than its stream: other = that call, session = that call's
};

// The enumerators' names, as rules and timelines write them.
std::string_view to_string(EventKind kind);
std::string_view to_string(ReplyVerdict verdict);
std::string_view to_string(CloseReason reason);

struct TimelineEvent {
  EventKind kind = EventKind::request;
  Time at;
  SourceRef source;
  const Session* session = nullptr;
  const Call* call = nullptr;
  const Call* other = nullptr;
  const Call* elsewhere = nullptr;        // orphan: the only call of another session at this server that waits under its id, where it may be meant
  const Session* elsewhere_in = nullptr;  // that call's session
  const Exchange* exchange = nullptr;     // on which it was seen
  const Observation* observation = nullptr;
  ReplyVerdict verdict = ReplyVerdict::answer;
  bool used_before = false;               // request: the id was used before in this session (call->generation > 0)
  bool retransmitted = false;             // request: the same message again after a refusal, reset or missing answer
  bool wrong_channel = false;             // reply: not on a stream it may come on
  bool same_payload = false;              // duplicate: equal to the first
  bool across_streams = false;            // redelivery of another stream's message
  bool modern = false;                    // this request's era is 2026-07-28
  bool own_id = false;                    // reply that fits no request: its sender had itself asked with this id
  CloseReason earlier = CloseReason::open;  // late, duplicate: how the call had been closed
  std::uint32_t fitting = 0;              // notice: calls in flight that fit its key; notification: those that have its progress token
};

// What the evidence of one tracker could show; rules say what they need of it.
enum Capability : std::uint32_t {
  kRequestIds = 1u << 0,    // requests with their JSON-RPC ids
  kReplies = 1u << 1,       // replies with their ids
  kSessions = 1u << 2,      // session ids
  kTimes = 1u << 3,
  kExchanges = 1u << 4,     // HTTP exchanges with status
  kChannels = 1u << 5,      // on which stream a message came
  kNotices = 1u << 6,       // the server's or client's own statements
  kAddresses = 1u << 7,     // client addresses or principals
  kServerLog = 1u << 8,     // a log that would hold the server's notices
  kBodies = 1u << 9,        // whole payloads
  kOutcomes = 1u << 10,     // a client's own record
  kHeaders = 1u << 11,      // HTTP heads
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const TimelineEvent& event) = 0;
};

}  // namespace mcpscan::model
