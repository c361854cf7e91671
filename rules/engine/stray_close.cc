#include "engine/stray_close.h"

namespace mcpscan::engine {

using namespace model;

namespace {

bool at_once(Time before, Time at) { return before.known() && at.known() && at.us - before.us <= kSecond; }

}  // namespace

void StrayClose::note(const TimelineEvent& event) {
  const NoticeKind kind = event.observation->notice->kind;
  if (event.observation->vantage != Vantage::client) return;
  if (kind == NoticeKind::unknown_reply_id) {
    strayed_ = true;
    closed_ = false;
    stray_at_ = event.at;
    stray_ = evidence_of(event);
  } else if (kind == NoticeKind::transport_closed && strayed_ && at_once(stray_at_, event.at)) {
    closed_ = true;
    closed_at_ = event.at;
  }
}

bool StrayClose::ended(const TimelineEvent& outcome, Time made) const {
  return closed_ && outcome.observation->outcome->no_answer && made.known() && made <= stray_at_ && at_once(closed_at_, outcome.at);
}

Fault StrayClose::fault() {
  return {Party::client, Certainty::strong, {"server"}, "it ended its transport over one reply that it could not place, and the calls beside it with it"};
}

}  // namespace mcpscan::engine
