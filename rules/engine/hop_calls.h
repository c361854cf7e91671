// HopCalls: the tool calls of two sides of a gateway, laid beside each other: a call in front of it and the call behind it that carries it on.
// Pairs by tool (the gateway's prefix aside), arguments and time; sessions and ids may be others behind the gateway. The files of a run are
// read one after the other, so pairs are known at the end only.
// Not told: traffic that a proxy passes on in its own session, and calls that several others fit as well.
// Ownership: copies. Threads: none. Bound: kCalls calls and cancels.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/detector.h"

namespace mcpscan::engine {

struct HopCall {
  std::uint32_t input = 0;
  std::string session;
  std::uint64_t user = 0;        // digest of who asked, 0: not told
  std::uint64_t arguments = 0;
  bool collided = false;         // another call with its id was in flight in its session
  model::FindingCall call;
  model::Evidence evidence;
  const HopCall* behind = nullptr;  // the call that carries this one on; set by pair()
  const HopCall* front = nullptr;
};

struct HopCancel {
  std::uint32_t input = 0;
  std::string session;
  model::OwnedId target;
  Time at;
  model::Evidence evidence;
};

class HopCalls {
 public:
  static constexpr std::size_t kCalls = 50000;

  void note(const model::TimelineEvent& event);  // requests, replies, cancels and timeouts
  // To be called once, when all is read.
  void pair();
  const std::vector<HopCall>& calls() const { return calls_; }
  const std::vector<HopCancel>& cancels() const { return cancels_; }

 private:
  std::unordered_map<std::uint64_t, std::size_t> open_;  // calls that wait for their reply, by input and number
  std::vector<HopCall> calls_;
  std::vector<HopCancel> cancels_;
};

}  // namespace mcpscan::engine
