// Drives a SessionTracker with observations said in few words, and keeps the events it emits as short lines: "> 1" request,
// "< 1 answer" reply, "x 1 overwritten" a call closed without its reply, "! ..." notice, "+ s1" and "- s1" a session's ends.
// Ids are JSON tokens: 1, "1", null.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "session/session_tracker.h"

namespace mcpscan::tests {

using Lines = std::vector<std::string>;

// Where and when something is seen; what is not said is not told.
struct Where {
  std::string_view session = {};
  std::uint64_t exchange = 0, connection = 0, channel = 0;
  double at = -1;                 // seconds; negative: no time
  model::Direction direction = model::Direction::unknown;
  model::StreamKind stream = model::StreamKind::unknown;
  model::SessionKeying keying = model::SessionKeying::none;
  std::string_view method = {}, target = {}, reason = {}, event_id = {}, payload = "p";
  std::string_view server = {}, peer = {}, related = {}, client_name = {}, version = {};
  std::uint16_t port = 0;
  std::uint32_t keys = model::kContent, batch = 0, defects = 0;
  std::uint64_t principal = 0;
  bool of_access_line = false;
  model::PlaceKind place = model::PlaceKind::line;
};

// Who speaks HTTP, for the exchange observations.
struct Http {
  std::string_view method = "POST", session = {}, response_session = {}, last_event_id = {}, peer = {}, server = {}, protocol_version = {};
  std::uint16_t port = 0, status = 0;
  model::EndReason end = model::EndReason::unknown;
  bool sse = false, body_unknown = false;
  double client_closed_at = -1;   // seconds; negative: not told
};

inline std::string word(model::CloseReason reason) {
  constexpr std::array kWords{"open", "answered", "refused", "cancelled", "timed_out", "overwritten", "undeliverable", "stream_closed", "connection_reset",
                              "client_closed", "accepted_only", "client_dead", "restarted", "session_ended", "evidence_ends", "evidence_gap", "aged_out",
                              "no_response", "sent_again", "unseen", "backend_gone"};
  return kWords.at(static_cast<std::size_t>(reason));
}

inline std::string word(model::ReplyVerdict verdict) {
  constexpr std::array kWords{"answer", "late", "duplicate", "redelivery", "type_drift", "orphan", "unattributed", "refusal", "head_of_evidence", "other_session"};
  return kWords.at(static_cast<std::size_t>(verdict));
}

class Tracked : public model::EventSink {
 public:
  explicit Tracked(Limits bounds = {}, bool wire = false) : limits(bounds), tracker(limits, {wire, "log"}, *this) {}

  void request(std::string_view id, Where where = {}) { message(model::MessageKind::request, id, where, where.method.empty() ? "tools/call" : where.method); }
  void reply(std::string_view id, Where where = {}) { message(model::MessageKind::result, id, where, {}); }
  void error(std::string_view id, Where where = {}) { message(model::MessageKind::error, id, where, {}); }
  void notify(std::string_view method, Where where = {}) { message(model::MessageKind::notification, {}, where, method); }

  void notice(model::NoticeKind kind, Where where = {}, std::string_view key = {}, std::int64_t wait_us = -1) {
    model::Observation seen = seen_at(where);
    seen.kind = model::ObservationKind::notice;
    const model::Notice notice{kind, key, {}, where.target, wait_us};
    seen.notice = &notice;
    tracker.observe(seen);
  }
  void exchange(model::ObservationKind kind, const Http& http, Where where) {
    model::Observation seen = seen_at(where);
    seen.kind = kind;
    if (seen.session.empty()) seen.session = http.session;
    model::HttpFacts facts;
    facts.method = http.method;
    facts.path = "/mcp";
    facts.session_id = kind == model::ObservationKind::exchange_response ? http.response_session : http.session;
    facts.response_session_id = http.response_session;
    facts.last_event_id = http.last_event_id;
    facts.peer = http.peer;
    facts.server = http.server;
    facts.protocol_version = http.protocol_version;
    facts.peer_port = http.port;
    facts.status = http.status;
    facts.end = http.end;
    facts.is_sse = http.sse;
    facts.body_unknown = http.body_unknown;
    if (http.client_closed_at >= 0) facts.client_closed_at = {static_cast<std::int64_t>(http.client_closed_at * 1e6)};
    seen.http = &facts;
    tracker.observe(seen);
  }
  void open(std::uint64_t number, Http http = {}, Where where = {}) {
    where.exchange = number;
    exchange(model::ObservationKind::exchange_request, http, where);
  }
  void response(std::uint64_t number, std::uint16_t status, Http http = {}, Where where = {}) {
    where.exchange = number;
    http.status = status;
    exchange(model::ObservationKind::exchange_response, http, where);
  }
  void end(std::uint64_t number, model::EndReason reason, Where where = {}) {
    where.exchange = number;
    Http http;
    http.end = reason;
    exchange(model::ObservationKind::exchange_end, http, where);
  }
  void summary(Http http, Where where = {}) { exchange(model::ObservationKind::exchange_summary, http, where); }
  void gap(Where where, bool whole_input = false) {
    model::Observation seen = seen_at(where);
    seen.kind = model::ObservationKind::gap;
    const model::GapFacts facts{0, "lost", whole_input};
    model::HttpFacts http;
    http.peer = where.peer;
    if (!where.peer.empty()) seen.http = &http;
    seen.gap = &facts;
    tracker.observe(seen);
  }
  void event_id(std::uint64_t exchange, std::string_view id) {
    Where where;
    where.exchange = exchange;
    where.event_id = id;
    model::Observation seen = seen_at(where);
    seen.kind = model::ObservationKind::stream_event;
    tracker.observe(seen);
  }
  void finish() { tracker.finish(); }

