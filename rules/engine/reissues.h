// Reissues: calls whose replies look exchanged, and what the same call got when it was made again later with nothing beside it. That the
// re-run got the very payload which the sibling had been given, or one of another form than the first time, corroborates the exchange; it never
// accuses by itself.
// Ownership: digests and shapes only. Threads: none. Bound: kCalls calls; of those beyond, nothing is known.
// Source: protocol notes C; docs/architecture.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "engine/answered_call.h"

namespace mcpscan::engine {

class Reissues {
 public:
  static constexpr std::size_t kCalls = 2000;
  static constexpr double kSamePayload = 1000;  // odds: the re-run got what the sibling had been given
  static constexpr double kOtherForm = 10;      // the re-run's reply has a form that the first one had not; tools vary

  void expect(const AnsweredCall& call);
  bool expects(const AnsweredCall& call) const { return calls_.contains(key(call)); }
  // A call that nothing ran beside was answered.
  void note(const AnsweredCall& again);

  struct Corroboration {
    double odds = 1;
    std::string what;  // empty: the call was not made again, or nothing came of it
  };
  // `got` may have the reply of `sibling`, and the other way round.
  Corroboration of(const AnsweredCall& got, const AnsweredCall& sibling) const;

 private:
  struct Again {
    bool seen = false;
    std::uint64_t digest = 0;
    session::ReplyShape shape;
  };
  static std::uint64_t key(const AnsweredCall& call);

  std::unordered_map<std::uint64_t, Again> calls_;  // by tool and arguments
};

}  // namespace mcpscan::engine
