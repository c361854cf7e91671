#include "pipeline/joined_streams.h"

#include <algorithm>

#include "pipeline/observation_copy.h"
#include "session/argument_echo.h"

namespace mcpscan::pipeline {

using model::Direction;
using model::MessageKind;
using model::Observation;
using model::ObservationKind;
using model::SessionKeying;

namespace {

bool is_reply(const model::RpcMessage& message) { return message.kind == MessageKind::result || message.kind == MessageKind::error; }

// An id's identity: its JSON type and what it says.
std::string key_of(const model::RpcId& id) { return std::to_string(static_cast<int>(id.type)) + ' ' + std::string(id.value); }

}  // namespace

void JoinedStreams::observe(const Observation& seen) {
  const bool is_message = seen.kind == ObservationKind::message;
  const bool may_wait = is_message || seen.kind == ObservationKind::gap || seen.kind == ObservationKind::stream_event;
  if (may_wait && seen.stream == model::StreamKind::legacy_sse && seen.session.empty()) return take(seen);
  if (seen.keying == SessionKeying::legacy_session_id) is_message ? note_message(seen) : note_exchange(seen);
  sink_.observe(seen);
}

void JoinedStreams::note_exchange(const Observation& seen) {
  if (seen.kind == ObservationKind::exchange_end) exchanges_.erase(seen.exchange);
  if (seen.kind != ObservationKind::exchange_request || exchanges_.size() >= kPosts) return;
  std::string key = std::string(seen.http->server) + '\n' + std::string(seen.session);
  auto found = sessions_.find(key);
  if (found == sessions_.end()) {
    if (sessions_.size() >= kSessions) return;
    found = sessions_.emplace(std::move(key), std::make_unique<Session>()).first;
    found->second->server = seen.http->server;
    found->second->name = seen.session;
  }
  exchanges_[seen.exchange] = found->second.get();
}

void JoinedStreams::note_message(const Observation& seen) {
  const auto found = exchanges_.find(seen.exchange);
  if (found == exchanges_.end() || found->second->has_stream) return;
  Session* const session = found->second;
  if (seen.stream == model::StreamKind::legacy_sse) {
    session->close();
  } else if (seen.direction == Direction::client_to_server && seen.message->kind == MessageKind::request) {
    Asked& asked = session->open[key_of(seen.message->id)];
    asked.words.clear();
    asked.order = ++order_;
    session::argument_tokens(seen.message->text, asked.words);
    session->ids.push_back(key_of(seen.message->id));
    if (session->ids.size() <= kOpen) return;
    session->open.erase(session->ids.front());
    session->ids.pop_front();
  }
}

// Its stream is known: nothing more is sought.
void JoinedStreams::Session::close() {
  has_stream = true;
  open.clear();
  ids.clear();
}

void JoinedStreams::take(const Observation& seen) {
  if (streams_.size() >= kStreams && !streams_.contains(seen.exchange)) return;
  Stream& stream = streams_[seen.exchange];
  if (stream.of != nullptr) return pass(stream, seen);
  if (stream.weighed >= kWeighed) return;
  hold(stream, seen);
  if (seen.kind == ObservationKind::message && is_reply(*seen.message) && seen.message->id.present()) weigh(stream, seen);
}

void JoinedStreams::hold(Stream& stream, const Observation& seen) {
  if (shelf_.used() > kHeldBytes) {
    for (auto& [exchange, each] : streams_) drop_held(each);
    shelf_.reset();
  }
  if (stream.held.size() >= kHeld) drop_held(stream);
  stream.held.push_back(copy_observation(seen, shelf_));
}

void JoinedStreams::drop_held(Stream& stream) {
  stream.lost_some = stream.lost_some || !stream.held.empty();
  stream.held.clear();
}

void JoinedStreams::weigh(Stream& stream, const Observation& reply) {
  const std::string id = key_of(reply.message->id);
  std::vector<Session*> fit, repeated;
  for (const auto& [key, session] : sessions_) {
    if (session->has_stream || session->server != reply.server || !session->open.contains(id)) continue;
    fit.push_back(session.get());
    if (session::any_stands_in(session->open.at(id).words, reply.message->text)) repeated.push_back(session.get());
  }
  if (std::find(fit.begin(), fit.end(), stream.likely) == fit.end()) stream.likely = nullptr, stream.said = 0;
  Session* const meant = repeated.size() == 1 ? repeated.front() : fit.size() == 1 && repeated.empty() ? fit.front() : nullptr;
  const bool in_new_round = meant != nullptr && (stream.order == 0 || meant->open.at(id).order > stream.order);
  if (in_new_round) {
    if (meant != stream.likely) stream.likely = meant, stream.said = 0;
    stream.said += repeated.empty() ? kFits : kRepeats;
    stream.order = ++order_;
  }
  if (stream.likely != nullptr && stream.said >= kEnough) return tie(stream);
  if (++stream.weighed == kWeighed) drop_held(stream);
}

void JoinedStreams::tie(Stream& stream) {
  Session* const session = stream.likely;
  stream.of = session;
  for (auto& [exchange, other] : streams_) {
    if (other.likely == session) other.likely = nullptr, other.said = 0;
  }
  if (stream.lost_some) tell_lost(stream);
  for (const Observation& held : stream.held) {
    const bool of_older = held.kind == ObservationKind::message && is_reply(*held.message) && session->open.erase(key_of(held.message->id)) == 0;
    if (!of_older) pass(stream, held);
  }
  session->close();
  stream.held.clear();
}

void JoinedStreams::tell_lost(const Stream& stream) {
  const model::GapFacts facts{0, "what came on a stream older than the capture before it showed whose it is", false};
  Observation gap = stream.held.front();
  gap.kind = ObservationKind::gap;
  gap.message = nullptr;
  gap.text = {};
  gap.gap = &facts;
  pass(stream, gap);
}

void JoinedStreams::pass(const Stream& stream, const Observation& seen) {
  Observation named = seen;
  named.session = stream.of->name;
  named.keying = SessionKeying::legacy_session_id;
  sink_.observe(named);
}

}  // namespace mcpscan::pipeline
