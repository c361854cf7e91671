// Replies on a stream of one session to a call of another: bridges that send each message to all their clients, servers whose sessions share
// one table of streams. Source: protocol notes ID15 CH02 CH03.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "session/argument_echo.h"
#include "session/result_fit.h"
#include "session/session_tracker.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;
using model::EventKind;
using model::Exchange;
using model::MessageKind;
using model::Observation;
using model::ReplyVerdict;
using model::RpcMessage;
using model::StreamKind;

namespace {

constexpr std::int64_t kCopyWithinUs = 2 * kSecond;  // the copies of one message go out at once

bool is_copy(const Call& answered, const Observation& seen) {
  const bool timed = answered.replied_at.known() && seen.at.known();
  return answered.closed == CloseReason::answered && answered.reply_digest == seen.message->digest &&
         (!timed || std::abs(seen.at.us - answered.replied_at.us) <= kCopyWithinUs);
}

bool says_something(std::string_view asked) {
  std::vector<std::string> tokens;
  argument_tokens(asked, tokens);
  return !tokens.empty();
}

}  // namespace

// Another session's call of this id at the same server that got this very reply just now, or waits and was asked all that the reply repeats;
// null where a call of the stream's own session may be meant as well: what a search finds for one client, another may be asking for, so that a
// call that waits must be of the same tool, unless this server was seen to send one reply to two sessions. A result without members is any call's.
Call* SessionTracker::call_of_other_session(const Observation& seen, const SessionState& state, const Exchange& exchange, const Match& match) {
  const RpcMessage& message = *seen.message;
  const model::Session& session = state.session;
  if (message.kind != MessageKind::result || message.result_keys == 0 || message.digest == 0) return nullptr;
  if (exchange.method.empty() || session.mixed) return nullptr;
  if (!session.ids_tell()) return call_of_other_client(seen, state, exchange, match);
  const bool taken = match.verdict == ReplyVerdict::answer && match.call->exchange != exchange.id;  // by the id alone
  const bool again = match.verdict == ReplyVerdict::duplicate && match.call->reply_digest != message.digest;
  if (match.verdict != ReplyVerdict::orphan && !taken && !again) return nullptr;
  // On a stream for all replies the request may have been its own session's, in bytes that are missing.
  if (match.verdict == ReplyVerdict::orphan && requests_lost_ && exchange.stream != StreamKind::post && !broadcasting_.contains(session.server_endpoint)) return nullptr;
  const std::string_view payload = message.text.substr(0, kEchoBytes);
  const Call* const own = match.call;
  if (sessions_.size() < 2 || (own && repeats(payload, calls_.asked(*own)))) return nullptr;
  Call* found = nullptr;
  calls_.each_finished_by_value(model::Direction::client_to_server, message.id.value, [&](Call& call) {
    if (may_be_meant(call, state, message) && is_copy(call, seen) && (!own || repeats_all(payload, calls_.asked(call)))) found = &call;
    return found == nullptr;
  });
  if (found && broadcasting_.size() < limits_.sessions) broadcasting_.insert(session.server_endpoint);
  if (found) return found;
  const bool broadcasts = broadcasting_.contains(session.server_endpoint);
  if (own && !broadcasts && !says_something(calls_.asked(*own))) return nullptr;
  std::size_t waiting = 0;
  calls_.each_open_by_value(model::Direction::client_to_server, message.id.value, [&](Call& call) {
    const bool alike = !own || broadcasts || (call.method == own->method && call.target == own->target);
    if (may_be_meant(call, state, message) && alike && repeats_all(payload, calls_.asked(call))) found = &call, ++waiting;
    return waiting < 2;
  });
  return waiting == 1 ? found : nullptr;
}

// The same without sessions, between the clients of two addresses: there ids prove nothing, and only a call that waits and says something which
// the reply repeats, as the stream's own call does not, is taken for the one that was meant.
Call* SessionTracker::call_of_other_client(const Observation& seen, const SessionState& state, const Exchange& exchange, const Match& match) {
  const RpcMessage& message = *seen.message;
  const std::string_view payload = message.text.substr(0, kEchoBytes);
  if (match.verdict != ReplyVerdict::orphan || !match.other || repeats(payload, calls_.asked(*match.other))) return nullptr;
  Call* found = nullptr;
  std::size_t waiting = 0;
  calls_.each_open_by_value(model::Direction::client_to_server, message.id.value, [&](Call& call) {
    if (call.session == state.session.index || !sessions_.alive(call.session) || call.id.type != message.id.type) return true;
    const model::Session& other = sessions_.at(call.session).session;
    const Exchange* const carrier = exchanges_.find(call.exchange);
    const bool alike = carrier && carrier->server == exchange.server && other.modern == state.session.modern && other.stateless == state.session.stateless;
    const std::string_view asked = calls_.asked(call);
    if (alike && result_fits(call.method, message.result_keys) && says_something(asked) && repeats_all(payload, asked)) found = &call, ++waiting;
    return waiting < 2;
  });
  return waiting == 1 ? found : nullptr;
}

