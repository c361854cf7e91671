// EvidenceEnd: what the end of the evidence shows of a call that is open there: until when it certainly waited, and whether its client waited that long.
// Threads: none. References live as long as what they refer to.
#pragma once

#include "model/record_times.h"
#include "session/session_table.h"

namespace mcpscan::session {

class EvidenceEnd {
 public:
  // `now`: the latest time observed. `records`: of a log all there are, others' as well; null: nothing but what was observed.
  EvidenceEnd(Time now, const model::RecordTimes* records, const SessionTable& sessions) : now_(now), records_(records), sessions_(sessions) {}

  struct Wait {
    Time end;               // of which nothing makes more
    bool given_up = false;  // its client began anew before a reply was due
    bool untold = false;    // a reply was due perhaps, and nothing tells whether one is missing
  };
  Wait wait_of(const model::Call& call, const SessionState& state) const;
  bool clocks_differ() const { return records_ && records_->clocks_differ(); }

 private:
  Time certain_for(const model::Call& call, const SessionState& state) const;
  Time client_began_anew(const SessionState& state) const;
  bool tells_nothing(const model::Call& call, const model::Session& session, Time end) const;

  Time now_;
  const model::RecordTimes* records_;
  const SessionTable& sessions_;
};

}  // namespace mcpscan::session
