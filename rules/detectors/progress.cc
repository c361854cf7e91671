// Progress that its receiver cannot place or that goes backwards. The rule's `fault` parameter says which: unknown-token, or
// not-increasing. A token is known from the request that brought it on, also when that request is over.
// Source: MCP 2025-11-25 "Progress"; protocol notes PR01 PR03.
#include <fmt/format.h>

#include <array>
#include <bitset>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "engine/by_session.h"
#include "engine/held_drafts.h"
#include "engine/message_json.h"
#include "model/detector.h"
#include "session/id_ledger.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kTokens = 256;  // of a session, remembered at a time

bool is_on_own_stream(const TimelineEvent& event) { return event.call && event.exchange && event.call->exchange == event.exchange->id; }

// Clients without a session may hand out the same tokens, as may one that gives a token to several calls: there it is the exchange that tells them apart.
std::uint64_t token_key(const TimelineEvent& event, const RpcId& token, Direction requestor) {
  const Observation& seen = *event.observation;
  const bool tokens_tell = event.session->ids_tell() && event.session->keyed_by != SessionKeying::source && !is_on_own_stream(event);
  const std::uint64_t owner = hash_combine(static_cast<std::uint64_t>(requestor), tokens_tell ? 0 : seen.exchange);
  return hash_combine(hash_bytes(token.value, static_cast<std::uint64_t>(token.type)), owner);
}

// A stream whose request the capture lacks may be one that was resumed, where what had been sent comes again.
bool may_repeat(const TimelineEvent& event) {
  const bool unasked = event.session->on_wire && (!event.exchange || event.exchange->method.empty());
  return unasked || event.observation->stream == StreamKind::get_resume;
}

class Progress : public Detector {
 public:
  explicit Progress(const Parameters& parameters) : increasing_(parameters.at("fault") == "not-increasing") {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return end(*event.session, findings);
    const RpcMessage* message = event.observation->message;
    if (event.kind == EventKind::request) {
      if (!message || !message->progress_token.present()) return;
      return increasing_ ? begin_anew(event, message->progress_token)
                         : void(seen_[event.session->index].handed_out[by_server(event.call->requestor)].use(message->progress_token, limits_));
    }
    if (!message || message->method != "notifications/progress" || may_repeat(event)) return;
    const Direction requestor = event.observation->direction == Direction::server_to_client ? Direction::client_to_server : Direction::server_to_client;
    Tokens& tokens = seen_[event.session->index];
    increasing_ ? check_value(event, *message, tokens, requestor, findings) : check_token(event, *message, tokens, requestor, findings);
  }

 private:
  struct Last {
    double value = -1;
    bool shared = false;  // by several calls in flight
  };
  struct Tokens {
    std::array<session::IdLedger, 2> handed_out;    // by requestor
    std::unordered_map<std::uint64_t, Last> last;    // by token
    std::bitset<kTokens> maybe;                      // by a part of the token's hash: most requests' tokens are not in `last`, which need not be touched then

    static std::size_t part_of(std::uint64_t token) { return (token >> 32) % kTokens; }
    bool may_have(std::uint64_t token) const { return maybe[part_of(token)]; }
  };
  static std::size_t by_server(Direction requestor) { return requestor == Direction::server_to_client; }

  // Any request that the evidence lacks may have brought the token.
  void end(const Session& session, FindingSink& findings) {
    seen_.erase(session.index);
    for (FindingDraft& draft : held_.take(session.index)) {
      if (!session.lacks_requests()) findings.add(std::move(draft));
    }
  }

  // A token that another request had before counts from the start.
  void begin_anew(const TimelineEvent& event, const RpcId& token) {
    Tokens* const tokens = seen_.find(event.session->index);
    if (!tokens) return;
    const std::uint64_t key = token_key(event, token, event.call->requestor);
    const auto last = tokens->may_have(key) ? tokens->last.find(key) : tokens->last.end();
    if (last != tokens->last.end()) last->second = {};
  }

  // Held back where the request may have come before the evidence begins, or its token was forgotten.
  void check_token(const TimelineEvent& event, const RpcMessage& message, const Tokens& tokens, Direction requestor, FindingSink& findings) {
    const Session& session = *event.session;
    const session::IdLedger &of_client = tokens.handed_out[0], &of_server = tokens.handed_out[1];
    if (!message.related.present() || !of_client.complete() || !of_server.complete() || !session.initialize_seen || session.had_gap || session.damaged || session.mixed) return;
    if (event.call || event.other || tokens.handed_out[by_server(requestor)].contains(message.related)) return;
    HeldDrafts::Waiting held(held_, session.index, findings);
    FindingSink& sink = session.on_wire ? static_cast<FindingSink&>(held) : findings;
    // Where nobody hands out tokens, some servers take the request's id for one, and nothing is mixed up by it.
    const std::optional<Level> level = of_client.empty() && of_server.empty() ? std::optional(Level::informational) : std::nullopt;
    tell(event, level, fmt::format("it reports progress under the token {}, which no request of this session brought", message.related.raw), sink);
  }

  void check_value(const TimelineEvent& event, const RpcMessage& message, Tokens& tokens, Direction requestor, FindingSink& findings) {
    // Of several clients whose messages nothing tells apart each may have handed out the token.
    const bool anybodys = event.session->mixed || (event.session->keyed_by == SessionKeying::source && !event.call && !event.other);
    if (anybodys && event.observation->exchange == 0) return;
    if (!message.related.present() || !json_.read(message)) return;
    const auto value = json_.number("/params/progress");
    if (!value) return;
    if (tokens.last.size() >= kTokens) tokens.last.clear(), tokens.maybe.reset();
    const std::uint64_t key = token_key(event, message.related, requestor);
    Last& last = tokens.last[key];
    tokens.maybe.set(Tokens::part_of(key));
    const double before = std::exchange(last.value, *value);
    last.shared = last.shared || (event.fitting > 1 && !is_on_own_stream(event));
    if (before < 0 || *value > before) return;
    if (last.shared) tell_shared(event, message, findings);
    else tell(event, std::nullopt, fmt::format("its progress went from {} to {}", before, *value), findings);
  }

  static void tell_shared(const TimelineEvent& event, const RpcMessage& message, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    draft.discriminator = "shared token";
    draft.fault = {event.observation->direction == Direction::server_to_client ? Party::client : Party::server, Certainty::strong, {}, fmt::format("it gave the token {} to several calls at a time: whose progress comes under it cannot be told", message.related.raw)};
    if (event.call) draft.call = finding_call(*event.call);
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

  static void tell(const TimelineEvent& event, std::optional<Level> level, std::string reason, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    draft.level = level;
    draft.fault = {event.observation->direction == Direction::server_to_client ? Party::server : Party::client, Certainty::strong, {}, std::move(reason)};
    if (event.call) draft.call = finding_call(*event.call);
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

  bool increasing_;
  Limits limits_;
  MessageJson json_;
  HeldDrafts held_;
  BySession<Tokens> seen_;
};

}  // namespace

extern const DetectorEntry kProgress{"progress", event_bits(EventKind::request, EventKind::notification, EventKind::session_finished), {"fault"}, made<Progress>};

}  // namespace mcpscan::engine
