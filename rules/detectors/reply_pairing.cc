// Replies that do not pair with one waiting call: orphans, those among them that a client sent under an id of its own, duplicates and ids
// that changed their JSON type. One detector for four rules; the rule's `verdict` parameter says which.
// What a server asks may come on any stream of a session, what it answers on a stream for all replies may have been asked on any
// connection, and a hole in a capture may be known only when what is behind it has come: such orphans are told at the end of their session,
// where nothing of it is missing, neither bytes nor the requests of whole connections that the capture was not told to look at, or came too late for.
// Source: JSON-RPC 2.0 section 5; protocol notes RS01 RS02 ID09 ID14.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/by_session.h"
#include "engine/call_picture.h"
#include "engine/held_drafts.h"
#include "engine/rewritten_id.h"
#include "model/detector.h"
#include "session/id_ledger.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class ReplyPairing : public Detector {
 public:
  explicit ReplyPairing(const Parameters& parameters) : verdict_(verdict_of(parameters.at("verdict"))), own_id_only_(parameters.at("verdict") == "own_id") {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return flush(*event.session, findings);
    if (event.kind == EventKind::exchange_opened) return note_listening(event);
    if (event.kind == EventKind::notification || event.kind == EventKind::cancel) return note_notification(event);
    if (event.kind == EventKind::notice) return tell_complaint(event, findings);
    if (event.kind == EventKind::gap) {
      lacks_requests_ = lacks_requests_ || event.observation->direction == Direction::client_to_server;
      return;
    }
    const bool request_missing = event.verdict == ReplyVerdict::head_of_evidence || event.verdict == ReplyVerdict::unattributed;
    if (request_missing && event.observation->direction != Direction::client_to_server) lacks_streams_ = true;
    if (event.verdict == ReplyVerdict::orphan) orphan_ = OwnedId(event.observation->message->id);
    if (event.verdict == ReplyVerdict::refusal) return tell_answer_to_notification(event, findings);
    if (event.session) notified_.erase(event.session->index);
    if (event.verdict != verdict_ || event.across_streams) return;
    const bool by_client = event.observation->direction == Direction::client_to_server;
    if (own_id_only_ && (!event.own_id || !by_client)) return;
    if (is_unrestored(event)) return;  // remapped-id's to tell
    const bool asked_elsewhere = by_client || is_for_all_replies(event.observation->stream);
    if (verdict_ != ReplyVerdict::orphan || !asked_elsewhere || !event.session->on_wire) return tell(event, findings);
    HeldDrafts::Waiting waiting(answers_, event.session->index, findings);
    tell(event, waiting);
  }

 private:
  static constexpr std::string_view kNotifications = "notifications/";

  static bool is_for_all_replies(StreamKind stream) { return stream == StreamKind::legacy_sse || stream == StreamKind::get_standalone || stream == StreamKind::get_resume; }

  // The one stream of a session of the 2024-11-05 transport, on which the server asks.
  void note_listening(const TimelineEvent& event) {
    if (event.session && event.session->keyed_by == SessionKeying::legacy_session_id && event.exchange->method == "GET") listening_[event.session->index] = true;
  }

  // The last that a client sent, for all that is seen.
  void note_notification(const TimelineEvent& event) {
    constexpr std::string_view kByClients[] = {"notifications/initialized", "notifications/roots/list_changed"};
    if (!is_orphans() || !event.session || !event.observation->message) return;
    const std::string_view method = event.observation->message->method;
    const bool by_client = event.observation->direction == Direction::client_to_server || std::find(std::begin(kByClients), std::end(kByClients), method) != std::end(kByClients);
    if (by_client && method.starts_with(kNotifications)) notified_[event.session->index] = true;
  }

  // An error without an id, where no call waits and a notification came last, or that says itself which one it does not know. With an HTTP
  // status of an error it refuses the exchange, as it may.
  void tell_answer_to_notification(const TimelineEvent& event, FindingSink& findings) const {
    constexpr std::int64_t kMethodNotFound = -32601;
    const RpcMessage& message = *event.observation->message;
    if (!is_orphans() || !event.session || event.call || event.session->mixed || message.error_code != kMethodNotFound) return;
    if (event.exchange && (event.exchange->status >= 400 || event.exchange->carries_request)) return;
    const bool after_one = notified_.find(event.session->index) != nullptr && event.session->open.empty();
    if (!after_one && message.reason.find(kNotifications) == std::string_view::npos) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.at = event.at;
    draft.detail = "notification";
    if (event.exchange || event.session->transport == "stdio") {
      draft.level = Level::medium;
      draft.fault = {Party::server, Certainty::strong, {}, "it answered a notification, which no reply may follow"};
    } else {
      draft.level = Level::informational;
      draft.fault = {Party::unknown, Certainty::undetermined, {"server"}, "a notification was answered; over HTTP it may be refused, by a status that this evidence does not tell"};
    }
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

  bool is_orphans() const { return verdict_ == ReplyVerdict::orphan && !own_id_only_; }

  void flush(const Session& session, FindingSink& findings) {
    notified_.erase(session.index);
    const bool heard = listening_.take(session.index) != nullptr || session.keyed_by != SessionKeying::legacy_session_id;
    bool asked_unseen = false;
    std::vector<FindingDraft> drafts = answers_.take(session.index);
    // More replies than requests: the connections on which its client asks are missing.
    if (session.keyed_by == SessionKeying::legacy_session_id && drafts.size() > session.counts.requests) return;
    for (FindingDraft& draft : drafts) {
      if (session.had_gap) return;
      const bool by_server = draft.requestor == Direction::client_to_server;
      // What a client answers came on the stream of any of its requests. A draft without a count belongs to the one before it.
      if (draft.count > 0) asked_unseen = by_server ? is_unseen(session, draft) : session.lacks_requests() || !heard;
      if (!asked_unseen && !(by_server ? lacks_requests_ : lacks_streams_)) findings.add(std::move(draft));
    }
  }

  static bool is_unseen(const Session& session, const FindingDraft& draft) {
    return draft.call && session::is_among(session.unseen_of(draft.requestor), draft.call->id.view());
  }

  void tell(const TimelineEvent& event, FindingSink& findings) const {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    const Call* call = event.call ? event.call : event.other;
    const bool of_client = event.observation->direction == Direction::client_to_server;
    draft.requestor = call ? call->requestor : of_client ? Direction::server_to_client : Direction::client_to_server;
    const bool by_server = draft.requestor == Direction::client_to_server;
    // Over HTTP a gateway may stand between; a process speaks for itself.
    const bool direct = !event.session->on_wire || verdict_ == ReplyVerdict::type_drift || own_id_only_;
    draft.fault = {by_server ? Party::server : Party::client, direct ? Certainty::strong : Certainty::weak, {}, reason()};
    if (call) draft.evidence.push_back(evidence_of(*call));
    draft.evidence.push_back(evidence_of(event));
    draft.call = call_of(event);
    if (verdict_ == ReplyVerdict::duplicate && !event.same_payload) draft.level = Level::critical, draft.detail = "different payload";
    if (verdict_ == ReplyVerdict::type_drift && is_number(event.observation->message->id.type) && is_number(event.call->id.type)) {
      if (event.call->id.type == IdType::fraction) return;  // 1.0 answered as 1: JavaScript has no other way, and the request was wrong
      draft.level = Level::medium, draft.detail = "fraction";  // most clients compare numbers by value
    }
    if (event.own_id && of_client && !own_id_only_) draft.cause_rule = "opposite-direction-id", draft.cause_id = event.observation->message->id.value;
    if (event.elsewhere) {
      draft.fault.reason += fmt::format("; {} (id {}) of session {} waits under it", call_name(event.elsewhere->method, event.elsewhere->target), event.elsewhere->id.raw, event.elsewhere_in->label);
      draft.cause_rule = "wrong-channel-reply";
      draft.cause_id = event.elsewhere->id.value;
      draft.cause_session = event.elsewhere_in->label;
    }
    findings.add(draft);
    if (verdict_ == ReplyVerdict::orphan && !own_id_only_ && event.other) {  // the request it was meant for belongs to the finding as well
      draft.count = 0;
      draft.call = finding_call(*event.other);
      draft.evidence.clear();
      findings.add(std::move(draft));
    }
  }

  // A client's word for a reply that the log does not show. Where it shows all that the client asked, that id was not among it; else nobody is
  // accused. The answer to a cancelled request is a late one.
  void tell_complaint(const TimelineEvent& event, FindingSink& findings) const {
    const Notice& notice = *event.observation->notice;
    const Vantage vantage = event.observation->vantage;
    if (vantage != Vantage::client && vantage != Vantage::unknown) return;  // it is about what that one had asked for, or passes on
    if (notice.kind != NoticeKind::unknown_reply_id || verdict_ != ReplyVerdict::orphan || own_id_only_ || event.other || event.call || notice.key.empty()) return;
    if (orphan_.view().value == notice.key || notice.reason.find("ancel") != std::string_view::npos) return;
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.requestor = Direction::client_to_server;
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    const bool number = notice.second_key.empty() ? notice.key.find_first_not_of("0123456789") == std::string_view::npos : notice.second_key.front() != '"';
    draft.call = FindingCall{OwnedId(RpcId{number ? IdType::integer : IdType::string, notice.key, notice.second_key.empty() ? notice.key : notice.second_key}), {}, {}, {}, event.at};
    if (vantage == Vantage::client && event.session && is_whole(*event.session)) {
      draft.fault = {Party::server, Certainty::strong, {}, reason()};
    } else {
      draft.level = Level::informational;
      draft.fault = {Party::unknown, Certainty::undetermined, {}, "its client waited for no such reply; whether it had asked cannot be seen from here"};
    }
    findings.add(std::move(draft));
  }

  static bool is_whole(const Session& session) {
    return session.initialize_seen && session.initialize_answered && session.ids_tell() && !session.mixed && !session.had_gap && !session.lacks_requests();
  }

  static bool is_number(IdType type) { return type == IdType::integer || type == IdType::fraction; }

  static ReplyVerdict verdict_of(std::string_view word) {
    if (word == "orphan" || word == "own_id") return ReplyVerdict::orphan;
    return word == "duplicate" ? ReplyVerdict::duplicate : ReplyVerdict::type_drift;
  }

  std::string reason() const {
    if (own_id_only_) return "it answered with an id that only it had asked with";
    if (verdict_ == ReplyVerdict::orphan) return "it answered with an id that no request of the session waited for";
    if (verdict_ == ReplyVerdict::duplicate) return "it answered one request more than once";
    return "it answered with the id in another JSON type";
  }

  FindingCall call_of(const TimelineEvent& event) const {
    if (event.call) return finding_call(*event.call);
    return {OwnedId(event.observation->message->id), {}, {}, {}, event.at};
  }

  ReplyVerdict verdict_;
  bool own_id_only_;
  bool lacks_requests_ = false;  // bytes of a client are missing: on a connection that several sessions use they may be any session's
  bool lacks_streams_ = false;  // a reply came whose request is not in the evidence: what else came on its stream is nobody's
  OwnedId orphan_;  // the last one: its client may complain of it as well
  BySession<bool> listening_;
  BySession<bool> notified_;   // its client's last message was a notification
  HeldDrafts answers_;
};

}  // namespace

extern const DetectorEntry kReplyPairing{"reply_pairing", event_bits(EventKind::reply, EventKind::notice, EventKind::gap, EventKind::exchange_opened, EventKind::notification, EventKind::cancel, EventKind::session_finished),
                                         {"verdict"},
                                         [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<ReplyPairing>(parameters); }};

}  // namespace mcpscan::engine
