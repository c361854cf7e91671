// SessionSwaps: replies that were exchanged between two sessions of one server, or of which one strayed into another session. Most replies are
// at home where they came: they repeat their own arguments, or look like their tool's. Only one that does neither is laid beside those of
// other sessions that were in flight at the same time. The pairs tried grow with the sessions, so more is asked than within one session:
// each reply repeats what the other was asked with, or shape makes chance improbable (shape_book.h); below that it is a hint.
// Not judged: tools that neither repeat arguments nor have a form of their own; replies beyond kLoose that came while a call waited.
// Source: protocol notes ID15, SC11, C.5 P09.
// Ownership: copies; refers to the shape book, which outlives it. Threads: none. Bound: kLoose replies, kWaiting pairs, kTools tools.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/answered_call.h"
#include "engine/shape_book.h"

namespace mcpscan::engine {

class SessionSwaps {
 public:
  static constexpr std::size_t kLoose = 256;            // replies that say nothing of their own call, remembered; 20 KB each at most
  static constexpr std::size_t kPayloadBytes = 16384;   // head of each of them
  static constexpr std::size_t kWaiting = 1000;         // pairs whose tools' profiles are still to grow
  static constexpr std::size_t kTools = 4096;

  explicit SessionSwaps(const ShapeBook& shapes) : shapes_(shapes) {}

  void opened() { ++open_; }
  void closed() { --open_; }
  // Whether a call of another session was in flight at the same time; `open_beside`: open calls of its own session.
  bool has_rivals(const AnsweredCall& call, std::size_t open_beside) const;

  // Whether the reply repeats any of the call's arguments, which must be parsed; learns how usual that is with its tool.
  bool repeats_own(const AnsweredCall& call, std::string_view payload);
  // A reply that does not, with the shape it has. The call is marked when that was told.
  void take_stranger(AnsweredCall& call, std::string_view payload, model::FindingSink& findings);
  // The shape of a reply that it remembers went into the profile of its tool.
  void note_learned(const AnsweredCall& call);
  // A call that nobody answered any more.
  void lose(const AnsweredCall& call, model::FindingSink& findings);
  void finish(model::FindingSink& findings);

 private:
  struct Loose {
    AnsweredCall call;
    std::string payload;
    bool strange = false;
  };
  struct Habit {                                        // of a tool
    std::uint64_t replies = 0, repeating = 0;           // that had something to repeat
    bool repeats() const { return replies >= 10 && repeating * 10 >= replies * 9; }
  };
  struct Pair {
    AnsweredCall a, b;
    bool a_repeats_b = false, b_repeats_a = false;      // what the other alone was asked with
    std::size_t tried = 1;
  };

  bool is_strange(const AnsweredCall& call) const;
  void judge(AnsweredCall& call, std::string_view payload, bool strange, model::FindingSink& findings);
  bool judge_shapes(const Pair& pair, bool last, model::FindingSink& findings);
  void hold(Pair pair, model::FindingSink& findings);

  const ShapeBook& shapes_;
  std::size_t open_ = 0;
  std::deque<Loose> loose_;                             // in the order they came
  std::deque<Pair> waiting_;
  std::unordered_map<std::uint64_t, Habit> habits_;     // by tool
};

}  // namespace mcpscan::engine
