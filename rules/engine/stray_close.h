// Whether a client, by the words of its own log, has ended its transport over a reply that it could not place. Where the log shows no messages
// that is all that is known of what became of the calls that waited.
// Ownership: keeps copies. Threads: none. Bound: the last such reply.
#pragma once

#include "model/detector.h"

namespace mcpscan::engine {

class StrayClose {
 public:
  // Notices.
  void note(const model::TimelineEvent& event);
  // Whether a call made then, of which the outcome says that no answer came, was ended by it.
  bool ended(const model::TimelineEvent& outcome, Time made) const;
  const model::Evidence& stray() const { return stray_; }
  static model::Fault fault();

 private:
  Time stray_at_, closed_at_;
  model::Evidence stray_;
  bool strayed_ = false, closed_ = false;
};

}  // namespace mcpscan::engine
