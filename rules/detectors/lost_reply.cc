// Calls that never got their reply, and why. Absence needs presence: where the evidence has a gap, shows one side only or ends inside
// the client's wait, nothing is said. A refusal is an answer; a cancelled call needs none, initialize excepted. What a server asks of its
// client counts as well, pings excepted.
// Source: MCP 2025-11-25 base protocol "Responses", transports "Sending Messages to the Server"; protocol notes RS05 CH04 CH05.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/attribution.h"
#include "engine/backend_end.h"
#include "engine/call_picture.h"
#include "engine/idle_cut.h"
#include "engine/known_waits.h"
#include "engine/other_body.h"
#include "engine/told_losses.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr double kWaitFactor = 5;              // times the 99th percentile of answered calls
constexpr std::uint64_t kFewestAnswered = 5;  // calls that make a yardstick
constexpr std::int64_t kNoYardstickUs = 10 * kSecond;  // what counts as long where there is none
constexpr std::int64_t kPersonsPatience = 5;  // client timeouts in which a person who was asked has answered
constexpr std::size_t kStrandedOfSession = 1000;
constexpr std::size_t kHungUp = 1000;  // calls given up, held until their session is over
constexpr std::int64_t kCancelFollowsUs = kSecond;

struct Verdict {
  std::string detail;
  Fault fault;
  std::optional<Level> level;
  std::string cause_rule;
  std::string discriminator = {};
};

constexpr std::size_t kIdleCuts = 4096;

