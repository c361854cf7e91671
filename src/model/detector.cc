#include "model/detector.h"

namespace mcpscan::model {

FindingCall finding_call(const Call& call) { return {call.id, call.method, call.target, call.requested_at, call.replied_at}; }

Evidence evidence_of(const TimelineEvent& event) {
  return {event.source, event.observation ? std::string(event.observation->text) : std::string()};
}

Evidence evidence_of(const Call& call) { return {call.source, call.head}; }

}  // namespace mcpscan::model
