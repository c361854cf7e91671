// HeldDrafts: findings that wait for the end of their session, where it is known what the evidence lacks of it.
// Ownership: owns them. Threads: none. Bound: kOfSession each, of the sessions that are open; those beyond are counted with the last one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/by_session.h"
#include "model/detector.h"

namespace mcpscan::engine {

class HeldDrafts {
 public:
  // Where findings go that wait. What the sink behind it would drop is not kept.
  class Waiting final : public model::FindingSink {
   public:
    Waiting(HeldDrafts& held, std::uint32_t session, const model::FindingSink& sink) : held_(held), session_(session), sink_(sink) {}
    void add(model::FindingDraft draft) override {
      if (!sink_.takes()) return;
      std::vector<model::FindingDraft>& drafts = held_.drafts_[session_];
      if (drafts.size() < kOfSession) drafts.push_back(std::move(draft));
      else if (drafts.back().requestor == draft.requestor) drafts.back().count += draft.count;
    }

   private:
    HeldDrafts& held_;
    std::uint32_t session_;
    const model::FindingSink& sink_;
  };

  std::vector<model::FindingDraft> take(std::uint32_t session) {
    const auto drafts = drafts_.take(session);
    return drafts ? std::move(*drafts) : std::vector<model::FindingDraft>();
  }

 private:
  static constexpr std::size_t kOfSession = 1024;

  BySession<std::vector<model::FindingDraft>> drafts_;
};

}  // namespace mcpscan::engine