  // The lines since the last call.
  Lines told() { return std::exchange(lines_, {}); }

  void on_event(const model::TimelineEvent& event) override {
    if (event.session) addresses = std::max(addresses, event.session->addresses.size());
    if (event.session) principals = std::max(principals, event.session->principals.size());
    if (event.kind == model::EventKind::session_finished) mixed.push_back(event.session->mixed);
    if (event.kind == model::EventKind::session_finished && event.session->had_gap) gapped.push_back(event.session->label);
    std::string line = line_of(event);
    if (!line.empty()) lines_.push_back(std::move(line));
  }

  Limits limits;
  session::SessionTracker tracker;
  std::size_t addresses = 0, principals = 0;  // most that a session held
  std::vector<bool> mixed;                 // of each session that is over, whether it may hold several clients
  std::vector<std::string> gapped;         // sessions that are over and had a gap

 private:
  static model::RpcId id_of(std::string_view token) {
    if (token.empty()) return {};
    if (token == "null") return {model::IdType::null, {}, token};
    if (token.front() == '"') return {model::IdType::string, token.substr(1, token.size() - 2), token};
    return {token.find('.') == std::string_view::npos ? model::IdType::integer : model::IdType::fraction, token, token};
  }

  model::Observation seen_at(const Where& where) {
    model::Observation seen;
    seen.session = where.session;
    seen.server = where.server;
    seen.exchange = where.exchange;
    seen.connection = where.connection;
    seen.channel = where.channel;
    seen.direction = where.direction;
    seen.stream = where.stream;
    seen.keying = where.keying;
    seen.event_id = where.event_id;
    seen.of_access_line = where.of_access_line;
    if (where.at >= 0) seen.at = {static_cast<std::int64_t>(where.at * 1e6)};
    seen.source = {0, where.place, ++line_, 0};
    return seen;
  }

  void message(model::MessageKind kind, std::string_view id, const Where& where, std::string_view method) {
    model::Observation seen = seen_at(where);
    model::RpcMessage message;
    message.kind = kind;
    message.id = id_of(id);
    message.method = method;
    message.target = where.target;
    message.reason = where.reason;
    message.related = id_of(where.related);
    if (kind == model::MessageKind::request) message.progress_token = id_of(where.related);
    message.peer_name = where.client_name;
    message.protocol_version = where.version;
    message.result_keys = where.keys;
    message.batch_size = where.batch;
    message.defects = where.defects;
    message.digest = hash_bytes(where.payload, hash_bytes(where.target));
    model::HttpFacts http;
    http.peer = where.peer;
    http.peer_port = where.port;
    http.principal = where.principal;
    seen.message = &message;
    if (!where.peer.empty() || where.principal != 0) seen.http = &http;
    tracker.observe(seen);
  }

  static std::string id_text(const model::Call* call) { return call ? call->id.raw : std::string("?"); }

  static std::string line_of(const model::TimelineEvent& event) {
    using model::EventKind;
    const std::string session = event.session ? event.session->label : std::string("?");
    switch (event.kind) {
      case EventKind::session_started: return "+ " + session;
      case EventKind::session_finished: return "- " + session;
      case EventKind::request:
        return "> " + id_text(event.call) + (event.other ? " takes over" : "") + (event.used_before ? " reused" : "") + (event.retransmitted ? " again" : "");
      case EventKind::reply:
        return "< " + id_text(event.call) + " " + word(event.verdict) + (event.wrong_channel ? " wrong-channel" : "") + (event.across_streams ? " across" : "") +
               (event.other ? " for " + id_text(event.other) : "");
      case EventKind::call_closed: return "x " + id_text(event.call) + " " + word(event.call->closed);
      case EventKind::cancel: return "cancel " + id_text(event.call);
      case EventKind::timeout: return "timeout " + id_text(event.call ? event.call : event.other) + (event.other ? " ended" : "");
      case EventKind::notification: return "~ " + id_text(event.call ? event.call : event.other) + (event.other ? " ended" : "");
      case EventKind::notice: return "! " + session + " " + id_text(event.call);
      case EventKind::gap: return "gap " + session;
      case EventKind::malformed: return "malformed " + session;
      default: return {};
    }
  }

  Lines lines_;
  std::uint64_t line_ = 0;
};

}  // namespace mcpscan::tests
