// Exchanges refused because the server no longer knows the session. One refusal is often told several times: by a statement in the log, in
// other words on other levels, by the access line, by the client that got it. One finding a session; none where the session answers again
// afterwards or where a server refused it that had never answered for it, which is session-affinity's, nor for the session that a gateway keeps
// to a backend, which is upstream-session-lost's.
// Source: MCP 2025-11-25 transports "Session Management" (404, then initialize anew); protocol notes SE02.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/hash.h"
#include "engine/session_refusal.h"
#include "engine/session_servers.h"
#include "engine/upstream_errors.h"
#include "model/detector.h"
#include "model/lost_session.h"
#include "model/session_id.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kDraftsOfSession = 100;
constexpr std::size_t kPaths = 16;  // where MCP is served
constexpr std::uint32_t kNobodys = UINT32_MAX;        // of statements that no session can be told for
constexpr std::int64_t kToldTwiceUs = 50 * kMillisecond;  // several handlers of one client tell within this
constexpr std::int64_t kAtOnceUs = kSecond;
constexpr unsigned kNotFound = 404;

// Who tells of a refusal: one of these, or a statement in certain words.
constexpr std::uint64_t kAccessLine = 0, kExchange = 1, kRecord = 2;

// What a statement says, whatever ids, times and threads it names: its words without digits, up to a body.
std::uint64_t wording_of(std::string_view text) {
  std::uint64_t digest = 4;
  for (std::size_t at = 0; at < text.size() && text[at] != '{';) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const bool plain = std::none_of(word.begin(), word.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    if (plain && !word.empty()) digest = hash_bytes(word, digest);
    at = end + 1;
  }
  return digest | 4;
}

// An error of the MCP transport as SDKs print it.
bool is_transports(std::string_view text) {
  constexpr std::string_view kMarks[] = {"POSTing to endpoint", "Streamable HTTP", "MCP error -32", "Session terminated", "ession-Id", "McpTransport", "HTTP 4"};
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

// 0: it is none.
unsigned status_of(std::string_view digits) {
  unsigned status = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || status > 999) return 0;
    status = status * 10 + static_cast<unsigned>(c - '0');
  }
  return status;
}

// "(HTTP 404)"; 0: none is told.
unsigned status_in(std::string_view text) {
  constexpr std::string_view kBefore = "HTTP ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string_view::npos) return 0;
  return status_of(text.substr(at + kBefore.size(), 3));
}

// One refusal as it is told.
struct Refusal {
  std::uint64_t witness = kExchange;
  unsigned status = 0;        // 0: not told
  bool says_so = false;       // in words that a client understands
  bool to_holder = false;     // told by the one who was refused
  bool in_band = false;       // an error that answers a request of a session which may be alive
  bool speaks_mcp = false;    // by a JSON-RPC error, which no proxy writes that only knows HTTP
  std::uint64_t id = 0;       // of the request, where it is told
};

