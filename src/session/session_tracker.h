// SessionTracker: observations of one vantage point in, in their order; the rebuilt timeline out, as events. It finds the
// session of each message, opens calls, pairs replies, and says why a call ended. It judges nothing: that is the rules' work.
// Bounded memory: what is open at a time, see Limits. Not thread-safe; one tracker a source of evidence.
// Source: MCP revisions 2024-11-05 to 2026-07-28; Python SDK server/streamable_http.py for how a stream is taken over.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "base/hash.h"
#include "base/limits.h"
#include "model/timeline.h"
#include "session/call_table.h"
#include "session/evidence_end.h"
#include "session/exchange_table.h"
#include "session/held_replies.h"
#include "session/session_table.h"
#include "session/tool_table.h"

namespace mcpscan::session {

// Digest of a client's address and port: what an access line and a message of the same HTTP request share in a log.
inline std::uint64_t peer_digest(std::string_view peer, std::uint16_t port) { return hash_bytes(peer, port); }

struct TrackerOptions {
  bool wire = false;            // capture or HAR: HTTP exchanges are seen themselves
  std::string source_name;      // names a session that nothing else names
};

class SessionTracker : public model::ObservationSink {
 public:
  SessionTracker(const Limits& limits, TrackerOptions options, model::EventSink& events);
  void observe(const model::Observation& observation) override;
  // The evidence ends here: open calls are closed with evidence_ends, then sessions are finished. `records`: of a log all there are, others' as well.
  void finish(const model::RecordTimes* records = nullptr);

  // --- for a later run; see session_memory.cc ---
  // Before finish(): of each session with calls whose reply may still come, the first request since it had none.
  void each_busy_session(FunctionRef<void(const model::SourceRef&)> visit);
  // Before finish(): what a later run has to know of the sessions that have an id; recalled before anything is observed.
  std::vector<model::SessionMemory> memories();
  void recall(const model::SessionMemory& memory);

  // --- what the report needs, after finish() ---
  std::uint32_t capabilities() const { return capabilities_; }   // model::Capability bits
  const std::vector<model::SessionRow>& rows() const { return rows_; }
  std::uint64_t rows_left_out() const { return rows_left_out_; }
  std::uint64_t unattributed_replies() const { return unattributed_; }
  std::uint64_t cut_records() const { return cut_records_.size(); }  // moments at which records that hold messages break off
  std::uint64_t untold_waits() const { return untold_waits_; }  // calls without a reply that nothing shows to be lost or not
  std::uint64_t shared_ids() const { return shared_ids_; }  // requests with the id of one in flight, which may be another client's of the same address
  std::uint64_t untimed_replies() const { return untimed_; }  // in evidence that tells times
  std::uint64_t retired_sessions() const { return retired_; }
  std::uint64_t aged_out_calls() const { return aged_out_; }
  bool ledgers_complete() const { return ledgers_complete_; }
  const ToolTable& tools() const { return tools_; }
  Time last_time() const { return now_; }

 private:
  using Observation = model::Observation;
  using Event = model::TimelineEvent;

  // session_lookup.cc
  SessionState& session_of(const Observation& seen, model::Exchange* exchange);
  SessionState& pending_session(const Observation& seen, model::Exchange* exchange);
  SessionState* redirected_session(const Observation& seen);
  SessionState& exchange_session(const Observation& seen, model::Exchange& exchange);
  SessionState* given_to_client(const Observation& seen);
  SessionState& source_session(const Observation& seen);
  SessionState& speaker_of_source(const Observation& seen);
  SessionState& modern_session(const Observation& seen);
  SessionState& started(SessionState& state, bool created, const Observation& seen);
  void bind(SessionState& pending, std::string_view id, std::string_view server, model::SessionKeying keying, const Observation& seen);
  void fold(SessionState& from, SessionState& into);
  SessionState* pending_for_creation();
  SessionState* only_session(const Observation& seen);
  void restart(SessionState& state, const Observation& seen);
  static void begin_count(SessionState& state);
  static void follow_count(SessionState& state, const model::RpcId& id);
  void remember_peer(SessionState& state, const model::HttpFacts* http);
  void make_room();

  // requests.cc
  void on_message(const Observation& seen);
  model::Direction direction_of(const Observation& seen, const model::Exchange* exchange);
  bool written_twice(const Observation& seen);
  bool told_by_child(const Observation& seen);
  void on_request(const Observation& seen, SessionState& state, model::Exchange* exchange, model::Direction requestor);
  void follow_process(SessionState& state, const Observation& seen);
  bool told_by_another(const model::Call& waiting, const Observation& seen, model::Session& session) const;
  void remember_caller(const Observation& seen, const model::Call& call);
  model::Call* sent_before(const model::Session& session, const model::Exchange* exchange, const model::RpcMessage& message, model::Direction requestor, Time at);
  void count_client_request(model::Session& session, const model::RpcMessage& message);
  bool is_retransmission(const SessionState& state, const model::RpcMessage& message, model::Direction requestor, Time at);
  void on_notification(const Observation& seen, SessionState& state, model::Exchange* exchange, model::Direction direction);
  void on_cancel(const Observation& seen, SessionState& state, model::Direction direction);