// Where no session tells clients apart an address may stand for many, each with ids of its own: the reply of another exchange is known by an
// id that one call alone has used, or by what it repeats of that call's arguments; null where it repeats those of the stream's `own` call.
Call* SessionTracker::crossed_call(const Observation& seen, const SessionState& state, const Exchange& exchange, const Call* own) {
  const RpcMessage& message = *seen.message;
  const std::uint32_t session = state.session.index;
  const std::string_view payload = message.text.substr(0, kEchoBytes);
  if (exchange.method.empty() || (own && repeats(payload, calls_.asked(*own)))) return nullptr;
  Call* found = nullptr;
  std::size_t open = 0;
  calls_.each_open_by_value(model::Direction::client_to_server, message.id.value, [&](Call& call) {
    if (call.session == session && call.id.type == message.id.type) found = &call, ++open;
    return open < 2;
  });
  if (open != 1 || found->exchange == 0 || found->exchange == exchange.id) return nullptr;
  if (message.kind == MessageKind::result && !result_fits(found->method, message.result_keys)) return nullptr;
  if (says_something(calls_.asked(*found)) && repeats_all(payload, calls_.asked(*found))) return found;
  const auto used_before = [&](const Call& call) {
    const Call* before = calls_.newest_finished(session, call.requestor, call.id.view());
    return before != nullptr && before != &call;
  };
  return own && !used_before(*own) && !used_before(*found) ? found : nullptr;
}

// The same by the id alone: this session has never used it, and of what it waits for nothing but the call whose stream this is may be meant. Whether
// it was that one's, under a wrong id, shows in which of the two gets a reply of its own.
Call* SessionTracker::only_call_elsewhere(const Observation& seen, const SessionState& state, const Exchange& exchange, const Match& match) {
  const RpcMessage& message = *seen.message;
  const model::Session& session = state.session;
  const bool of_one = message.kind == MessageKind::result && message.result_keys != 0 && session.ids_tell() && !session.mixed && !session.had_gap;
  if (!of_one || sessions_.size() < 2 || exchange.method.empty() || state.ids[0].contains(message.id)) return nullptr;
  for (const std::uint32_t handle : newest_open(state)) {
    const Call& waiting = calls_.at(handle);
    const bool meant = waiting.requestor == model::Direction::client_to_server && (exchange.stream != StreamKind::post || waiting.exchange == exchange.id);
    if (meant && &waiting != match.other) return nullptr;
  }
  Call* found = nullptr;
  std::size_t waiting = 0;
  calls_.each_open_by_value(model::Direction::client_to_server, message.id.value, [&](Call& call) {
    if (may_be_meant(call, state, message)) found = &call, ++waiting;
    return waiting < 2;
  });
  return waiting == 1 ? found : nullptr;
}

bool SessionTracker::may_be_meant(const Call& call, const SessionState& state, const RpcMessage& message) {
  if (call.session == state.session.index || !sessions_.alive(call.session) || call.id.type != message.id.type) return false;
  const model::Session& other = sessions_.at(call.session).session;
  return other.ids_tell() && !other.mixed && other.server_endpoint == state.session.server_endpoint && result_fits(call.method, message.result_keys);
}

// The call waits on: its own client has been told nothing by this.
void SessionTracker::deliver_astray(const Observation& seen, SessionState& state, Exchange& exchange, Call& owner) {
  ++state.session.counts.replies;
  ++exchange.replies;
  mark_foreign_reply(exchange);
  if (owner.closed == CloseReason::open) owner.untaken = model::Untaken::wrong_channel;
  Event reply = event(EventKind::reply, seen, &sessions_.at(owner.session));
  reply.exchange = &exchange;
  reply.other = &owner;
  reply.verdict = ReplyVerdict::other_session;
  emit(reply);
}

void SessionTracker::mark_foreign_reply(const Exchange& exchange) {
  for (const std::uint32_t handle : exchange.calls) {
    Call& own = calls_.at(handle);
    if (own.exchange == exchange.id && own.closed == CloseReason::open) own.foreign_reply = true;
  }
}

}  // namespace mcpscan::session
