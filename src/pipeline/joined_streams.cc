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
    std::vector<std::string>& says = session->open[key_of(seen.message->id)];
    says.clear();
    session::argument_tokens(seen.message->text, says);
    session->asked.push_back(key_of(seen.message->id));
    if (session->asked.size() <= kOpen) return;
    session->open.erase(session->asked.front());
    session->asked.pop_front();
  }
}

// Its stream is known: nothing more is sought.
void JoinedStreams::Session::close() {
  has_stream = true;
  open.clear();
  asked.clear();
}

void JoinedStreams::take(const Observation& seen) {
  if (streams_.size() >= kStreams && !streams_.contains(seen.exchange)) return;
  Stream& stream = streams_[seen.exchange];
  if (stream.of != nullptr) return pass(stream, seen);
  hold(stream, seen);
  if (seen.kind != ObservationKind::message || !is_reply(*seen.message) || !seen.message->id.present()) return;
  weigh(stream, seen);
  settle();
}

void JoinedStreams::hold(Stream& stream, const Observation& seen) {
  if (stream.held.size() >= kHeld) {
    stream.held.pop_front();
    stream.lost_some = true;
  }
  auto arena = std::make_unique<Arena>();
  const Observation copy = copy_observation(seen, *arena);
  stream.held.push_back({std::move(arena), copy});
}

void JoinedStreams::weigh(Stream& stream, const Observation& reply) {
  const std::string id = key_of(reply.message->id);
  const auto may_answer = [&](const Session* session) { return !session->has_stream && session->open.contains(id); };
  std::erase_if(stream.fits, [&](const Session* session) { return !may_answer(session); });
  ++stream.agreed;
  if (stream.fits.empty()) {  // the first reply, or those before it were to calls that are older than the capture
    stream.agreed = 1;
    for (const auto& [key, session] : sessions_) {
      if (session->server == reply.server && may_answer(session.get())) stream.fits.push_back(session.get());
    }
  }
  keep_repeated(stream, id, reply.message->text);
}

// Clients that began together count together. Who asked the same as another is not told apart by it.
void JoinedStreams::keep_repeated(Stream& stream, const std::string& id, std::string_view reply) {
  const auto is_repeated = [&](const Session* session) { return session::any_stands_in(session->open.at(id), reply); };
  const auto all_ask = [&](const Session* session) { return !session->open.at(id).empty(); };
  if (stream.fits.size() < 2 || !std::all_of(stream.fits.begin(), stream.fits.end(), all_ask)) return;
  if (std::count_if(stream.fits.begin(), stream.fits.end(), is_repeated) != 1) return;
  stream.fits = {*std::find_if(stream.fits.begin(), stream.fits.end(), is_repeated)};
  stream.agreed = 1;
}

// What one stream turns out to be no other one is.
void JoinedStreams::settle() {
  const auto is_plain = [](const auto& entry) { return entry.second.of == nullptr && entry.second.agreed >= kAgree && entry.second.fits.size() == 1; };
  for (auto next = std::find_if(streams_.begin(), streams_.end(), is_plain); next != streams_.end(); next = std::find_if(streams_.begin(), streams_.end(), is_plain)) {
    tie(next->second);
  }
}

void JoinedStreams::tie(Stream& stream) {
  Session* const session = stream.fits.front();
  stream.of = session;
  for (auto& [exchange, other] : streams_) std::erase(other.fits, session);
  if (stream.lost_some) tell_lost(stream);
  for (const Held& held : stream.held) {
    const bool of_older = held.seen.kind == ObservationKind::message && is_reply(*held.seen.message) && session->open.erase(key_of(held.seen.message->id)) == 0;
    if (!of_older) pass(stream, held.seen);
  }
  session->close();
  stream.held.clear();
}

void JoinedStreams::tell_lost(const Stream& stream) {
  const model::GapFacts facts{0, "what came on a stream older than the capture before it showed whose it is", false};
  Observation gap = stream.held.front().seen;
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