  // replies.cc
  struct Match {
    model::Call* call = nullptr;
    model::Call* other = nullptr;   // the waiting call an orphan may be meant for; of a late reply the next call of its id
    model::ReplyVerdict verdict = model::ReplyVerdict::orphan;
    bool wrong_channel = false, across_streams = false;
    model::Call* elsewhere = nullptr;  // of an orphan: another session's call that may be meant
  };
  void on_reply(const Observation& seen, model::Exchange* exchange, model::Direction requestor);
  void judge_reply(const Observation& seen, SessionState& state, model::Exchange* exchange, model::Direction requestor);
  void on_nameless_reply(const Observation& seen, model::Direction requestor);
  Match match_on_exchange(const Observation& seen, SessionState& state, model::Exchange& exchange, model::Direction requestor);
  Match match_in_session(const Observation& seen, SessionState& state, model::Direction requestor);
  Match match_resumed(const Observation& seen, SessionState& state, model::Exchange& exchange, model::Direction requestor);
  Match match_finished(const Observation& seen, SessionState& state, model::Direction requestor);
  bool has_own_stream(const model::Call& call);
  SessionState* session_by_reply(const Observation& seen, model::Direction requestor);
  SessionState* session_by_echo(const model::RpcMessage& message, model::Direction requestor);
  SessionState* session_by_siblings_echo(const model::RpcMessage& message, model::Direction requestor);
  bool has_sibling(const model::Call& waiting, std::string_view payload);
  void name_pending(const Observation& seen);
  model::Call* only_caller(model::Call& newest, const model::RpcMessage& message);
  void mark_maybe_answered(const Observation& seen, model::Direction requestor);
  void deliver(const Observation& seen, SessionState& state, model::Exchange* exchange, model::Direction requestor, Match match);
  void refuse_batch(const model::Exchange& exchange, const Observation& seen);
  void learn_from_reply(SessionState& state, const Observation& seen, const model::Call& call);
  model::Call* waiting_call_that_fits(const SessionState& state, const model::RpcMessage& message, const model::Call& answered);
  model::Call* only_waiting_call(const SessionState& state, const model::RpcMessage& message);
  model::Call* oldest_told_without_id(const SessionState& state, model::Direction requestor);

  // early_messages.cc
  bool may_be_early(const Observation& seen, bool of_client) const;
  void settle_held(const Observation* next);

  // astray.cc
  model::Call* call_of_other_session(const Observation& seen, const SessionState& state, const model::Exchange& exchange, const Match& match);
  model::Call* crossed_call(const Observation& seen, const SessionState& state, const model::Exchange& exchange, const model::Call* own);
  model::Call* call_of_other_client(const Observation& seen, const SessionState& state, const model::Exchange& exchange, const Match& match);
  model::Call* only_call_elsewhere(const Observation& seen, const SessionState& state, const model::Exchange& exchange, const Match& match);
  bool may_be_meant(const model::Call& call, const SessionState& state, const model::RpcMessage& message);
  void deliver_astray(const Observation& seen, SessionState& state, model::Exchange& exchange, model::Call& owner);
  void mark_foreign_reply(const model::Exchange& exchange);

  // exchanges.cc
  model::Exchange* exchange_of(const Observation& seen);
  void on_exchange_request(const Observation& seen);
  void on_exchange_response(const Observation& seen);
  void on_exchange_end(const Observation& seen);
  void on_summary(const Observation& seen);
  std::vector<model::Call*> take_calls_of_line(const Observation& seen);
  model::Call* call_of_line(const Observation& seen);
  void learn_from_line(const model::Call& call, const model::HttpFacts& http);
  model::Call* call_of_peer(const model::HttpFacts& http);
  model::Call* only_call_of_client(const Observation& seen);
  SessionState* only_given_session(const Observation& seen);
  bool shown_already(const Observation& seen, const SessionState& state);
  bool begins_again(const SessionState& state, const model::RpcMessage& message, Time at);
  void on_gap(const Observation& seen);
  bool may_be_cut(const model::Call& call) const;
  bool may_answer_what_is_cut(const Observation& reply) const;
  void on_stream_event(const Observation& seen);
  bool remember_event_id(const Observation& seen, model::Exchange& exchange);
  model::CloseReason end_of_call(const model::Exchange& exchange, const SessionState& state, model::EndReason reason) const;
  static model::CloseReason end_of_legacy_stream(const model::Exchange& exchange, model::EndReason reason);
  void refused_by_client(const model::Exchange& exchange, const Observation& seen);
  static bool may_live_on(const model::Exchange& exchange, const SessionState& state, model::CloseReason why);
  void close_exchange(model::Exchange& exchange, model::EndReason reason, const Observation& seen);

