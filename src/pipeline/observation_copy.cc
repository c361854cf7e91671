#include "pipeline/observation_copy.h"

#include <algorithm>
#include <span>

#include "base/same_text.h"

namespace mcpscan::pipeline {

using namespace model;

namespace {

// Moves views: those into `old_text` to the same place of `new_text`, all others into the arena.
struct Mover {
  Arena& arena;
  std::string_view old_text = {}, new_text = {};

  void move(std::string_view& view) const {
    if (view.empty()) return;
    const bool inside = view.data() >= old_text.data() && view.data() + view.size() <= old_text.data() + old_text.size();
    view = inside ? new_text.substr(static_cast<std::size_t>(view.data() - old_text.data()), view.size()) : arena.copy(view);
  }
  void move(RpcId& id) const {
    move(id.value);
    move(id.raw);
  }
};

std::span<const std::string_view> copy_of(std::span<const std::string_view> texts, const Mover& mover) {
  if (texts.empty()) return {};
  const std::span<std::string_view> list = mover.arena.list<std::string_view>(texts.size());
  std::copy(texts.begin(), texts.end(), list.begin());
  for (std::string_view& text : list) mover.move(text);
  return list;
}

const RpcMessage* copy_of(const RpcMessage& message, Arena& arena) {
  RpcMessage* copy = arena.make<RpcMessage>(message);
  copy->text = arena.copy(message.text);
  const Mover mover{arena, message.text, copy->text};
  for (RpcId* id : {&copy->id, &copy->related, &copy->progress_token}) mover.move(*id);
  for (std::string_view* view : {&copy->method, &copy->target, &copy->reason, &copy->protocol_version, &copy->peer_name, &copy->peer_version, &copy->structured}) mover.move(*view);
  copy->content_texts = copy_of(message.content_texts, mover);
  return copy;
}

const Notice* copy_of(const Notice& notice, Arena& arena) {
  Notice* copy = arena.make<Notice>(notice);
  const Mover mover{arena};
  for (std::string_view* view : {&copy->key, &copy->second_key, &copy->tool, &copy->method, &copy->reason}) mover.move(*view);
  return copy;
}

const OutcomeFacts* copy_of(const OutcomeFacts& outcome, Arena& arena) {
  OutcomeFacts* copy = arena.make<OutcomeFacts>(outcome);
  const Mover mover{arena};
  for (std::string_view* view : {&copy->call, &copy->tool, &copy->server, &copy->text, &copy->arguments, &copy->conversation, &copy->agent}) mover.move(*view);
  return copy;
}

const GapFacts* copy_of(const GapFacts& gap, Arena& arena) {
  GapFacts* copy = arena.make<GapFacts>(gap);
  Mover{arena}.move(copy->reason);
  return copy;
}

}  // namespace

const HttpFacts* ObservationCopier::copy_http(const HttpFacts& http) {
  HttpFacts copy = http;  // not in the arena yet: its lines may still be the other core's
  for (std::size_t i = 0; i < kHttpTexts.size(); ++i) {
    std::string_view& text = copy.*kHttpTexts[i];
    if (text.empty()) continue;
    if (same_text(text, texts_[i])) text = texts_[i];
    else texts_[i] = text = arena_.copy(text);
  }
  return arena_.make<HttpFacts>(copy);
}

Observation ObservationCopier::copy(const Observation& seen) {
  Observation copy = seen;
  if (seen.message) copy.message = copy_of(*seen.message, arena_);
  // What is quoted of a record is a part of its message, most often.
  const Mover mover = seen.message ? Mover{arena_, seen.message->text, copy.message->text} : Mover{arena_};
  for (std::string_view* view : {&copy.session, &copy.server, &copy.event_id, &copy.text}) mover.move(*view);
  if (seen.http) copy.http = copy_http(*seen.http);
  if (seen.notice) copy.notice = copy_of(*seen.notice, arena_);
  if (seen.outcome) copy.outcome = copy_of(*seen.outcome, arena_);
  if (seen.gap) copy.gap = copy_of(*seen.gap, arena_);
  arena_.ask_for(kNextCopy);
  return copy;
}

Observation copy_observation(const Observation& seen, Arena& arena) { return ObservationCopier(arena).copy(seen); }

}  // namespace mcpscan::pipeline
