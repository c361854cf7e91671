// Lost replies that only statements tell of, where the messages themselves are not in the evidence: an initialize that its client waits
// for or gave up or whose server ended, and calls in a client's own record: one that ended with the answer to a cancelled request and nothing
// else, and those that the client says got no answer. Where the evidence holds calls it tells more of them than the record can.
// Ownership: keeps copies. Threads: none. Bound: kUnanswered calls of the client's record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/client_record.h"
#include "engine/stray_close.h"
#include "model/detector.h"

namespace mcpscan::engine {

class ToldLosses {
 public:
  // Notices, timeouts, replies, ends of calls and outcomes; what is certain at once is handed over.
  void note(const model::TimelineEvent& event, model::FindingSink& findings);
  // The evidence is read to its end.
  void finish(model::FindingSink& findings);

 private:
  static constexpr std::size_t kUnanswered = 1024;

  struct Pending {  // reminders of one initialize
    std::uint64_t reminders = 0;
    Time first, last;
    model::Evidence begin, end;
  };
  void note_outcome(const model::TimelineEvent& event);
  void note_stray_answer(const model::TimelineEvent& event, model::FindingSink& findings);
  void tell_given_up(const model::TimelineEvent& event, model::FindingSink& findings);
  void tell_exited(const model::TimelineEvent& event, model::FindingSink& findings);
  void tell_pending(const std::string& session, const Pending& pending, model::FindingSink& findings);
  static model::FindingDraft draft_for(const std::string& session, const char* reason);

  std::map<std::string, Pending> pending_;  // by session label; empty: none named
  ClientRecord record_;
  StrayClose closing_;
  std::vector<model::FindingDraft> unanswered_;  // by the record's word
  bool saw_initialize_ = false;
  bool saw_calls_ = false;                  // messages of tool calls are in the evidence
};

}  // namespace mcpscan::engine
