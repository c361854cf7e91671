// Faults put into traffic on its way from the readers to the trackers: what a checker of checkers needs. CallSurvey notes the calls that
// could carry a fault, ReplyKeeper keeps copies of the replies that will be exchanged, FaultSeeder changes what passes by.
// Observations are counted as they pass; the count is the same in each reading of the same inputs, so it names an observation.
// Ownership: each owns what it notes. Threads: as TimelineTap. Bounds: Limits::verify_calls, Limits::verify_reply_bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "base/limits.h"
#include "pipeline/timeline_tap.h"

namespace mcpscan::pipeline {

enum class FaultClass : std::uint8_t { swap, swap_of_one_tool, wrong_id, id_type, duplicate_id, lost, late, wrong_channel, duplicate_reply };
constexpr std::size_t kFaultClasses = 9;

// An answered tools/call that nothing odd had happened to.
struct SurveyedCall {
  std::size_t source = 0;
  std::uint32_t session = 0;            // index, unique within the source
  std::string label, tool;
  model::OwnedId id;
  std::uint64_t request = 0, reply = 0; // counts of the observations
  std::uint64_t exchange = 0;           // 0: not told
  std::uint64_t payload = 0;            // digest; 0: no body
  std::size_t reply_bytes = 0;
  Time requested, replied;
};

class CallSurvey : public TimelineTap {
 public:
  explicit CallSurvey(const Limits& limits) : limits_(limits) {}
  void on_observation(const model::Observation&) override { ++count_; }
  void on_event(std::size_t source, const model::TimelineEvent& event) override;

  // In the order of their requests, session by session.
  std::vector<SurveyedCall> take();
  // When the session was last heard of.
  Time last_of(const SurveyedCall& call) const;
  std::uint64_t calls_left_out() const { return left_out_; }

 private:
  const Limits& limits_;
  std::uint64_t count_ = 0, left_out_ = 0;
  std::map<std::pair<std::size_t, std::uint64_t>, SurveyedCall> open_;  // by source and number
  std::map<std::pair<std::size_t, std::uint32_t>, Time> last_;          // by source and session
  std::vector<SurveyedCall> calls_;
};

// One fault: `call` suffers it, `other` has a part in it (classes that need two calls).
struct Seed {
  SurveyedCall call, other;
  std::string false_id;                 // wrong_id: the id's token on the reply
};

class ReplyKeeper : public TimelineTap {
 public:
  explicit ReplyKeeper(const std::vector<Seed>& seeds);
  void on_observation(const model::Observation& seen) override;
  void on_event(std::size_t, const model::TimelineEvent&) override {}
  // The message of the reply that was counted so; null where it was not met.
  const model::RpcMessage* find(std::uint64_t reply) const;

 private:
  Arena arena_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, const model::RpcMessage*> kept_;
};

class FaultSeeder : public TimelineTap {
 public:
  // `replies` outlives the seeder; needed by the two swaps only.
  FaultSeeder(FaultClass fault, const std::vector<Seed>& seeds, const ReplyKeeper& replies);
  void on_observation(const model::Observation&) override {}
  void on_event(std::size_t, const model::TimelineEvent&) override {}
  void pass(const model::Observation& seen, model::ObservationSink& next) override;

 private:
  struct Role {
    const Seed* seed;
    bool is_other;  // the observation is `other`'s, not `call`'s
  };
  void on_request(const model::Observation& seen, const Role& role, model::ObservationSink& next) const;
  void on_reply(const model::Observation& seen, const Role& role, model::ObservationSink& next) const;

  FaultClass fault_;
  const ReplyKeeper& replies_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, Role> requests_, reply_roles_;
};

}  // namespace mcpscan::pipeline