class SessionLost : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    switch (event.kind) {
      case EventKind::notice: return on_notice(event);
      case EventKind::exchange_summary:
        if (!event.session) return on_nameless_status(event, findings);
        note_who(event, event.observation->http->method, event.observation->http->status);
        return on_status(event, event.observation->http->status, kAccessLine);
      case EventKind::exchange_closed: return on_exchange(event);
      case EventKind::reply: return on_reply(event);
      case EventKind::request: return on_request(event);
      case EventKind::outcome: return on_outcome(event);
      case EventKind::session_finished:
        flush(event.session->index, event.session, findings);
        return servers_.forget(*event.session);
      default: return;
    }
  }

  void finish(FindingSink& findings) override {
    flush(kNobodys, nullptr, findings);
    for (FindingDraft& draft : nameless_.drafts) {
      if (!nameless_.stated) findings.add(std::move(draft));
    }
  }

 private:
  struct Told {
    std::map<std::uint64_t, std::uint64_t> count;  // what each witness has told
    std::uint64_t reported = 0;
    std::uint64_t exchange = 0;         // told last
    std::uint64_t open_told = 0;        // refusals of one of several calls in flight
    std::uint64_t last_wording = 0, last_id = 0;
    Time first, last;
    bool sent_since = false;            // the log has shown a request since the last one
    bool answered_again = false;
    bool by_404 = false;                // one by the status that tells a client what to do
    bool wrong_status = false;          // one by another refusal than 404
    bool said_so = false;               // one in words about the session
    bool to_holder = false, in_band = true;
    bool speaks_mcp = false;            // one by a JSON-RPC error
    std::uint64_t went_on = 0;          // refused requests that were sent after the refusal of one had come
    bool request_refused = false;       // not only its stream, which a client may resume by itself
    Time request_refused_at;            // the first one
    std::string peer, server;           // who was refused, by whom; empty: not told
    bool begun_anew = false;            // the same address has initialized since at that server
    Vantage holder = Vantage::unknown;
    std::vector<FindingDraft> drafts;
  };

  // A server's own log that names its sessions when it creates them, and whose access lines name none.
  struct Nameless {
    std::set<std::string, std::less<>> paths;  // where it answered; kPaths
    bool creates = false, restarted = false;
    bool stated = false;                       // it says in words what it refuses
    std::vector<FindingDraft> drafts;          // kDraftsOfSession
  };

  void note_server(NoticeKind kind) {
    nameless_.creates = nameless_.creates || kind == NoticeKind::session_created;
    nameless_.stated = nameless_.stated || kind == NoticeKind::session_not_found;
    nameless_.restarted = nameless_.restarted || (kind == NoticeKind::server_started && !nameless_.paths.empty());
  }

  // After a restart: 404 where it had answered before is what this transport has for a session that the server does not know.
  void on_nameless_status(const TimelineEvent& event, const FindingSink& findings) {
    const HttpFacts& http = *event.observation->http;
    if (http.method != "POST" || http.path.empty()) return;
    const std::string_view path = http.path.substr(0, http.path.find('?'));
    if (http.status >= 200 && http.status < 300 && nameless_.paths.size() < kPaths) nameless_.paths.emplace(path);
    const bool refused = http.status == kNotFound && nameless_.creates && nameless_.restarted && nameless_.paths.contains(path);
    if (!refused || !findings.takes() || event.observation->vantage == Vantage::client) return;
    if (nameless_.drafts.size() >= kDraftsOfSession) return void(++nameless_.drafts.back().count);
    nameless_.drafts.push_back(draft_for(event));
    nameless_.drafts.back().fault = {Party::server, Certainty::strong, {}, "it was restarted and forgot its sessions; which ones were refused its access lines do not name"};
  }

  void on_notice(const TimelineEvent& event) {
    const Notice& notice = *event.observation->notice;
    note_server(notice.kind);
    if (notice.kind == NoticeKind::server_started || notice.kind == NoticeKind::server_stopped) restarted_ = true;
    if (notice.kind != NoticeKind::session_not_found || (event.call && event.call->method == kInitialize)) return;  // that one names no session
    Refusal refusal;
    refusal.witness = wording_of(event.observation->text);
    refusal.to_holder = event.observation->direction == Direction::server_to_client;
    refusal.status = status_of(notice.second_key);
    refusal.id = notice.key.empty() ? 0 : hash_bytes(notice.key) | 1;
    refusal.says_so = tells_lost_session(notice.reason.empty() ? event.observation->text : notice.reason);  // not where it is told by a bare status
    tell(event, refusal);
  }

  void on_request(const TimelineEvent& event) {
    if (told_.empty() || event.call->requestor != Direction::client_to_server) return;
    if (event.call->method == kInitialize && event.exchange) note_beginning(*event.exchange);
    const auto told = told_.find(event.session->index);
    if (told != told_.end()) told->second.sent_since = true;
  }

  void note_beginning(const Exchange& exchange) {
    for (auto& [session, told] : told_) told.begun_anew = told.begun_anew || (told.peer == exchange.peer && told.server == exchange.server);
  }

  // What a client's record shows for a call. A tool may speak of sessions of its own, so the words must be a transport's.
  void on_outcome(const TimelineEvent& event) {
    const OutcomeFacts& facts = *event.observation->outcome;
    if (facts.is_start || !facts.is_error || !is_transports(facts.text) || !tells_lost_session(facts.text)) return;
    Refusal refusal;
    refusal.witness = kRecord;
    refusal.status = status_in(facts.text);
    refusal.says_so = refusal.to_holder = true;
    tell(event, refusal);
  }

  void on_status(const TimelineEvent& event, unsigned status, std::uint64_t witness) {
    if (!event.session || event.session->ended) return;
    const HttpFacts* http = event.observation->http;
    const std::string_view method = event.exchange ? std::string_view(event.exchange->method) : http ? http->method : std::string_view();
    if (status == kNotFound && refuses_session(method, status, http ? http->refusal : std::string_view())) return tell(event, {witness, status, false, false, false});
    if (status >= 200 && status < 300) answered(event);
  }

  // Which server answered for the session, or refused it.
  void note_who(const TimelineEvent& event, std::string_view method, unsigned status) {
    if (!event.session) return;
    const std::string_view body = event.observation->http ? event.observation->http->refusal : std::string_view();
    if (!refuses_session(method, status, body)) {
      if (status >= 200 && status < 300) servers_.note_answer(event);
    } else if (!event.exchange || event.exchange->named_session) {
      servers_.note_refusal(event);
    }
  }

  void on_exchange(const TimelineEvent& event) {
    const unsigned status = event.exchange->status;
    const HttpFacts* http = event.observation->http;
    note_who(event, event.exchange->method, status);
    if (!event.exchange->named_session) return;
    if (status == kNotFound && event.exchange->replies > 0) return;  // its error body has told
    const std::string_view body = http ? http->refusal : std::string_view();
    if (tells_lost_session(body)) return tell(event, {kExchange, status, true, false, false});  // whatever the status
    if (status == kNotFound && event.exchange->method == "POST" && is_page(body)) return note_page(event);
    on_status(event, status, kExchange);
  }

  // A proxy's page says that nothing serves the path; what became of the session it cannot know.
  void note_page(const TimelineEvent& event) {
    if (!event.session || event.session->ended) return;
    std::vector<FindingDraft>& pages = pages_[event.session->index];
    if (pages.size() >= kDraftsOfSession) return void(++pages.back().count);
    FindingDraft& draft = pages.emplace_back(draft_for(event));
    draft.level = Level::informational;
    draft.fault = {Party::unknown, Certainty::undetermined, {"gateway", "server"}, "a page came with 404: nothing served the path, as who sent it says; whether the session was lost cannot be seen"};
  }

  // A JSON-RPC error that refuses the exchange, with a usable id or without.
  void on_reply(const TimelineEvent& event) {
    const RpcMessage& message = *event.observation->message;
    if (!event.session && message.kind == MessageKind::error) return on_nobodys_error(event);
    if (!event.session || event.session->ended) return;
    if (message.kind != MessageKind::error) {
      if (message.kind == MessageKind::result && !told_.empty()) answered_in_band(*event.session);
      return;
    }
    if (is_upstream_error(event)) return;
    const unsigned status = event.exchange ? event.exchange->status : 0;
    if (event.exchange && !event.exchange->named_session && (status == 400 || status == kNotFound)) return;  // who names no session has lost none
    const bool named = event.exchange && event.exchange->named_session;
    const std::uint64_t others = std::uint64_t{event.session->initialize_answered} + (event.call ? 1 : 0);  // of the replies: no service of the session
    const bool forgotten = named && (status == 400 || status == kNotFound) && event.session->paired > others && says_not_initialized(message.reason);
    const bool refused = forgotten || (named && status == kNotFound && !names_another_cause(message.error_code));
    const bool says_so = tells_lost_session(message.reason);
    const bool in_band = !is_transport_error(message) && status < 400;
    if (in_band && is_of_tools_own(message, *event.session)) return;
    if (refused || says_so) tell(event, {kExchange, status, says_so, false, in_band, true});
  }

  // Of a session that a tool keeps for itself and its caller names: another id than this session's, or an argument that is no good.
  static bool is_of_tools_own(const RpcMessage& message, const Session& session) {
    constexpr std::int64_t kInvalidParams = -32602;
    if (message.error_code == kInvalidParams) return true;
    const auto in_word = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; };
    const std::string own = normalise_session_id(session.id);
    for (std::size_t from = 0; from < message.reason.size(); ++from) {
      std::size_t end = from;
      while (end < message.reason.size() && in_word(message.reason[end])) ++end;
      const std::string_view word = message.reason.substr(from, end - from);
      const bool id = word.find_first_of("0123456789") != std::string_view::npos && word.find_first_not_of("0123456789-") != std::string_view::npos;
      if (id && normalise_session_id(word) != own) return true;
      from = end;
    }
    return false;
  }

  // An error for no request, quoted in a log that shows none: only its words tell, and for a request's id the code as well, which no tool gives.
  void on_nobodys_error(const TimelineEvent& event) {
    const RpcMessage& message = *event.observation->message;
    if (event.observation->direction == Direction::client_to_server) return;
    const bool by_code = is_refusal_code(message.error_code) && !is_upstream_error(event) && tells_lost_transport_session(message.reason);
    if (is_transport_error(message) ? tells_lost_session(message.reason) : by_code) tell(event, {kExchange, 0, true, true, false});
  }

  // What SDKs answer for a session that they do not know: TypeScript, Python, and Python's client for a plain 404.
  static bool is_refusal_code(std::int64_t code) { return code == -32001 || code == -32600 || code == 32600; }

  void answered(const TimelineEvent& event) {
    const auto pages = pages_.empty() ? pages_.end() : pages_.find(event.session->index);
    if (pages != pages_.end() && !asked_before(event, pages->second.back().at)) pages_.erase(pages);
    const auto told = told_.find(event.session->index);
    if (told == told_.end() || (event.exchange && told->second.exchange == event.exchange->id)) return;  // what this one held was the refusal
    if (!asked_before(event, told->second.first)) told->second.answered_again = true;
  }

  // The session is alive: it was a tool that missed a session of its own.
  void answered_in_band(const Session& session) {
    const auto told = told_.find(session.index);
    if (told != told_.end() && told->second.in_band) told->second.answered_again = true;
  }

  void tell(const TimelineEvent& event, const Refusal& refusal) {
    Told& told = told_[event.session ? event.session->index : kNobodys];
    if (event.exchange && told.exchange == event.exchange->id) return;
    if (event.exchange) told.exchange = event.exchange->id;
    told.holder = holder_of(event, refusal, told.holder);
    if (told_already(told, event, refusal)) return learn(told, refusal);
    told.last_wording = refusal.witness;
    told.last_id = refusal.id;
    if (++told.count[refusal.witness] <= told.reported) return learn(told, refusal);  // another witness told this refusal already
    if (is_request(event)) note_going_on(told, event);
    learn(told, refusal);
    if (told.reported++ == 0) told.first = event.at;
    if (told.peer.empty() && event.exchange) told.peer = event.exchange->peer, told.server = event.exchange->server;
    told.last = event.at;
    told.sent_since = false;
    if (told.drafts.size() >= kDraftsOfSession) {
      ++told.drafts.back().count;
      return;
    }
    told.drafts.push_back(draft_for(event));
  }

  // The one who was refused may say so more than once, on several levels or to several handlers. Where its log shows what it sent, each
  // request was refused once; where it does not, the same words at once are one refusal.
  static bool told_already(Told& told, const TimelineEvent& event, const Refusal& refusal) {
    if (!refusal.to_holder || told.reported == 0 || event.call) return false;
    if (refusal.id != 0 && told.last_id != 0 && refusal.id != told.last_id) return false;
    if (event.fitting > told.open_told) return ++told.open_told, false;
    const std::int64_t since = event.at.known() && told.last.known() ? event.at.us - told.last.us : 0;
    const bool shows_requests = event.session && event.session->counts.requests > 0;
    if (shows_requests) return !told.sent_since && since <= kAtOnceUs;
    return refusal.witness == told.last_wording && event.at.known() && since <= kToldTwiceUs;
  }

  static void learn(Told& told, const Refusal& refusal) {
    told.by_404 = told.by_404 || refusal.status == kNotFound;
    const bool as_answer = refusal.status / 100 == 2 && !refusal.speaks_mcp;
    told.wrong_status = told.wrong_status || as_answer || (refusal.status >= 400 && refusal.status != kNotFound);
    told.to_holder = told.to_holder || refusal.to_holder;
    told.said_so = told.said_so || refusal.says_so;
    told.in_band = told.in_band && refusal.in_band;
    told.speaks_mcp = told.speaks_mcp || refusal.speaks_mcp;
  }

  // Not the session's stream that is opened again, nor its end.
  static bool is_request(const TimelineEvent& event) {
    if (event.exchange) return event.exchange->carries_request;
    return event.kind != EventKind::exchange_summary || event.observation->http->method == "POST";
  }

  // Sent when the refusal before it was known: in the order of a log that shows requests, else by the times.
  static void note_going_on(Told& told, const TimelineEvent& event) {
    if (!std::exchange(told.request_refused, true)) return void(told.request_refused_at = event.at);
    const Time sent = event.exchange ? event.exchange->requested_at : event.call ? event.call->requested_at : Time{};
    if (sent.known() && told.last.known()) {
      if (sent > told.last || (sent == told.last && told.sent_since)) ++told.went_on;  // of one second, their order tells
    } else if (told.sent_since) {
      ++told.went_on;
    } else if (event.at.known() && told.last.known() && event.at.us - told.last.us > kAtOnceUs) {
      ++told.went_on;
    }
  }

  static Vantage holder_of(const TimelineEvent& event, const Refusal& refusal, Vantage known) {
    if (known != Vantage::unknown) return known;
    if (event.exchange) return Vantage::client_wire;
    if (!refusal.to_holder && event.observation->vantage != Vantage::client) return Vantage::unknown;
    return event.observation->vantage == Vantage::gateway ? Vantage::gateway : Vantage::client;
  }

  static FindingDraft draft_for(const TimelineEvent& event) {
    FindingDraft draft;
    if (event.session) draft.session = event.session->label;
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    const RpcMessage* message = event.observation->message;
    if (event.call) {
      draft.call = finding_call(*event.call);
    } else if (event.observation->outcome) {
      draft.call = FindingCall{{}, "tools/call", std::string(event.observation->outcome->tool), event.observation->outcome->started, {}};
    } else if (message && message->id.type != IdType::null && message->id.present()) {
      draft.call = FindingCall{OwnedId(message->id), {}, {}, {}, event.at};
    }
    return draft;
  }

  void flush(std::uint32_t index, const Session* session, FindingSink& findings) {
    const auto pages = pages_.extract(index);
    const auto found = told_.find(index);
    if (found == told_.end()) {
      for (FindingDraft& draft : pages ? pages.mapped() : std::vector<FindingDraft>()) findings.add(std::move(draft));
      return;
    }
    const bool strayed = session && servers_.strays_of(*session) != nullptr;
    const Fault fault = blame(session, found->second);
    for (FindingDraft& draft : found->second.drafts) {
      if (found->second.answered_again || strayed) break;
      if (session) draft.session = session->label;
      draft.fault = fault;
      if (fault.party == Party::unknown) draft.level = Level::informational;
      findings.add(std::move(draft));
    }
    told_.erase(found);
  }

  Fault blame(const Session* session, const Told& told) const {
    const bool alive = session && (session->was_alive || session->initialize_seen || session->start_seen);
    const bool told_by_holder = told.to_holder && told.said_so;  // a bare status may as well mean a wrong address
    if (!alive && !told_by_holder) return {Party::unknown, Certainty::undetermined, {}, "the session was never seen alive: lost before the evidence begins, or never there"};
    // A race may send one more request; whoever sends several has not taken the answer for what it is.
    const bool went_on = told.went_on > 1 || (told.went_on == 1 && told.last.known() && told.last.us - told.request_refused_at.us > kAtOnceUs);
    const bool by_header = !session || session->keyed_by != SessionKeying::legacy_session_id;
    const bool plain = told.by_404 && told.said_so && !told.wrong_status;
    const bool holder_knew = plain && went_on && !told.begun_anew && by_header && told.holder != Vantage::unknown;
    if (holder_knew && told.holder == Vantage::gateway) {
      return {Party::gateway, Certainty::strong, {}, "it was told by 404 that its session was not known any more, and went on with it instead of initializing anew"};
    }
    if (holder_knew) return {Party::client, Certainty::strong, {}, "it was told by 404 that its session was not known any more, and went on with it instead of initializing anew"};
    if (told.wrong_status) return {Party::server, Certainty::strong, {}, "it no longer knew the session, and refused it by another status than 404, which alone tells a client to initialize anew"};
    const bool bare = !told.said_so && !told.speaks_mcp && !restarted_ && told.holder == Vantage::client_wire;
    if (alive && bare) {
      return {Party::server, Certainty::weak, {"gateway"}, "404 came without a word about the session: a server that no longer knows it says so, and so does a proxy or another replica that never did; the server's log would tell"};
    }
    if (alive) return {Party::server, Certainty::strong, {}, restarted_ ? "it was restarted and forgot the session" : "it no longer knew a session that it had served"};
    return {Party::server, Certainty::weak, {}, "it did not know a session that its client had; when that was begun, this evidence does not show"};
  }

  std::map<std::uint32_t, Told> told_;  // sessions open at a time, so bounded by Limits::sessions
  std::map<std::uint32_t, std::vector<FindingDraft>> pages_;  // of those sessions, since they were last answered
  SessionServers servers_;
  bool restarted_ = false;
  Nameless nameless_;
};

}  // namespace

extern const DetectorEntry kSessionLost{"session_lost",
                                        event_bits(EventKind::notice, EventKind::exchange_summary, EventKind::exchange_closed, EventKind::reply, EventKind::request,
                                                   EventKind::outcome, EventKind::session_finished),
                                        {},
                                        made<SessionLost>};

}  // namespace mcpscan::engine