class LostReply : public Detector {
 public:
  explicit LostReply(const Parameters& parameters) : client_timeout_us_(duration_parameter(parameters, "client_timeout_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::exchange_summary) return on_access_line(event);
    if (event.kind == EventKind::exchange_closed) return note_idle_cut(event);
    if (event.kind == EventKind::gap) {
      if (event.session && event.at.known()) last_gap_[event.session->index] = std::max(last_gap_[event.session->index], event.at);
      return;
    }
    if (event.kind == EventKind::session_finished) {
      for (Waiting& each : waiting_) findings.add(std::move(each.draft));
      waiting_.clear();
      tell_hung_up(findings, event.session->lacks_requests(), [&](const HungUp& each) { return each.session == event.session->index; });
      last_gap_.erase(event.session->index);
      const auto lines = access_.find(event.session->index);
      if (lines == access_.end()) return;
      judge_access_lines(lines->second, event.session->label, findings);
      access_.erase(lines);
      return;
    }
    told_.note(event, findings);
    if (event.kind == EventKind::reply) return note_reply(event);
    if (event.kind == EventKind::cancel || event.kind == EventKind::timeout) return note_cancel(event);
    if (event.kind != EventKind::call_closed) return;
    if (event.call->requestor == Direction::server_to_client) return judge_silent_client(event, findings);
    if (event.call->requestor != Direction::client_to_server) return;
    auto verdict = judge(event);
    if (!verdict) return;
    if (event.call->untaken == Untaken::wrong_channel && verdict->cause_rule.empty()) verdict->cause_rule = "wrong-channel-reply";
    if (is_unsafe_integer(event.call->id.view()) && verdict->cause_rule.empty() && verdict->level != Level::informational) {
      verdict->fault = {Party::client, Certainty::weak, {"server"}, "its id cannot be held by a double: peers that keep numbers as doubles refuse it or lose the pairing"};
      verdict->cause_rule = "unsafe-integer-id";
    }
    FindingDraft draft = draft_for(event, *verdict);
    if (!verdict->cause_rule.empty() && event.call->closed != CloseReason::backend_gone) draft.cause_id = event.call->id.value;
    if (event.call->closed == CloseReason::evidence_ends) return void(waiting_.push_back({event.call->requested_at, std::move(draft)}));
    // What the evidence lacks of a connection, and whether it lacks some, may be known only later.
    const bool ended = event.call->closed == CloseReason::session_ended && event.session->on_wire;
    const bool resumable = event.call->closed == CloseReason::stream_closed && event.call->resumable && event.session->on_wire;
    const bool may_be_cancelled = event.call->closed == CloseReason::client_closed && event.call->method != kInitialize;
    if ((!may_be_cancelled && !ended && !resumable) || hung_up_.size() >= kHungUp) return findings.add(std::move(draft));
    hung_up_.push_back(hung_up(event, std::move(draft)));
  }

  void finish(FindingSink& findings) override {
    tell_hung_up(findings, false, [](const HungUp&) { return true; });
    judge_access_lines(nameless_, {}, findings);
    told_.finish(findings);
  }

 private:
  static FindingDraft draft_for(const std::string& session, const Verdict& verdict, Time at) {
    FindingDraft draft;
    draft.session = session;
    draft.requestor = Direction::client_to_server;
    draft.detail = verdict.detail;
    draft.level = verdict.level;
    draft.fault = verdict.fault;
    draft.cause_rule = verdict.cause_rule;
    draft.discriminator = verdict.discriminator;
    draft.at = at;
    return draft;
  }

  // Of the call that the event closes.
  static FindingDraft draft_for(const TimelineEvent& event, const Verdict& verdict) {
    FindingDraft draft = draft_for(event.session->label, verdict, event.at);
    draft.requestor = event.call->requestor;
    draft.call = finding_call(*event.call);
    draft.evidence.push_back(evidence_of(*event.call));
    if (event.observation) draft.evidence.push_back(evidence_of(event));
    draw(event, draft);
    return draft;
  }

  static void draw(const TimelineEvent& event, FindingDraft& draft) {
    const Call& call = *event.call;
    if (!call.requested_at.known() || !event.at.known()) return;
    const std::string name = call_name(call.method, call.target);
    draft.picture = {{call.requested_at, '>', fmt::format("{}  id {}", name, call.id.raw), call.source, name, call.source}};
    draft.picture.push_back({event.at, 'x', fmt::format("{} has no reply after {}", name, format_duration(event.at.us - call.requested_at.us)), event.source, name, call.source});
  }

  static std::int64_t waited(const TimelineEvent& event) {
    return event.call->requested_at.known() && event.at.known() ? event.at.us - event.call->requested_at.us : -1;
  }

  // Longer than a healthy call of this session could take; where too few were seen to tell, longer than ten seconds. A second is never long: where
  // replies come at once, a client that is stopped would make a silent server of any that works.
  static bool is_long(const Session& session, std::int64_t wait) {
    const std::int64_t p99 = session.latency.quantile(0.99);
    return session.latency.count() < kFewestAnswered ? wait >= kNoYardstickUs : wait > kSecond && static_cast<double>(wait) > kWaitFactor * static_cast<double>(p99);
  }

  std::optional<Verdict> judge(const TimelineEvent& event) const {
    const Call& call = *event.call;
    // A listen stream has no reply; that to a request with a null id cannot be told from an error without one.
    if (call.method == "subscriptions/listen" || call.id.type == IdType::null) return std::nullopt;
    // A reply that names no session may have been this call's: its absence proves nothing.
    if (call.maybe_answered && call.closed != CloseReason::overwritten && call.closed != CloseReason::undeliverable) return std::nullopt;
    // Two clients may each have a call of this id, and then nothing was taken over: a cancel or reply of the one may have ended the other's.
    if (call.collided && event.session->mixed && call.closed != CloseReason::overwritten) return std::nullopt;
    if (call.untaken == Untaken::nameless && is_over(call)) return judge_nameless(*event.session);
    switch (call.closed) {
      case CloseReason::overwritten:
        if (!event.session->mixed) return overwritten();
        [[fallthrough]];
      case CloseReason::undeliverable: return Verdict{"unknown", {Party::unknown, Certainty::undetermined, {}, "the reply came when its stream was gone: the client had hung up, or a proxy cut it"}, Level::informational, {}};
      case CloseReason::timed_out: return judge_timeout(event);
      case CloseReason::stream_closed: return judge_stream_end(event);
      case CloseReason::connection_reset: return Verdict{"connection reset", ended_by("it reset the connection before the reply was out", event), {}, {}};
      case CloseReason::accepted_only: return judge_accepted(*event.session);
      case CloseReason::client_dead: return Verdict{"unknown", {Party::client, Certainty::strong, {}, "its own session or receive loop had ended, so that nothing could be received"}, {}, {}};
      case CloseReason::backend_gone: return Verdict{"unknown", backend_end(*event.observation).fault, {}, "backend-exit"};
      case CloseReason::client_closed: return judge_hang_up(event, Party::server);
      case CloseReason::session_ended: return judge_hang_up(event, Party::unknown);
      case CloseReason::no_response:
        if (call.collided) return overwritten();
        return Verdict{"unknown", {Party::unknown, Certainty::undetermined, {}, "the exchange ended without the reply, and who ended it is not told: client, network, proxy and server look the same from here"}, {}, {}};
      case CloseReason::evidence_ends:
      case CloseReason::aged_out: return judge_end_of_evidence(event);
      default: return std::nullopt;
    }
  }

  // Nothing came behind the error, or its client waited in vain.
  static bool is_over(const Call& call) {
    return call.closed == CloseReason::timed_out || call.closed == CloseReason::stream_closed || call.closed == CloseReason::client_closed || call.closed == CloseReason::no_response;
  }

  static Verdict judge_nameless(const Session& session) {
    const Fault fault = session.behind_proxy ? Fault{Party::server, Certainty::weak, {"gateway"}, "the call was answered with an error that has no id; who left it out, server or proxy, cannot be seen from here"}
                                             : Fault{Party::server, Certainty::strong, {}, "it answered the call with an error that has no id, by which its client would know what it answers"};
    return {"error without an id", fault, {}, {}};
  }

  // A call may wait on when its exchange is over, so how that ended is kept.
  void note_idle_cut(const TimelineEvent& event) {
    const KnownWait* const limit = event.call ? idle_cut(event) : nullptr;
    if (!limit) return;
    if (idle_cuts_.size() >= kIdleCuts) idle_cuts_.erase(idle_cuts_.begin());
    idle_cuts_.emplace(event.exchange->id, limit->seconds);
  }

  // A proxy ends what it passes on for reasons of its own, and when its server ends it.
  Fault ended_by(const char* what_server_did, const TimelineEvent& event) const {
    const auto silent = event.session->behind_proxy ? idle_cuts_.end() : idle_cuts_.find(event.call->exchange);
    if (silent != idle_cuts_.end()) {
      return {Party::server, Certainty::weak, {"gateway"}, fmt::format("{}, after {} s of silence: a proxy's idle limit looks the same", what_server_did, silent->second)};
    }
    if (!event.session->behind_proxy) return {Party::server, Certainty::strong, {}, what_server_did};
    return {Party::unknown, Certainty::undetermined, {"gateway", "server"}, "the response came through a proxy and ended without the reply; a capture behind the proxy would show which of the two ended it"};
  }

  static Verdict judge_accepted(const Session& session) {
    const bool begins_earlier = session.on_wire && !session.modern && !session.initialize_seen && !session.start_seen;
    if (!begins_earlier) return {"unknown", {Party::server, Certainty::strong, {}, "it answered 202 to a request: no reply can come on that exchange"}, {}, "wrong-status"};
    return {"unknown", {Party::unknown, Certainty::undetermined, {"server"}, "the server answered 202 to a request; the reply may have come on a stream that is older than the capture"}, Level::informational, "wrong-status"};
  }

  Verdict judge_stream_end(const TimelineEvent& event) const {
    const Call& call = *event.call;
    if (call.came_instead != OtherBody::none) return {"stream closed", fault_of(call.came_instead, "it answered with something that is no message"), {}, "content-type", "other content"};
    if (call.collided) return overwritten();
    if (!call.foreign_reply) return {"stream closed", ended_by("it ended the response without the reply", event), {}, {}};
    return {"stream closed", {Party::server, Certainty::weak, {"gateway"}, "the response held a reply with another id; who put it there, server or gateway, cannot be seen from here"}, {}, {}};
  }

  static Verdict overwritten() {
    return {"overwritten", {Party::client, Certainty::proven, {"server"}, "another request with the same id took over its reply stream"}, {}, "duplicate-request-id"};
  }

  static std::optional<Verdict> judge_timeout(const TimelineEvent& event) {
    if (event.call->collided) return overwritten();
    if (event.call->method != kInitialize) return std::nullopt;  // a cancelled call needs no reply; client-timeout tells the rest
    return Verdict{"timeout", {Party::unknown, Certainty::undetermined, {}, "the server never answered initialize; whether it got it cannot be seen from here"}, {}, "client-timeout"};
  }

  static std::optional<Verdict> judge_hang_up(const TimelineEvent& event, Party silent) {
    if (!event.session->on_wire && event.session->counts.replies == 0) return std::nullopt;  // a log that shows no replies
    if (event.call->collided) return overwritten();
    const std::int64_t wait = waited(event);
    if (wait < 0) return std::nullopt;
    if (!is_long(*event.session, wait)) {
      const bool ended = event.call->closed == CloseReason::session_ended;
      const char* const reason = ended ? "the session was ended before a healthy reply could have come" : "it hung up before a healthy reply could have come";
      return Verdict{"abandoned", {Party::client, Certainty::strong, {}, reason}, Level::informational, {}};
    }
    const Certainty certainty = silent == Party::unknown || event.session->latency.count() == 0 ? Certainty::undetermined : Certainty::strong;
    const Party party = certainty == Certainty::undetermined ? Party::unknown : silent;
    return Verdict{"timeout", {party, certainty, {}, fmt::format("nothing came in {}, when the client gave up", format_duration(wait))}, {}, {}};
  }

  std::optional<Verdict> judge_end_of_evidence(const TimelineEvent& event) const {
    const Session& session = *event.session;
    const bool shows_replies = session.paired > 0 || (session.on_wire && event.call->method == kInitialize && session.keyed_by != SessionKeying::legacy_session_id);
    if (!shows_replies || session.had_gap || event.call->maybe_answered || session.mixed) return std::nullopt;
    const std::int64_t wait = waited(event);
    if (wait < client_timeout_us_ || !is_long(session, wait)) return std::nullopt;
    if (event.call->collided) return overwritten();
    return Verdict{"unknown", {Party::unknown, Certainty::undetermined, {}, fmt::format("no reply in the {} to the end of the evidence", format_duration(wait))}, {}, {}};
  }

  // --- requests of the server, which its client answers by itself, or after it has asked a person ---
  struct Waiting {
    Time since;
    FindingDraft draft;
  };

  void note_reply(const TimelineEvent& event) {
    if (event.call && event.call->requestor == Direction::server_to_client && event.session) explain_by_silence(event);
    if (event.verdict == ReplyVerdict::late) std::erase_if(hung_up_, [&](const HungUp& each) { return each.call == event.call->number; });
  }

  static Fault silent_client(const TimelineEvent& event, std::string words) {
    if (event.call->method != "roots/list") return {Party::unknown, Certainty::undetermined, {"client"}, std::move(words) + ": a person may have been asked"};
    const bool seen_to_go = event.session->on_wire && !event.session->behind_proxy;
    return {Party::client, seen_to_go ? Certainty::strong : Certainty::weak, {}, std::move(words)};
  }

  // A call whose client gave up after the server had asked it something, and before it was answered, if it ever was: the server had to
  // wait itself. What it asks on the stream of one call is for that call.
  void explain_by_silence(const TimelineEvent& event) {
    const Call& asked = *event.call;
    const auto is_for = [&](const HungUp& each) { return asked.exchange != 0 && each.exchange == asked.exchange; };
    const bool of_one = std::any_of(hung_up_.begin(), hung_up_.end(), is_for);
    for (HungUp& each : hung_up_) {
      if (each.session != event.session->index || each.draft.detail != "timeout" || (of_one && !is_for(each)) || !each.waited_for(asked)) continue;
      each.draft.fault = silent_client(event, fmt::format("the server waited for an answer itself: its {} (id {}) had got none", asked.method, asked.id.raw));
      each.draft.discriminator = kWaitsForClient;
    }
  }

  void judge_silent_client(const TimelineEvent& event, FindingSink& findings) {
    const Call& call = *event.call;
    const Session& session = *event.session;
    if (call.method == "ping" || call.maybe_answered || session.mixed) return;
    explain_by_silence(event);
    const bool given_up = call.closed == CloseReason::timed_out, at_end = call.closed == CloseReason::evidence_ends || call.closed == CloseReason::aged_out;
    // A client that sends nothing any more may be gone, and that is no fault, whatever its server goes on to send.
    const std::int64_t wait = !at_end ? waited(event) : session.client_spoke_at.known() && call.requested_at.known() ? session.client_spoke_at.us - call.requested_at.us : -1;
    if ((!given_up && !at_end) || wait < 0) return;
    const bool asks_person = call.method != "roots/list";
    if (at_end && (session.had_gap || session.lacks_requests() || wait < client_timeout_us_ * (asks_person ? kPersonsPatience : 1))) return;
    Verdict verdict{given_up ? "timeout" : "unknown", {}, {}, {}};
    const std::string words = fmt::format("no answer to the server's {} in {}", call.method, format_duration(wait)) + (given_up ? ", when the server gave up" : ", to the last that the client sent");
    if (asks_person) verdict.level = Level::low;
    verdict.fault = silent_client(event, words);
    if (given_up && hung_up_.size() < kHungUp) return void(hung_up_.push_back(hung_up(event, draft_for(event, verdict))));
    findings.add(draft_for(event, verdict));
    // What was asked of the client while a call of its own was open was asked for that call.
    for (Waiting& each : waiting_) {
      if (!(each.since <= call.requested_at)) continue;
      each.draft.fault = verdict.fault;
      each.draft.fault.reason = fmt::format("the server waits for an answer itself: its {} (id {}) got none", call.method, call.id.raw);
    }
  }

  // --- a client that hangs up and says a moment later that it cancels: some SDKs do so in this order ---
  struct HungUp {
    std::uint32_t session = 0;
    std::uint64_t call = 0;  // its number
    std::uint64_t exchange = 0;
    Time requested_at, at;
    FindingDraft draft;

    // Most of the wait, and at its end: what was asked of a client that was about to leave explains nothing.
    bool waited_for(const Call& asked) const {
      if (!requested_at.known() || !at.known() || !asked.requested_at.known() || asked.requested_at < requested_at) return false;
      return 2 * (asked.requested_at.us - requested_at.us) <= at.us - requested_at.us && !(asked.replied_at.known() && asked.replied_at < at);
    }
  };

  static HungUp hung_up(const TimelineEvent& event, FindingDraft draft) {
    return {event.session->index, event.call->number, event.call->exchange, event.call->requested_at, event.at, std::move(draft)};
  }

  void note_cancel(const TimelineEvent& event) {
    if (!event.other) return;
    const auto is_meant = [&](const HungUp& each) {
      const bool soon = !each.at.known() || !event.at.known() || event.at.us - each.at.us <= kCancelFollowsUs;
      return each.call == event.other->number && soon;
    };
    const auto newest = std::find_if(hung_up_.rbegin(), hung_up_.rend(), is_meant);
    if (newest != hung_up_.rend()) hung_up_.erase(std::next(newest).base());
  }

  // `lacking`: the evidence lacks requests of the session, so whole connections, and with them streams that were resumed.
  template <typename Which>
  void tell_hung_up(FindingSink& findings, bool lacking, Which which) {
    for (HungUp& each : hung_up_) {
      if (!which(each)) continue;
      const auto gap = last_gap_.find(each.session);
      const bool may_be_missing = gap != last_gap_.end() && each.requested_at.known() && gap->second >= each.requested_at;
      const bool own_doing = each.draft.fault.party == Party::client && each.draft.discriminator != kWaitsForClient;
      if ((may_be_missing || lacking) && !own_doing) {
        each.draft.level = Level::informational;
        each.draft.fault = {Party::unknown, Certainty::undetermined, {}, "nothing came, and what is missing of the session may have held the reply, or the client's word that it cancels"};
        each.draft.discriminator.clear();
      }
      findings.add(std::move(each.draft));
    }
    std::erase_if(hung_up_, which);
  }

  // --- access lines: a POST that was answered with headers and never with a byte ---
  struct Stranded {
    Evidence evidence;
    Time at;
    std::int64_t duration_us = 0;
    FindingCall call;
    bool collided = false;
    bool given_up = false;  // by the proxy, as it says itself
  };
  struct AccessLines {
    LatencyHistogram answered;
    std::vector<Stranded> stranded;
  };

  void on_access_line(const TimelineEvent& event) {
    const HttpFacts& http = *event.observation->http;
    const bool no_head = (http.status == 0 || http.status == 460) && http.end == EndReason::closed_by_client;  // nor a byte, whatever the line counts
    const bool left = http.end == EndReason::closed_by_client || http.status == 499;
    if ((!event.session && !left) || http.method != "POST" || http.duration_us < 0 || (http.response_bytes < 0 && !no_head)) return;
    if (http.status != 200 && http.status != 499 && !no_head) return;
    AccessLines& lines = event.session ? access_[event.session->index] : nameless_;
    const bool cut = event.observation->notice || (http.end != EndReason::unknown && http.end != EndReason::complete);
    if (http.response_bytes > 0 && !no_head) return cut ? void() : lines.answered.add(http.duration_us);
    if (lines.stranded.size() >= kStrandedOfSession) return;
    FindingCall call{{}, {}, {}, {event.at.known() ? event.at.us - http.duration_us : Time::kUnknown}, {}};
    lines.stranded.push_back({evidence_of(event), event.at, http.duration_us, event.call ? finding_call(*event.call) : std::move(call), event.call && event.call->collided,
                              event.observation->notice != nullptr});
  }

  static Verdict stranded(std::int64_t duration_us) {
    const std::string reason = fmt::format("not one byte of a reply went out in {}; an access line cannot tell why (requests that share an id look so)", format_duration(duration_us));
    return {"timeout", {Party::unknown, Certainty::undetermined, {}, reason}, {}, {}};
  }

  static void judge_access_lines(AccessLines& lines, const std::string& session, FindingSink& findings) {
    const std::int64_t p99 = lines.answered.quantile(0.99);
    for (Stranded& exchange : lines.stranded) {
      const bool beyond = p99 >= 0 && static_cast<double>(exchange.duration_us) > kWaitFactor * static_cast<double>(p99);
      if (exchange.duration_us < kNoYardstickUs || (!beyond && (exchange.duration_us < kTellingWaitUs || !client_wait(exchange.duration_us)))) continue;
      FindingDraft draft = draft_for(session, exchange.collided ? overwritten() : stranded(exchange.duration_us), exchange.at);
      if (exchange.collided) draft.cause_id = exchange.call.id.value;
      else if (exchange.given_up) draft.cause_rule = "gateway-timeout";
      draft.call = std::move(exchange.call);
      draft.evidence.push_back(std::move(exchange.evidence));
      findings.add(std::move(draft));
    }
  }

  ToldLosses told_;
  std::map<std::uint64_t, std::int64_t> idle_cuts_;  // by exchange: seconds of silence before it was cut; kIdleCuts
  std::int64_t client_timeout_us_;
  std::vector<Waiting> waiting_;  // open when the evidence ended, of the session that is being closed
  std::map<std::uint32_t, AccessLines> access_;
  AccessLines nameless_;  // of lines that name no session: only what their client left
  std::vector<HungUp> hung_up_;  // in their order
  std::unordered_map<std::uint32_t, Time> last_gap_;  // of sessions open at a time
};

}  // namespace

extern const DetectorEntry kLostReply{"lost_reply",
                                      event_bits(EventKind::call_closed, EventKind::exchange_summary, EventKind::session_finished, EventKind::notice, EventKind::timeout,
                                                 EventKind::cancel, EventKind::reply, EventKind::outcome, EventKind::gap, EventKind::exchange_closed),
                                      {"client_timeout_s"},
                                      made<LostReply>};

}  // namespace mcpscan::engine