  // notices.cc
  void on_notice(const Observation& seen);
  struct Stranded;
  void on_undeliverable(const Observation& seen, Event& event);
  Stranded without_stream(std::string_view key, std::uint32_t& fitting);
  void count_unplaced(std::string_view key, const std::vector<std::uint32_t>& calls, const Observation& seen);
  void on_timeout_notice(const Observation& seen, Event& event);
  void on_early_request_notice(const Observation& seen, Event& told);
  void on_session_created_notice(const Observation& seen, Event& told);
  SessionState* only_by_name(bool opening);
  bool lives_beside(const SessionState& state);
  void on_session_not_found_notice(const Observation& seen, Event& told);
  const model::Call* untaken_call(const Observation& seen, const SessionState* state);
  void on_unknown_reply_notice(const Observation& seen, Event& event);
  void close_all(SessionState& state, model::CloseReason reason, const Observation* seen);
  model::Call* call_for_timeout(const Observation& seen, SessionState* state);

  // session_tracker.cc
  void on_outcome(const Observation& seen);
  ToolStatistics& tool_named(std::string_view name);
  std::span<const std::uint32_t> newest_open(const SessionState& state) const;
  model::Call& open_call(const Observation& seen, SessionState& state, model::Exchange* exchange, model::Direction requestor);
  void close_call(model::Call& call, model::CloseReason reason, Time at, const Observation* seen);
  void close_unanswered(model::Call& call, model::CloseReason otherwise, Time at, const Observation* seen);
  void finish_session(SessionState& state, const EvidenceEnd& end);
  void expire();
  void emit(Event& event) { events_.on_event(event); }
  Event event(model::EventKind kind, const Observation& seen, const SessionState* state) const;
  Time time_of(const Observation& seen) const;

  const Limits& limits_;
  TrackerOptions options_;
  model::EventSink& events_;
  SessionTable sessions_;
  CallTable calls_;
  ExchangeTable exchanges_;
  std::unordered_map<std::uint64_t, std::uint64_t> stream_of_event_;   // SSE event id digest -> exchange it was first sent on; 0: on several
  std::deque<std::uint64_t> event_order_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> requests_of_stream_;  // exchange -> id digests it asked for
  std::unordered_map<std::uint64_t, CallRef> call_of_peer_;            // log: client address and port -> last call
  HeldReplies held_;
  bool settling_ = false;                                               // what was held is shown: it is not held again
  bool requests_lost_ = false;                                          // wire: bytes of clients are missing, and requests may be among them
  std::set<std::string> broadcasting_;                                  // servers that sent one reply to two sessions
  std::unordered_map<std::uint64_t, std::vector<CallRef>> calls_of_lines_;  // access lines whose exchange is not over yet -> its calls
  HandleIndex session_of_connection_;                                  // wire: whose exchanges a connection carried last
  std::deque<std::uint32_t> pending_;                                  // sessions whose id is still to come, oldest first
  std::uint64_t nameless_starts_ = 0;                                  // log: initialize requests that named no session
  std::uint32_t context_session_ = kNoSession;                         // log: named by a line of its own, for what the client sends next
  std::uint32_t source_session_ = kNoSession;                          // log: who speaks where nothing names a session
  std::uint32_t nameless_asker_ = kNoSession;                          // log: the one whose requests name none, so that its replies need not either
  std::uint32_t modern_session_ = kNoSession;                          // log: the one of all requests that need none
  std::unordered_map<std::string, std::uint64_t> unplaced_;            // log: id -> records of replies without a stream that no single session fits
  bool clients_name_ = false, hosts_show_ = false, endpoints_told_ = false;  // log: some session goes by a name of its client's making; its messages stand in it; of the older transport
  std::vector<std::uint64_t> writers_;                                 // log: by call handle, the process that told of it; 0: not told
  CallRef rejected_;                                                   // whose reply a client refused last
  struct LastMessage { std::uint64_t digest = 0, channel = 0; Time at; };
  std::vector<LastMessage> recent_;                                    // log: the last messages, to tell one written twice
  std::size_t recent_next_ = 0;
  Time now_;                                                           // latest time read
  std::set<Time> cut_records_;                                         // log: records that hold a message and break off; kCutRecords
  Time damaged_at_;                                                    // when records of the evidence were last found damaged
  std::uint32_t capabilities_ = 0;
  std::vector<model::SessionRow> rows_;
  std::uint64_t observed_ = 0, rows_left_out_ = 0, unattributed_ = 0, retired_ = 0, aged_out_ = 0, untold_waits_ = 0, untimed_ = 0, shared_ids_ = 0;
  bool ledgers_complete_ = true;
  ToolTable tools_;
};

}  // namespace mcpscan::session
