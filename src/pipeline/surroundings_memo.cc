#include "pipeline/surroundings_memo.h"

#include <span>

namespace mcpscan::pipeline {

ingest::Surroundings SurroundingsMemo::of(std::string_view before_body) {
  if (before_body.empty() || before_body.size() > kTextBytes) return ingest::describe_surroundings(before_body, {});
  known_.make_room();
  for (const Known& known : known_.empty() ? std::span<Known>() : known_.places_of(before_body)) {
    if (known.text != before_body) continue;
    ingest::Surroundings told = known.told;
    told.session = known.session.of(before_body);
    told.peer = known.peer.of(before_body);
    return told;
  }
  const ingest::Surroundings told = ingest::describe_surroundings(before_body, {});
  Part session, peer;
  if (!session.take(told.session, before_body) || !peer.take(told.peer, before_body)) return told;
  Known& known = known_.put(before_body);
  known.text.assign(before_body);
  known.told = told;
  known.session = session;
  known.peer = peer;
  return told;
}

}  // namespace mcpscan::pipeline
