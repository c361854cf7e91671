// A user who gets another user's payload, byte for byte: the reply to a call with other arguments that repeats what the first user had asked with
// and nothing of what this one asked. Payloads that do not repeat arguments, and constants, prove nothing.
// Source: protocol notes SC11; GHSA-345p-7cg4-v4c7 (one transport shared by clients).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "session/argument_echo.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kReplies = 8192;             // remembered; then all are forgotten
constexpr std::size_t kPayloadBytes = 1u << 16;    // head of a reply searched
constexpr std::int64_t kWindowUs = 10 * kMinute;

class CrossPrincipalReply : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    const bool call = message && event.call && event.call->method == kToolsCall && event.call->requestor == Direction::client_to_server;
    if (!call || event.session->principals.size() != 1) return;  // whose session it is must be certain
    const std::uint64_t principal = event.session->principals.front();
    if (message->kind != MessageKind::result || message->content_texts.empty() || event.verdict != ReplyVerdict::answer) return;
    std::vector<std::string> tokens;
    session::argument_tokens(event.call->head, tokens);
    if (replies_.size() >= kReplies) replies_.clear();
    const auto [before, fresh] = replies_.try_emplace(content_digest(*message), Given{principal, event.call->arguments_digest, event.session->label, tokens, event.at, finding_call(*event.call), evidence_of(event)});
    if (!fresh) judge(event, *message, tokens, principal, before->second, findings);
  }

 private:
  struct Given {
    std::uint64_t principal = 0, arguments = 0;
    std::string session;
    std::vector<std::string> tokens;  // of the arguments it answered
    Time at;
    FindingCall call;
    Evidence evidence;
  };

  static void judge(const TimelineEvent& event, const RpcMessage& message, const std::vector<std::string>& own, std::uint64_t principal, const Given& given, FindingSink& findings) {
    const bool near = event.at.known() && given.at.known() && event.at.us - given.at.us <= kWindowUs;
    if (given.principal == principal || given.arguments == event.call->arguments_digest || !near) return;
    const std::string_view payload = message.text.substr(0, kPayloadBytes);
    const auto stands = [payload](const std::string& token) { return session::stands_in(token, payload); };
    if (std::none_of(given.tokens.begin(), given.tokens.end(), stands) || std::any_of(own.begin(), own.end(), stands)) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.call = finding_call(*event.call);
    draft.at = event.at;
    draft.fault = {Party::server, Certainty::weak, {"gateway"},
                   fmt::format("{} (id {}) got the very payload that another user had got for {} (id {}) of session {}, which repeats that user's arguments", event.call->target, event.call->id.raw,
                               given.call.tool, given.call.id.raw, given.session)};
    draft.evidence = {given.evidence, evidence_of(*event.call), evidence_of(event)};
    findings.add(std::move(draft));
  }

  std::unordered_map<std::uint64_t, Given> replies_;  // by digest of what was answered
};

}  // namespace

extern const DetectorEntry kCrossPrincipalReply{"cross_principal_reply", event_bit(EventKind::reply), {}, made<CrossPrincipalReply>};

}  // namespace mcpscan::engine
